"""The floor check accepts a house whose imports run downwards, and nothing else."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

from floors import misplaced, undeclared  # noqa: E402
from sources import Source  # noqa: E402


def target(name, *dependencies, folder="Sources"):
    return {"name": name, "path": f"{folder}/{name}", "target_dependencies": list(dependencies)}


class FloorTests(unittest.TestCase):
    floors = {"Bytes": 1, "Web": 2, "SDP": 2}

    def complaints(self, *targets):
        return list(misplaced(list(targets), self.floors))

    def test_an_import_that_runs_downwards_is_fine(self):
        tests = target("WebTests", "Web", "TestSupport", folder="Tests")
        support = target("TestSupport", "Bytes", folder="Tests")
        self.assertEqual(self.complaints(target("Bytes"), target("Web", "Bytes"), target("SDP"), support, tests), [])

    def test_sideways_and_upwards_are_refused(self):
        found = self.complaints(target("Bytes", "Web"), target("Web", "SDP"), target("SDP"))
        self.assertEqual(len(found), 2)
        self.assertIn("`Bytes` depends on `Web` (floor 1 and floor 2)", found[0])

    def test_every_room_has_a_floor_and_every_floor_its_rooms(self):
        found = self.complaints(target("Bytes"), target("Web"), target("Attic"))
        self.assertEqual(len(found), 2)
        self.assertIn("no room `SDP`", found[0])
        self.assertIn("`Attic` has no floor", found[1])

    def test_no_room_uses_what_stands_beside_the_house(self):
        support = target("TestSupport", folder="Tests")
        found = self.complaints(target("Bytes"), target("Web", "TestSupport"), target("SDP"), support)
        self.assertIn("beside the house", found[0])

    def test_a_room_may_be_built_by_a_plugin(self):
        plugin = target("Brush", folder="Scripts") | {"type": "plugin"}
        self.assertEqual(self.complaints(target("Bytes"), target("Web", "Bytes", "Brush"), target("SDP"), plugin), [])

    def test_an_import_has_to_be_declared(self):
        text = "package import Bytes\n@testable import SDP\nimport struct Web.Frame\nimport Glibc\n// import SDP\n"
        rooms = {"Bytes", "Web", "SDP"}
        found = list(undeclared(target("Web", "Bytes"), rooms, Source("Sources/Web/a.swift", text)))
        self.assertEqual(len(found), 1)
        self.assertIn("a.swift:2: `SDP`", found[0])


if __name__ == "__main__":
    unittest.main()
