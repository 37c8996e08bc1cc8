"""The tables of members have a row for each member of the structs in the public headers."""
import re

# Not values of their own: counters of arrays, places in files, pointers that Python has no use for.
LEFT_OUT = {
    ("dp_law_options", "user"), ("dp_tendon_spec", "nwrap"), ("dp_hfield_spec", "nrow"), ("dp_hfield_spec", "ncol"),
    ("dp_force_info", "force"), ("dp_force_info", "torque"), ("dp_motion_info", "position"), ("dp_motion_info", "rotation"),
} | {("dp_key_spec", name) for name in ("nq", "nv", "na", "nu", "nmocap_position", "nmocap_quaternion")}
COUNTERS = {"nvertex", "nface", "nhull_vertex", "nhull_face"}


def members(body):
    """Names of the members of a struct, from its text."""
    text = re.sub(r"//.*", "", body)
    for declaration in text.split(";"):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        first, *more = declaration.split(",")
        for part in [first, *more]:
            yield re.search(r"(\w+)\s*(?:\[[^\]]*\])*$", part.strip())[1]


def test_every_member_of_a_struct_has_a_row(scenes):
    root = scenes.parent
    headers = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "include/dashpot").rglob("*.h")))
    tables = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "python/core/tables").glob("*.c")))
    structs = {name: body for body, name in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", headers, re.S)}
    known = set(re.findall(r"DPY_TABLE\(\s*(dp_\w+),", tables))
    assert len(known) > 60 and known <= set(structs)
    missing = []
    for struct in sorted(known):
        rows = set(re.findall(rf"DPY_\w+\(\s*{struct},\s*(\w+)", tables))
        rows |= set(re.findall(rf'DPY_AS\(\s*{struct},\s*"\w+",\s*(\w+)', tables))
        rows |= set(re.findall(rf"offsetof\({struct}, (\w+)", tables))
        for name in members(structs[struct]):
            if name not in rows | COUNTERS | {"where"} and (struct, name) not in LEFT_OUT:
                missing.append(f"{struct}.{name}")
    assert not missing
