"""The feature report counts parts that are named by tests which ran and passed, and only those."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

from features import gather, read_features  # noqa: E402
from results import FAILED, PASSED, SKIPPED, Result  # noqa: E402
from sources import Source, read_sources  # noqa: E402

TABLE = """
| id | feature | parts |
| --- | --- | --- |
| A01 | Register | |
| B06 | Long text |
| C04 | Presence, live and gone | live, gone |
"""
SWIFT = "Tests/A/A.swift"


class FeatureTests(unittest.TestCase):
    def counts(self, *sources):
        features, strays = gather(TABLE, [Source(path, text) for path, text in sources])
        return {feature.id: [len(tests) for tests in feature.parts.values()] for feature in features}, strays

    def test_a_swift_test_proves_by_its_title(self):
        text = '@Test("B06 long text survives")\n@Test(\n    "A01, B06 both", arguments: [1])\n@Test("says B06 later")\n'
        self.assertEqual(self.counts((SWIFT, text)), ({"A01": [1], "B06": [2], "C04": [0, 0]}, []))

    def test_a_python_test_proves_by_its_name_or_docstring(self):
        text = 'def test_A01_register(self):\n    pass\ndef test_gone(self):\n    """B06 C04.gone It vanishes."""\n'
        self.assertEqual(
            self.counts(("Tests/Scenarios/test_a.py", text)), ({"A01": [1], "B06": [1], "C04": [0, 1]}, []))

    def test_a_shell_scenario_says_what_it_proves(self):
        text = "#!/usr/bin/env bash\n# proves: A01 C04.live\n"
        self.assertEqual(self.counts(("Tests/Scenarios/a.sh", text)), ({"A01": [1], "B06": [0], "C04": [1, 0]}, []))

    def test_the_id_alone_proves_no_part_of_a_row_with_parts(self):
        self.assertEqual(self.counts((SWIFT, '@Test("C04 vanishes")'))[0]["C04"], [0, 0])

    def test_no_source_outside_of_the_tests_proves_anything(self):
        self.assertEqual(self.counts(("Sources/A/A.swift", '@Test("B06 x")'))[0]["B06"], [0])

    def test_an_unknown_id_or_part_is_reported(self):
        _, strays = self.counts((SWIFT, '@Test("N99 x")\n@Test("C04.late y")\n@Test("A01.part z")'))
        self.assertEqual(strays, [
            "N99: Tests/A/A.swift: N99 x", "C04.late: Tests/A/A.swift: C04.late y", "A01.part: Tests/A/A.swift: A01.part z"])

    def open_parts(self, text: str, *results: Result):
        features, _ = gather(TABLE, [Source(SWIFT, text)])
        found = {result.test: result for result in results}
        return {feature.id: feature.open_parts(found) for feature in features}

    def test_a_title_without_a_run_proves_nothing(self):
        self.assertEqual(self.open_parts('@Test("A01 x")')["A01"], {"": "its test did not run"})

    def test_a_skipped_or_failed_test_proves_nothing(self):
        text, name = '@Test("A01 x")', f"{SWIFT}: A01 x"
        self.assertEqual(self.open_parts(text, Result(name, SKIPPED, "no browser"))["A01"], {"": "skipped: no browser"})
        self.assertEqual(self.open_parts(text, Result(name, FAILED))["A01"], {"": f"failed: {name}"})
        self.assertEqual(self.open_parts(text, Result(name, PASSED))["A01"], {})

    def test_one_failure_outweighs_what_passed(self):
        text = '@Test("A01 x")\n@Test("A01 y")'
        results = (Result(f"{SWIFT}: A01 x", PASSED), Result(f"{SWIFT}: A01 y", FAILED))
        self.assertEqual(self.open_parts(text, *results)["A01"], {"": f"failed: {SWIFT}: A01 y"})

    def test_every_part_needs_a_test_of_its_own(self):
        text = '@Test("C04.live x")'
        self.assertEqual(self.open_parts(text, Result(f"{SWIFT}: C04.live x", PASSED))["C04"], {"gone": "no test"})

    def test_the_table_of_features_is_whole(self):
        features = read_features((ROOT / "docs/features.md").read_text())
        ids = [feature.id for feature in features]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual({id[0] for id in ids}, set("ABCDEFGHIJKLMNOPQRSXY"))

    def test_no_test_of_the_project_names_what_no_row_has(self):
        self.assertEqual(gather((ROOT / "docs/features.md").read_text(), read_sources(ROOT))[1], [])


if __name__ == "__main__":
    unittest.main()
