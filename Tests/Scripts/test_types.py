"""What TypeScript says of parley.js."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A program that uses it, with one mistake.
PROGRAM = """/// <reference path="parley.d.ts" />
import { Parley, type Call } from 'parley';
const parley = new Parley();
const call: Call = await parley.ring('bob', { kind: 'audio' });
const level: number = parley.state;
"""


class TypesTests(unittest.TestCase):
    def setUp(self) -> None:
        if shutil.which("tsc") is None and os.environ.get("CI") != "true":
            self.skipTest("TypeScript (Debian: apt-get install node-typescript) is missing")

    def test_the_comments_of_parley_js_are_types_that_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "parley.d.ts")
            run = subprocess.run([ROOT / "Scripts" / "types", file], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
            self.assertEqual((ROOT / "docs" / "parley.d.ts").read_text(), file.read_text(), "run: Scripts/types docs/parley.d.ts")
            Path(folder, "program.ts").write_text(PROGRAM)
            check = subprocess.run(["tsc", "--noEmit", "--target", "es2022", "--module", "es2022", "program.ts"],
                                   cwd=folder, capture_output=True, text=True)
        self.assertIn("program.ts(5,7): error TS2322", check.stdout)
        self.assertEqual(check.stdout.count("program.ts"), 1, check.stdout)


if __name__ == "__main__":
    unittest.main()
