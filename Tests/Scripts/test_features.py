"""The feature report counts tests that exist, and only those."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

from features import gather, read_features  # noqa: E402
from sources import Source  # noqa: E402

TABLE = """
| id | feature |
| --- | --- |
| A01 | Register |
| B06 | Long text |
| C04 | Presence |
"""


class FeatureTests(unittest.TestCase):
    def proven(self, *sources):
        features, strays = gather(TABLE, [Source(path, text) for path, text in sources])
        return {feature.id: len(feature.tests) for feature in features}, strays

    def test_a_swift_test_proves_by_its_name(self):
        text = '@Test("B06 long text survives")\n@Test(\n    "A01, B06 both", arguments: [1])\n@Test("says B06 later")\n'
        self.assertEqual(self.proven(("Tests/A/A.swift", text)), ({"A01": 1, "B06": 2, "C04": 0}, []))

    def test_a_python_test_proves_by_its_name_or_docstring(self):
        text = 'def test_A01_register(self):\n    pass\ndef test_gone(self):\n    """C04 vanishes."""\n'
        self.assertEqual(self.proven(("Tests/Scenarios/test_a.py", text)), ({"A01": 1, "B06": 0, "C04": 1}, []))

    def test_a_shell_scenario_says_what_it_proves(self):
        text = "#!/usr/bin/env bash\n# proves: A01 C04\n"
        self.assertEqual(self.proven(("Tests/Scenarios/a.sh", text)), ({"A01": 1, "B06": 0, "C04": 1}, []))

    def test_sources_prove_nothing(self):
        self.assertEqual(self.proven(("Sources/A/A.swift", '@Test("B06 x")')), ({"A01": 0, "B06": 0, "C04": 0}, []))

    def test_an_unknown_id_is_reported(self):
        _, strays = self.proven(("Tests/A/A.swift", '@Test("N99 x")'))
        self.assertEqual(strays, ["N99: Tests/A/A.swift: N99 x"])

    def test_the_table_is_whole(self):
        ids = [feature.id for feature in read_features((ROOT / "docs/features.md").read_text())]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertEqual({id[0] for id in ids}, set("ABCDEFGHIJKLMN"))


if __name__ == "__main__":
    unittest.main()
