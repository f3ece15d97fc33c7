"""docs/limits.md says of every limit what the sources say, with the option where there is one."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

import limits  # noqa: E402

SOURCE = """
package struct CupSettings {
    /// So many cups stand on one table.
    package var maximumCups = 1_000
    package var pourTimeout = Duration.seconds(10)
    private static let maximumSaucers = 4 << 10
    package var colour = 3

    func pour() {
        let maximumHere = 5
    }

    struct Spoon {
        let maximumSugar = 2
    }
}

extension CupSettings {
    static let maximumCakes = 7
}
"""


class LimitsPage(unittest.TestCase):
    def test_P15_the_page_is_what_the_sources_say(self):
        """P15.table"""
        self.assertEqual(limits.TARGET.read_text(), limits.page(), "run Scripts/limits")

    def test_P15_an_option_is_named_beside_the_constant_that_it_sets(self):
        """P15.table"""
        text = limits.page()
        self.assertIn("| One file | `2 << 30` | `FileSettings.maximumBytes` | `--largest-file` |", text)
        self.assertIn("| `--files-per-user` | Storage for the files of one user | `FileAllowance.bytes` |", text)
        self.assertGreater(text.count("\n| "), 500)

    def test_P15_a_limit_is_found_with_its_words_and_nothing_else_is(self):
        """P15.table"""
        with tempfile.NamedTemporaryFile("w", suffix=".swift", dir=ROOT / "Sources" / "Vocabulary") as file:
            file.write(SOURCE)
            file.flush()
            rows = limits.read(Path(file.name), {"CupSettings.colour"})
        self.assertEqual(
            [(row["constant"], row["value"], row["words"]) for row in rows],
            [("CupSettings.maximumCups", "1,000", "So many cups stand on one table"),
             ("CupSettings.pourTimeout", ".seconds(10)", "pour timeout"),
             ("CupSettings.maximumSaucers", "4 << 10", "maximum saucers"),
             ("CupSettings.colour", "3", "colour"),
             ("CupSettings.Spoon.maximumSugar", "2", "maximum sugar"),
             ("CupSettings.maximumCakes", "7", "maximum cakes")])


if __name__ == "__main__":
    unittest.main()
