#!/usr/bin/env python3
"""Write the stubs of the extension module from its docstrings: make_stubs.py [--check | --reference PAGE].

The first line of the docstring of a property is "type: what it is" or "type (settable): what it is", that
of a method "-> type" after its signature. With --check nothing is
written: exit status 1 where a stub is out of date. With --reference they become a page.
"""
import inspect
import pathlib
import re
import sys

import dashpot
import dashpot._core as core

HEAD = '''# Written by make_stubs.py from the docstrings of the module.
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

'''
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "python" / "dashpot"


def typed(text):
    """ndarray is one of doubles, unless it is of structs."""
    return re.sub(r"\bndarray\b", "NDArray[Any]", text)


def signature(name, function):
    """(arguments, type) of a method or function from its docstring."""
    text = function.__text_signature__
    match = re.match(r"-> (.*)", function.__doc__ or "")
    if text is None or match is None:
        raise SystemExit(f"{name}: its docstring has no signature or no '-> type'")
    arguments = re.sub(r"\$(self|type)(, /)?", lambda m: "self" if m[1] == "self" else "cls", text)
    arguments = re.sub(r"^\(\$module, /(, )?", "(", arguments)
    return typed(arguments), typed(match[1])


def method(name, function, owner):
    arguments, result = signature(f"{owner}.{name}", function)
    if arguments.startswith("(cls"):
        return f"    @classmethod\n    def {name}{arguments} -> {result}: ..."
    return f"    def {name}{arguments} -> {result}: ..."


def attribute(name, descriptor, owner):
    kind, found, _ = (descriptor.__doc__ or "").partition(": ")
    if not found:
        raise SystemExit(f"{owner}.{name}: its docstring is not 'type: …'")
    settable = kind.endswith(" (settable)")
    text = f"    @property\n    def {name}(self) -> {typed(kind.removesuffix(' (settable)'))}: ..."
    return text + (f"\n    @{name}.setter\n    def {name}(self, value: Any) -> None: ..." if settable else "")


def constructor(cls):
    match = re.match(rf"{cls.__name__}(\(.*?\))\n--\n", cls.__doc__ or "", re.S)
    text = cls.__text_signature__ or (match[1] if match else None)
    if text is None or issubclass(cls, BaseException):
        return None
    return f"    def __new__(cls, {typed(text[1:-1])}) -> Self: ..."


def class_stub(cls):
    bases = [base.__name__ for base in cls.__bases__ if base is not object]
    lines = [f"class {cls.__name__}({', '.join(bases)}):" if bases else f"class {cls.__name__}:"]
    made = None if issubclass(cls, BaseException) else constructor(cls)
    if made:
        lines.append(made)
    members = {} if issubclass(cls, BaseException) else vars(cls)
    for name, member in sorted(members.items()):
        if name == "__len__":
            lines.append("    def __len__(self) -> int: ...")
        elif name.startswith("_"):
            continue
        elif inspect.isgetsetdescriptor(member):
            lines.append(attribute(name, member, cls.__name__))
        else:
            lines.append(method(name, getattr(cls, name), cls.__name__))
    return "\n".join(lines if len(lines) > 1 else [lines[0] + " ..."])


def core_stub():
    parts = ["_enumerations: dict[str, tuple[str, ...]]"]
    public = {name: value for name, value in vars(core).items() if not name.startswith("_")}
    exceptions = [v for v in public.values() if isinstance(v, type) and issubclass(v, BaseException)]
    classes = [v for v in public.values() if isinstance(v, type) and v not in exceptions]
    for cls in sorted(exceptions, key=lambda c: len(c.__mro__)) + sorted(classes, key=lambda c: c.__name__):
        parts.append(class_stub(cls))
    for name, value in sorted(public.items()):
        if inspect.isbuiltin(value):
            arguments, result = signature(name, value)
            parts.append(f"def {name}{arguments} -> {result}: ...")
    return HEAD + "\n\n".join(parts) + "\n"


def enumeration_stub():
    text = "# Written by make_stubs.py.\nfrom enum import IntEnum\n"
    for name, values in core._enumerations.items():
        text += f"\nclass {name}(IntEnum):\n"
        for number, value in enumerate(values):
            text += f"    {value.upper().replace(' ', '_').replace('-', '_')} = {number}\n"
    return text


def described(name, member):
    """One line of the page: a property or a method."""
    text = inspect.getdoc(member) or ""
    if inspect.isgetsetdescriptor(member) or isinstance(member, property):
        return f"* **`{name}`** {text.splitlines()[0] if text else ''}"
    words = " ".join(re.sub(r"^-> (.*)", r"→ `\1`.", text).split())
    arguments = re.sub(r"\$?(self|type)(, /)?(, )?", "", getattr(member, "__text_signature__", None) or "(…)")
    return f"* **`{name}{arguments}`** {words}"


def reference():
    """All that is public, by class, as Markdown."""
    parts = [f"# The Python package, version {dashpot.__version__}", inspect.getdoc(dashpot)]
    for name in dashpot.__all__:
        thing = getattr(dashpot, name)
        if not isinstance(thing, type):
            parts.append(f"## {name}\n\n{described(name, thing)}")
            continue
        members = [(n, inspect.getattr_static(thing, n)) for n in dir(thing) if not n.startswith("_")]
        shown = [described(n, m) for n, m in members if callable(getattr(thing, n)) or hasattr(m, "__set__")]
        if name in core._enumerations:
            parts.append(f"## {name}\n\nAn enumeration: {', '.join(value.name for value in thing)}.")
            continue
        if issubclass(thing, BaseException):
            shown = []
        parts.append("\n\n".join([f"## {name}", inspect.getdoc(thing) or "", "\n".join(shown)]).strip())
    return "\n\n".join(parts) + "\n"


def main(arguments):
    if arguments[:1] == ["--reference"]:
        pathlib.Path(arguments[1]).write_text(reference(), encoding="utf-8")
        return 0
    stubs = {"_core.pyi": core_stub(), "enumerations.pyi": enumeration_stub()}
    status = 0
    for name, text in stubs.items():
        path = FOLDER / name
        if arguments == ["--check"]:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                print(f"{path}: out of date: run make_stubs.py")
                status = 1
        else:
            path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
