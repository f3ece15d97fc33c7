"""The README, line by line: every command in it is run as it stands there.

Only names that a reader replaces are replaced (`WORDS`), and variables of the environment lead commands to the server of the
test. What comes without an end of its own is stopped once it does what it should."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from ports import free_port
from server import ROOT, TIMEOUT, Server, binary, eventually, of_one_process
from wire import ask_http

README = (ROOT / "README.md").read_text()
SECRET = "a-secret-of-this-test-alone-6b1d0c9e7f"
PASSWORD = "g00d-p4ssphrase"
#: What stands for something of the reader's own.
WORDS = {"SECRET": SECRET, "0.0.0.0:8443": "0.0.0.0:0", "[::]:443": "127.0.0.1:0"}


def commands() -> list[str]:
    """Every line of every block of shell commands."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def inline() -> list[str]:
    """Commands within sentences, and behind `also:`."""
    return sorted(set(re.findall(r"`(parley [a-z][^`]*)`", README)))


class ReadmeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="parley-readme-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.server = Server("--app", f"shop:{SECRET}", testing=False, doors=False)
        cls.addClassCleanup(cls.server.__exit__)
        (cls.folder / "bin").mkdir()
        os.symlink(binary(), cls.folder / "bin/parley")
        cls.words = WORDS | {"/var/lib/parley": cls.server.data, "/backup": str(cls.folder / "backup")}
        cls.make_files()
        cls.environment = os.environ | {
            "PATH": f"{cls.folder}/bin:{os.environ['PATH']}", "HOME": str(cls.folder),
            "XDG_CONFIG_HOME": str(cls.folder / "config"), "XDG_DATA_HOME": str(cls.folder / "data"),
            "PARLEY_SERVER": "http://{}:{}".format(*cls.server.address), "PARLEY_ADMIN": "{}:{}".format(*cls.server.admin),
        }
        token = cls.server_json("/v1/auth/token", {"application": "shop", "secret": SECRET, "user": "ci", "name": "CI"})
        cls.environment |= {"TOKEN": token["accessToken"], "PARLEY_TURN_SECRET": SECRET}

    @classmethod
    def server_json(cls, path: str, body: dict) -> dict:
        answer = ask_http(cls.server, "POST", path, body)
        assert answer.status == 200, answer.text
        return answer.json

    @classmethod
    def make_files(cls) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-keyout", "key.pem", "-out", "chain.pem"], cwd=cls.folder, check=True, capture_output=True)
        subprocess.run(
            ["sox", "-n", "-r", "48000", "-c", "1", "hello.wav", "synth", "2", "sine", "330"], cwd=cls.folder, check=True)
        for name, words in {"bot": "head -c 192000 /dev/zero", "ears": f"wc -c > {cls.folder}/heard"}.items():
            (cls.folder / "bin" / name).write_text(f"#!/bin/sh\n{words}\n")
            (cls.folder / "bin" / name).chmod(0o755)

    # How commands are run.

    def begin(self, line: str, **environment: str) -> subprocess.Popen:
        for word, mine in self.words.items():
            line = re.sub(rf"(?<![\w/$]){re.escape(word)}(?![\w.])", mine, line)
        process = subprocess.Popen(
            ["sh", "-c", line], cwd=self.folder, env=self.environment | environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process: subprocess.Popen) -> None:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def run_line(self, line: str, to: str = "", **environment: str) -> str:
        process = self.begin(line, **environment)
        out, err = process.communicate(to, timeout=TIMEOUT)
        self.assertEqual(process.returncode, 0, f"{line}\n{out}\n{err}")
        return out

    def serves(self, line: str) -> None:
        # The data directory of the line is in use by the server of this test.
        line = line.replace("/var/lib/parley", str(self.folder / "other"))
        own = {"PARLEY_DATA": tempfile.mkdtemp(dir=self.folder)} if "--data" not in line else {}
        # No test asks a real authority for anything.
        own |= {"PARLEY_ACME_DIRECTORY": "https://localhost:1/directory"} if "--acme" in line else {}
        process = self.begin(
            f"exec {line}", PARLEY_LISTEN="127.0.0.1:0", PARLEY_ADMIN="127.0.0.1:0", PARLEY_STUN="off",
            PARLEY_LOG_FORMAT="json", **own)
        if not any('"serve.ready"' in text for text in process.stderr):
            self.fail(f"{line}\nis not ready")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT), 0, line)


@of_one_process
class LineTests(ReadmeTests):
    """Each method takes the lines that begin with one of its words; a line that no method takes fails the test."""

    def test_O14_every_command_of_the_README_does_what_it_says(self):
        """O14.commands"""
        left = [line for line in commands() if not line.startswith("Scripts/")]
        for words, run in (
            ("parley serve", self.serves), ("parley help", self.run_line), ("parley register", self.registers),
            ("parley login", lambda line: self.run_line(line, f"{PASSWORD}\n")), ("parley users", self.run_line),
            ("parley rooms", self.run_line), ("parley token", self.tells_token), ("parley chat --as", self.run_line),
            ("parley group", self.run_line), ("parley chat", self.talks), ("parley send team", self.sends_to_team),
            ("parley history", self.run_line), ("parley backup", self.run_line), ("parley answer", self.echoes),
            ("parley call @echo", lambda line: None), ("parley call @alice", self.calls_alice), ("bot | parley", self.calls_alice),
            ("parley stun", self.looks_at_servers), ("PARLEY_TURN_SECRET=", self.looks_at_servers),
            ("parley voice", self.run_line), ("parley load", self.run_line),
        ):
            mine = [line for line in left if line.startswith(words)]
            left = [line for line in left if not line.startswith(words)]
            self.assertTrue(mine, f"no line begins with {words!r} any more")
            for line in mine:
                with self.subTest(line):
                    run(line)
        self.assertEqual(left, [], "lines that nobody runs")

    def registers(self, line: str) -> None:
        self.run_line(line, f"{PASSWORD}\n")
        # The other one of the README's lines, of whom it only says the name.
        self.run_line("parley register bobby", f"{PASSWORD}\n")

    def talks(self, line: str) -> None:
        self.run_line(line, "Hello\n")

    def tells_token(self, line: str) -> None:
        self.assertEqual(self.run_line(line).count("."), 2)

    def sends_to_team(self, line: str) -> None:
        # The program with the token is a member of the group.
        self.run_line("parley group add team @ci --as alice")
        self.run_line(line)

    def echoes(self, line: str) -> None:
        process = self.begin(f"exec {line}")
        call = next(line for line in commands() if line.startswith("parley call @echo"))
        eventually(lambda: '"name":"echo"' in self.run_line("parley users --json").replace(" ", ""), "the echo is there")
        self.run_line(call)
        process.send_signal(signal.SIGTERM)
        process.wait(TIMEOUT)

    def calls_alice(self, line: str) -> None:
        process = self.begin("exec parley answer --as alice --echo")
        eventually(lambda: '"name":"alice"' in self.run_line("parley users --json").replace(" ", ""), "Alice is there")
        self.run_line(line)
        process.send_signal(signal.SIGTERM)
        process.wait(TIMEOUT)

    def looks_at_servers(self, line: str) -> None:
        port = free_port()
        with Server("--stun", f"127.0.0.1:{port}", testing=False, doors=False):
            servers = {"iceServers": [{"urls": [f"stun:127.0.0.1:{port}"]}]}
            (self.folder / "ice-servers.json").write_text(json.dumps(servers))
            self.run_line(line.replace("stun.example.org", f"stun:127.0.0.1:{port}"))

    def test_O14_every_script_of_the_README_is_there_and_knows_the_name(self):
        """O14.scripts"""
        for line in (line for line in commands() if line.startswith("Scripts/")):
            script, *names = shlex.split(line, comments=True)
            with self.subTest(line):
                helped = subprocess.run([ROOT / script, "--help"], capture_output=True, text=True)
                self.assertEqual(helped.returncode, 0, helped.stderr)
                for name in names[:1]:
                    folder = ROOT / f"{script}.d"
                    known = {file.name for file in folder.iterdir()} if folder.is_dir() else helped.stdout + self.listed(script)
                    self.assertIn(name, known)

    def listed(self, script: str) -> str:
        return (ROOT / script).read_text() + " ".join(file.name for file in (ROOT / "Tests/Fuzz/corpus").iterdir())

    def test_O14_commands_within_sentences_exist(self):
        """O14.commands"""
        for line in inline():
            words = re.match(r"parley ([a-z]+)", line).group(1)
            with self.subTest(line):
                self.run_line(f"parley help {words}")

    def test_O14_links_of_the_README_and_the_docs_lead_somewhere(self):
        """O14.links"""
        pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
        for page in pages:
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if "://" in target:
                    continue
                path, _, anchor = target.partition("#")
                with self.subTest(f"{page.name}: {target}"):
                    led = (page.parent / path) if path else page
                    self.assertTrue(led.exists())
                    if anchor and led.suffix == ".md":
                        self.assertIn(anchor, anchors(led))


def anchors(page: Path) -> set[str]:
    text = page.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {*re.findall(r'<a id="([^"]+)">', text)} | {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
