"""What a package is made of, as far as no package has to be made for it. `Scripts/package verify` installs one."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from server import TIMEOUT, ROOT, Server, binary

PARTS = ROOT / "Scripts/package.d"


def run(*words: str) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PARLEY_")}
    return subprocess.run([binary(), *words], capture_output=True, text=True, timeout=TIMEOUT, env=environment, check=False)


class ConfigurationFileTests(unittest.TestCase):
    def test_P08_a_configuration_file_to_begin_with_has_every_option_of_the_server(self):
        """P08.options"""
        shown = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", run("help", "serve").stdout.split("EXAMPLES")[0], re.MULTILINE))
        named = re.findall(r"^#([a-z-]+) = \S", run("config").stdout, re.MULTILINE)
        self.assertEqual(sorted(named), sorted(shown - {"config", "help"}))

    def test_P08_the_file_as_it_stands_is_taken(self):
        """P08.taken"""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "parley.conf")
            file.write_text(run("config").stdout)
            done = run("check", "config", "--config", str(file), "--data", folder, "--listen", "127.0.0.1:0",
                       "--admin", "127.0.0.1:0", "--stun", "off")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


    def test_the_file_of_the_manifests_is_taken(self):
        documents = yaml.safe_load_all((PARTS / "kubernetes.yaml").read_text())
        text = next(document for document in documents if document["kind"] == "ConfigMap")["data"]["parley.conf"]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "parley.conf")
            file.write_text(text)
            done = run("check", "config", "--config", str(file), "--data", folder, "--listen", "0.0.0.0:0", "--admin", "127.0.0.1:0")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class HealthTests(unittest.TestCase):
    def test_P09_a_health_check_tells_a_server_that_is_ready_from_none(self):
        with Server(testing=False, doors=False) as server:
            admin = "{}:{}".format(*server.admin)
            for words in ([], ["--live"]):
                done = run("check", "health", "--admin", admin, *words)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = run("check", "health", "--admin", admin)
        self.assertEqual(done.returncode, 69)
        self.assertIn(f"no server at {admin}", done.stderr)


class UnitTests(unittest.TestCase):
    def test_P08_systemd_understands_every_line_of_the_units(self):
        """P08.units"""
        with tempfile.TemporaryDirectory() as folder:
            for unit in ("parley.service", "parley.socket"):
                # The program is not installed here, and its manual page is not either.
                text = (PARTS / unit).read_text().replace("/usr/bin/parley", "/bin/true").replace("Documentation=man:parley(1)\n", "")
                Path(folder, unit).write_text(text)
            done = subprocess.run(
                ["systemd-analyze", "verify", "--man=no", *(str(path) for path in Path(folder).iterdir())],
                capture_output=True, text=True, check=False, env=os.environ | {"SYSTEMD_UNIT_PATH": f"{folder}:"})
        said = [line for line in done.stderr.splitlines() if folder in line]
        self.assertEqual((said, done.returncode), ([], 0), done.stderr)


if __name__ == "__main__":
    unittest.main()
