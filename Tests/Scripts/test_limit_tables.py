"""What the documents say of limits is tested, row by row."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

from sources import read_sources  # noqa: E402

ADVISORIES = (
    "2020-28481", "2020-36048", "2020-36049", "2022-2421", "2022-21676", "2022-41940", "2023-31125", "2023-32695",
    "2024-37890", "2024-38355", "2026-33151", "2026-45736", "2026-48779",
)


def rows(document: str) -> list[list[str]]:
    """The cells of the table under "Limits", without its head."""
    text = (ROOT / "docs" / document).read_text().split("\n## Limits\n")[1].split("\n## ")[0]
    table = [line.strip("|").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in table[2:]]


class LimitTableTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        tests = [source for source in read_sources(ROOT) if source.is_test]
        cls.scenarios = set()
        cls.titles = ""
        cls.text = ""
        for test in tests:
            if test.is_swift:
                cls.titles += "\n".join(re.findall(r'@Test\(\s*"([^"]*)"', test.text)) + "\n"
            cls.scenarios |= set(re.findall(r"def test_(\w+)\(", test.text))
            cls.text += test.text if "test_limit_tables" not in test.path else ""

    def has_test(self, row: str) -> bool:
        """A scenario of that name, or a test of a room whose title ends with it."""
        name = re.sub(r"[^a-z0-9]+", "_", row.lower().replace("'", ""))
        ends = tuple({name, f"the_limit_of_{name}"})
        return any(re.sub(r"^[A-Z]\d\d_", "", scenario) in ends for scenario in self.scenarios) or f": {row}\n" in self.titles

    def test_every_row_of_the_protocol_and_the_link_layer_has_a_test_of_its_name(self):
        for document in ("protocol.md", "link-layer.md"):
            for row in rows(document):
                with self.subTest(document):
                    self.assertTrue(self.has_test(row[0]), row[0])

    def test_every_row_of_the_operations_names_a_setting_and_the_setting_has_a_test(self):
        for row in rows("operations.md"):
            setting = re.fullmatch(r"`([\w.]+)`", row[-1])
            self.assertIsNotNone(setting, row)
            self.assertIn(f": {setting[1]}\n", self.titles, row)

    def test_a_row_without_a_test_is_found(self):
        self.assertFalse(self.has_test("what nobody ever thought of"))

    def test_every_finding_has_tests_that_are_there_and_name_it(self):
        files = {Path(source.path).stem: source.text for source in read_sources(ROOT) if source.is_test}
        table = (ROOT / "docs/security.md").read_text().split("\n| finding | what it was | tests |\n")[1].split("\n\n")[0]
        found = {}
        for line in table.splitlines()[1:]:
            name, _, tests = (cell.strip() for cell in line.strip("|").split(" | "))
            found[name] = re.findall(r"`(\w+)`", tests)
        self.assertEqual(
            set(found), {f"{kind}{number}" for kind, last in (("H", 4), ("M", 10), ("L", 14)) for number in range(1, last + 1)})
        for name, tests in found.items():
            with self.subTest(name):
                self.assertTrue(tests)
                self.assertLessEqual(set(tests), set(files))
                # What was kept as it is has tests of what holds instead.
                if name != "L13":
                    self.assertTrue(any(re.search(rf"(?<![A-Za-z0-9]){name}(?![0-9])", files[test]) for test in tests), name)

    def test_every_advisory_of_socket_io_has_a_test_by_name(self):
        for advisory in ADVISORIES:
            self.assertIn(f"CVE-{advisory}", self.text)


if __name__ == "__main__":
    unittest.main()
