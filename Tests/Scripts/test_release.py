"""What `Scripts/release` refuses, and what it writes, in a repository of its own."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = "Sources/parley/Version.swift"
CHANGES = "# Changes\n\n## Unreleased\n\n### New\n\n- A thing.\n\n## 0.1.0 (2026-01-01)\n\n- The first.\n"


class ReleaseTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "Scripts").mkdir()
        (self.folder / "Sources/parley").mkdir(parents=True)
        shutil.copy(ROOT / "Scripts/release", self.folder / "Scripts")
        (self.folder / VERSION).write_text('enum Version {\n    static let text = "0.1.0"\n}\n')
        (self.folder / "CHANGELOG.md").write_text(CHANGES)
        self.git("init", "--quiet")
        self.commit()

    def git(self, *words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *words], cwd=self.folder, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A commit")

    def release(self, *words: str) -> tuple[int, str]:
        done = subprocess.run([self.folder / "Scripts/release", *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_a_prepared_version_can_be_released_and_stands_in_one_place_and_the_list(self):
        self.assertEqual(self.release("prepare", "0.2.0")[0], 0)
        self.assertIn('"0.2.0"', (self.folder / VERSION).read_text())
        self.assertRegex((self.folder / "CHANGELOG.md").read_text(), r"## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n### New")
        self.assertIn("uncommitted", self.release("check")[1])
        self.commit()
        self.assertEqual(self.release("check"), (0, ""))

    def test_a_long_list_of_changes_is_read_to_its_end(self):
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n\n" + "- A thing.\n" * 50_000)
        self.commit()
        self.assertEqual(self.release("prepare", "0.2.0")[0], 0)

    def test_the_place_of_the_version_is_as_the_scripts_read_it(self):
        self.assertRegex((ROOT / VERSION).read_text(), r'(?m)^    static let text = "\d+\.\d+\.\d+"$')

    def test_a_version_is_released_once(self):
        self.release("prepare", "0.2.0")
        self.commit()
        self.git("tag", "v0.2.0")
        self.assertEqual(self.release("check"), (1, "Scripts/release: the tag v0.2.0 is there already\n"))

    def test_changes_that_belong_to_no_version_are_not_released(self):
        self.assertIn("under 'Unreleased'", self.release("check")[1])
        self.assertIn("has 0.1.0 already", self.release("prepare", "0.1.0")[1])
        self.assertIn("not of the form", self.release("prepare", "v2")[1])
        (self.folder / "CHANGELOG.md").write_text("# Changes\n\n## Unreleased\n")
        self.assertIn("has nothing under 'Unreleased'", self.release("prepare", "0.2.0")[1])


if __name__ == "__main__":
    unittest.main()
