"""The backups of a PostgreSQL that docs/operations.md describes: its commands are carried out as they stand there."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import postgres
from people import VOUCHED, Person
from server import TIMEOUT, ROOT, Server, binary
from test_files import Files

SECTION = "### Backups of a PostgreSQL"


def blocks() -> list[str]:
    """The commands of the section, block by block."""
    text = (ROOT / "docs/operations.md").read_text().split(SECTION, 1)[1].split("\nScripts/torture", 1)[0].split("\n## ", 1)[0]
    return [block.strip() for block in re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)]


class Backups(Files):
    def setUp(self):
        self.database = self.enterContext(postgres.Postgres("fsync=off"))
        self.server = self.enterContext(Server(*VOUCHED, "--store", self.database.create("parley")))
        self.backup = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.a, self.b = self.enterContext(Person(self.server, "A")), self.enterContext(Person(self.server, "B"))
        said = [self.a.ask("chat.send", user=self.b.user, body={"text": f"word {n}"}) for n in range(50)]
        self.conversation = said[0]["conversation"]
        self.file = self.bring(self.a, b"what is kept")
        self.a.ask("chat.send", user=self.b.user, kind="file", body={"file": self.file})

    def carry_out(self, commands: str) -> None:
        """A block of the page, with the places of this test."""
        lines = [line.strip() for line in commands.splitlines() if not line.strip().startswith("parley serve ")]
        script = "\n".join(lines)
        script = re.sub(r"postgresql://\w+@db\.example\.org/(\w+)", lambda found: self.database.url(found[1]), script)
        script = script.replace("/var/lib/parley", self.server.data).replace("/backup", str(self.backup))
        script = re.sub(r"^parley ", f"{binary()} ", script, flags=re.MULTILINE)
        path = f"{postgres.programs()}:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-euxc", script], capture_output=True, text=True, timeout=TIMEOUT * 3, stdin=subprocess.DEVNULL,
            env=os.environ | {"PATH": path})
        self.assertEqual(done.returncode, 0, done.stderr)

    def all_is_back(self, store: str) -> None:
        """On a server that is started from the backup, for somebody who is still signed in."""
        with Server(*VOUCHED, "--store", store, data=str(self.backup)) as self.server, Person(self.server, token=self.a.token) as a:
            page = a.ask("chat.history", conversation=self.conversation, limit=200)["entries"]
            self.assertEqual([entry["number"] for entry in page], list(range(1, 52)))
            self.assertEqual([entry["body"].get("text") for entry in page[:50]], [f"word {n}" for n in range(50)])
            self.assertEqual(self.ask(a, "GET", f"/v1/files/{self.file}/content").body, b"what is kept")
            found = a.ask("chat.search", text="word 7", conversation=self.conversation)
            self.assertEqual([entry["number"] for entry in found["entries"]], [8])
            sent = a.ask("chat.send", conversation=self.conversation, body={"text": "further"})
            self.assertEqual(sent["number"], 52)

    def test_a_dump_comes_back_in_another_database(self):
        """X15.dump"""
        dump, restore, _ = blocks()
        self.carry_out(dump)
        self.a.ask("chat.send", user=self.b.user, body={"text": "too late for the dump"})
        self.carry_out(restore)
        self.all_is_back(self.database.url("parley_again"))

    def test_a_base_backup_comes_back_as_a_server_of_its_own(self):
        """X15.base"""
        self.carry_out(blocks()[2])
        with postgres.Postgres("fsync=off", backup=str(self.backup / "base")) as database:
            self.all_is_back(database.url("parley"))
