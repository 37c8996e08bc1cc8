#!/usr/bin/env python3
"""Every check of check_repository.py and check_symbols.py catches the tree that breaks its rule."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_commands
import check_repository
import check_symbols
import wrap_prose


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/references.bib", "@book{Newton1687,\n}\n@book{Euler1950,\n}\n")
        self.write("docs/README.md", "")
        self.write("src/math/README.md", "")
        self.write("src/math/vector.h", "")
        self.write("include/dashpot/base.h", "")
        self.write("examples/README.md", "")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def found(self, check):
        return list(check(self.root))

    def assert_clean(self, check):
        self.assertEqual(self.found(check), [])

    def assert_caught(self, check, *words):
        violations = self.found(check)
        self.assertEqual(len(violations), 1, violations)
        for word in words:
            self.assertIn(word, violations[0])

    def test_a_clean_tree_passes_every_check(self):
        for check in check_repository.CHECKS:
            self.assert_clean(check)

    def test_a_mark_of_a_merge_is_caught(self):
        self.write("src/math/a.c", "int a;\n" + "<" * 7 + " HEAD\n")
        self.assert_caught(check_repository.paths, "src/math/a.c:2", "a mark of a merge")

    def commands(self, text):
        self.write("docs/page.md", text)
        return list(check_commands.check(self.root / "docs/page.md", self.root, None))

    def test_a_command_that_fails_and_words_that_are_not_printed_are_caught(self):
        self.assertEqual(self.commands("```sh\ntrue\nfalse # exit 1\nfalse # not run\n```\n"), [])
        self.assertIn("page.md:3: exit 1: false", self.commands("```sh\ntrue\nfalse\n```\n")[0])
        shown = "```sh\necho 'off by 1.5e-3 m'\n```\n<!-- prints -->\n```\n{}\n```\n"
        self.assertEqual(self.commands(shown.format("off  by 2 m")), [])
        self.assertIn("page.md:6: is not printed", self.commands(shown.format("off by 2 s"))[0])

    def test_a_file_that_a_page_shows_is_there_for_its_commands(self):
        shown = "<!-- file: a.txt -->\n```xml\n<a/>\n```\n```sh\ngrep -q '<{}/>' a.txt\n```\n"
        self.assertEqual(self.commands(shown.format("a")), [])
        self.assertEqual(len(self.commands(shown.format("b"))), 1)

    def test_an_include_of_a_lower_level_or_a_public_header_passes(self):
        self.write("src/sim/a.c", '#include "math/vector.h"\n#include <dashpot/base.h>\n')
        self.assert_clean(check_repository.levels)

    def test_an_include_of_a_higher_level_is_caught(self):
        self.write("src/math/a.c", '\n#include "sim/step.h"\n')
        self.assert_caught(check_repository.levels, "src/math/a.c:2", "sim/step.h", "level 7")

    def test_an_include_of_a_folder_of_the_same_level_is_caught(self):
        self.write("src/solve/a.c", '#  include  "model/model.h"\n')
        self.assert_caught(check_repository.levels, "src/solve/a.c:1", "level 4")

    def test_a_plugin_that_knows_the_library_is_caught(self):
        self.write("src/io/a_plugin.h", "#include <stddef.h>\n")
        self.write("plugins/a.c", '#include "io/a_plugin.h"\n#include <hdf5.h>\n')
        self.assert_clean(check_repository.plugins)
        self.write("plugins/a.c", '#include "base/memory.h"\n')
        self.assert_caught(check_repository.plugins, "plugins/a.c:1", "base/memory.h")
        self.write("plugins/a.c", "#include <dashpot/base.h>\n")
        self.assert_caught(check_repository.plugins, "plugins/a.c:1", "dashpot/base.h")

    def test_a_table_of_a_plugin_that_knows_the_library_is_caught(self):
        self.write("src/io/a_plugin.h", '#include "base/memory.h"\n')
        self.assert_caught(check_repository.plugins, "src/io/a_plugin.h:1", "base/memory.h")

    def test_an_include_by_a_relative_path_is_caught(self):
        self.write("src/math/a.c", '#include "../sim/step.h"\n')
        self.assert_caught(check_repository.levels, "src/math/a.c:1", "../sim/step.h")

    def test_a_public_header_of_a_higher_level_is_caught(self):
        self.write("src/dynamics/a.c", "#include <dashpot/model.h>\n#include <dashpot/sim.h>\n")
        self.assert_caught(check_repository.levels, "src/dynamics/a.c:2", "level 7")

    def test_a_public_header_without_a_level_is_caught(self):
        self.write("src/sim/a.c", "#include <dashpot/advanced/new.h>\n")
        self.assert_caught(check_repository.levels, "src/sim/a.c:1", "has no level")

    def test_an_unknown_folder_is_caught(self):
        self.write("src/misc/a.c", "")
        self.assert_caught(check_repository.levels, "src/misc")

    def test_another_library_in_the_wrong_folder_is_caught(self):
        self.write("src/model/a.c", "#include <expat.h>\n")
        self.assert_caught(check_repository.levels, "expat.h", "src/io")

    def test_a_program_that_includes_an_inner_header_is_caught(self):
        self.write("cli/own.h", "")
        self.write("cli/main.c", '#include "own.h"\n#include "math/vector.h"\n')
        self.assert_caught(check_repository.outside, "cli/main.c:2")

    def test_a_command_that_includes_another_is_caught(self):
        self.write("cli/run/run.h", "")
        self.write("cli/common/text.h", "")
        self.write("cli/check/check.c", '#include "common/text.h"\n#include "run/run.h"\n')
        self.assert_caught(check_repository.outside, "cli/check/check.c:2")

    def test_what_commands_share_that_includes_a_command_is_caught(self):
        self.write("cli/run/run.h", "")
        self.write("cli/common/text.c", '#include "run/run.h"\n')
        self.assert_caught(check_repository.outside, "cli/common/text.c:1", "common")

    def test_a_study_that_includes_a_command_is_caught(self):
        self.write("cli/run/run.h", "")
        self.write("studies/a/figure.c", '#include "run/run.h"\n')
        self.assert_caught(check_repository.outside, "studies/a/figure.c:1")

    def test_a_check_of_the_auditor_that_knows_the_library_is_caught(self):
        self.write("tests/audit/own.h", "")
        self.write("tests/audit/audit_record.c", "#include <dashpot/base.h>\n")
        self.write("tests/audit/check_a.c", '#include "own.h"\n#include <math.h>\n')
        self.assert_clean(check_repository.audit)
        self.write("tests/audit/check_a.c", "#include <dashpot/base.h>\n")
        self.assert_caught(check_repository.audit, "tests/audit/check_a.c:1")
        self.write("tests/audit/check_a.c", '#include "math/vector.h"\n')
        self.assert_caught(check_repository.audit, "tests/audit/check_a.c:1")

    def test_a_public_header_that_includes_an_inner_one_is_caught(self):
        self.write("include/dashpot/a.h", "#include <dashpot/base.h>\n#include <math/vector.h>\n")
        self.assert_caught(check_repository.public, "include/dashpot/a.h:2")

    def test_a_second_file_of_the_same_name_is_caught(self):
        self.write("src/sim/vector.h", "")
        self.assert_caught(check_repository.names, "vector.h")

    def test_a_folder_without_a_readme_is_caught(self):
        self.write("src/sim/a.c", "")
        self.assert_caught(check_repository.readmes, "src/sim")

    def test_a_citation_without_an_entry_is_caught(self):
        self.write("src/math/a.c", "// [Newton1687, lemma 3] and [Euler1950; p. 2], but [Gauss1829]\n")
        self.assert_caught(check_repository.citations, "src/math/a.c:1", "Gauss1829")

    def test_a_machine_path_and_an_unfinished_mark_are_caught(self):
        self.write("docs/a.md", "see /" + "home/someone/dashpot\n")
        self.assert_caught(check_repository.paths, "docs/a.md:1")
        self.write("docs/a.md", "\nTO" + "DO: explain\n")
        self.assert_caught(check_repository.paths, "docs/a.md:2")

    def test_a_dead_link_is_caught(self):
        self.write("docs/README.md", "# Top: `a` and b\n")
        self.write("docs/a.md", "[here](README.md#top-a-and-b), [web](https://example.org), [gone](gone.md)\n")
        self.assert_caught(check_repository.links, "gone.md")
        self.write("docs/a.md", "# One\n[below](#two) [above](#one) [there](README.md)\n")
        self.assert_caught(check_repository.links, "docs/a.md:2", "#two")

    def test_a_constant_outside_of_its_header_is_caught(self):
        header, source = "src/solve/contact/constants.h", "src/solve/contact/a.c"
        self.write(header, "/// [1] Of a step.\n#define DP_PART 0.3\n")
        self.write(source, "x = 0.5 * y + 2.0 * DP_PART; // 0.3 of it\n")
        self.assert_clean(check_repository.constants)
        self.write(source, "if (y < 1e-3 * x) {\n")
        self.assert_caught(check_repository.constants, "a.c:1", "1e-3")
        self.write(source, "static const double PART = 0.5;\n")
        self.assert_caught(check_repository.constants, "a.c:1", "of its own")
        self.write(source, "")
        self.write(header, "#define DP_PART 0.3\n")
        self.assert_caught(check_repository.constants, "constants.h:1", "reason")

    def test_a_listing_that_differs_from_its_example_is_caught(self):
        self.write("examples/a.c", "int main(void)\n{\n    // listing: core\n    int x;\n    // end\n}\n")
        self.write("README.md", "<!-- examples/a.c: core -->\n```c\nint x;\n```\n")
        self.assert_clean(check_repository.listings)
        self.write("README.md", "<!-- examples/a.c: core -->\n```c\nint y;\n```\n")
        self.assert_caught(check_repository.listings, "README.md:1", "differs")
        self.write("README.md", "text\n\n```c\nint y;\n```\n")
        self.assert_caught(check_repository.listings, "README.md:3", "no example")

    def test_prose_that_is_not_wrapped_is_caught_and_wrapping_mends_it(self):
        long = "word " * 30
        table, listing, link = f"| {long}|\n", f"```\n{long}\n```\n", f"[{'a' * 60}](README.md#{'b' * 60})\n"
        self.write("docs/a.md", table + listing + link + f"\n    {long}\n")
        self.assert_clean(check_repository.prose)
        for text in [f"{long}\n", f"* {long}\n", f"* item\n  {long}\n"]:
            self.write("docs/a.md", text)
            self.assert_caught(check_repository.prose, "docs/a.md:", "100 columns")
            wrapped = wrap_prose.wrap(text)
            self.assertEqual(wrapped.split(), text.split())
            self.assertEqual(wrapped, wrap_prose.wrap(wrapped))
            self.write("docs/a.md", wrapped)
            self.assert_clean(check_repository.prose)

    def test_wrapping_starts_no_line_with_the_mark_of_a_list(self):
        for mark in ["+", "-", "*", ">", "#", "12."]:
            for before in range(80, 100):
                lines = wrap_prose.wrap("x" * before + f" {mark} " + "word " * 20).split("\n")
                self.assertFalse(any(line.startswith(mark) for line in lines), lines)

    def test_a_denied_phrase_is_caught_over_a_line_break_but_not_in_a_listing(self):
        self.write("tools/deny_words.txt", "# comment\nin lieu of => instead of\n")
        self.write("docs/a.md", "```\nin lieu of\n```\n`in lieu of`\n")
        self.assert_clean(check_repository.words)
        self.write("docs/a.md", "one\nIn\nlieu of two\n")
        self.assert_caught(check_repository.words, "docs/a.md:2", "in lieu of", "instead of")

    def compile(self, path, text, *flags):
        self.write(path, text)
        output = self.root / (path + ".o")
        source = self.root / path
        subprocess.run(["cc", "-O2", "-fPIC", *flags, "-o", output, source], check=True)
        return output

    def test_calls_that_the_library_must_not_make_are_caught(self):
        text = (
            "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
            'double f(double x)\n{\n    printf("%g", x);\n    return sin(sqrt(x)) + *(double *)malloc(8);\n}\n'
        )
        output = self.compile("src/dynamics/a.c", text, "-c")
        self.write("objects", str(output))
        violations = list(check_symbols.calls(self.root, self.root / "objects"))
        self.assertEqual(len(violations), 3, violations)
        for name in ["printf", "sin", "malloc"]:
            self.assertTrue(any(f"src/dynamics/a.c: calls {name}," in v for v in violations), violations)

    def test_an_unmarked_or_missing_symbol_is_caught(self):
        self.write("include/dashpot/a.h", "DP_API int dp_there(void);\nDP_API int *dp_missing(int a);\n")
        output = self.compile(
            "src/sim/a.c", "int dp_there(void) { return 0; }\nint dp_stray(void) { return 1; }\n", "-shared"
        )
        violations = list(check_symbols.exports(self.root, output))
        self.assertEqual(len(violations), 2, violations)
        self.assertIn("dp_stray", violations[0])
        self.assertIn("dp_missing", violations[1])


if __name__ == "__main__":
    unittest.main()
