import resource
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from people import VOUCHED, Person
from server import Server, binary, of_one_process
from talk import Talk
from test_files import Files


def check(data: str) -> subprocess.CompletedProcess:
    return subprocess.run([binary(), "check", "--data", data], capture_output=True, text=True)


class FullDiskTests(Talk):
    """The disk is made small by a limit on the size of any file of the server."""

    def limit(self, count: int) -> None:
        resource.prlimit(self.server.process.pid, resource.RLIMIT_FSIZE, (count, resource.RLIM_INFINITY))

    def test_a_full_disk_is_told_and_loses_nothing(self):
        a, b = self.person("A"), self.listener("B")
        place = self.say(a, "before", user=b.user)["conversation"]
        # Nothing that is in the log already fits once more.
        self.limit(4096)
        refused = 0
        for number in range(20):
            refused += a.error("chat.send", conversation=place, body={"text": f"{number}" * 5000}, id=f"m-{number}") == "unavailable"
        self.assertGreater(refused, 0)
        self.limit(1 << 40)
        for number in range(20):
            a.ask("chat.send", conversation=place, body={"text": f"{number}" * 5000}, id=f"m-{number}")
        entries = a.ask("chat.history", conversation=place, limit=200)["entries"]
        self.assertEqual([entry["number"] for entry in entries], list(range(1, 22)))
        self.assertEqual({entry.get("client") for entry in entries[1:]}, {f"m-{number}" for number in range(20)})
        self.assertEqual(len({entry["number"] for entry in b.heard("chat.entry")}), 21)
        self.server.restart()
        self.assertEqual(check(self.server.data).returncode, 0)


class DamagedFileTests(unittest.TestCase):
    def start(self, data: str) -> subprocess.CompletedProcess:
        command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", data]
        return subprocess.run(command, capture_output=True, text=True, timeout=20)

    def test_a_damaged_database_is_named_and_left_alone(self):
        with Server(*VOUCHED, testing=False) as server:
            server.end()
            path = Path(server.data, "parley.db")
            for name in ("parley.db-wal", "parley.db-shm"):
                Path(server.data, name).unlink(missing_ok=True)
            for damage in (b"not a database at all" * 1000, b"SQLite format 3\0" + b"\xff" * 5000):
                path.write_bytes(damage)
                done = self.start(server.data)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("parley.db", done.stderr)
                self.assertIn("no sound database", done.stderr)
                self.assertEqual(path.read_bytes(), damage)

    def test_a_database_of_a_newer_program_is_left_alone(self):
        with Server(*VOUCHED, testing=False) as server:
            server.end()
            with sqlite3.connect(Path(server.data, "parley.db")) as database:
                database.execute("PRAGMA user_version = 999")
            done = self.start(server.data)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("newer than this program", done.stderr)


@of_one_process
class CheckTests(Files):
    def test_what_is_damaged_or_missing_is_found(self):
        a, b = self.person("A"), self.person("B")
        for number in range(3):
            place = self.say(a, str(number), user=b.user)["conversation"]
        self.bring(a, b"hello")
        self.assertIn("all is well", check(self.server.data).stdout)
        self.server.end()
        blob = self.kept()[0]
        blob.write_bytes(b"hell")
        self.assertIn("4 bytes instead of 5", check(self.server.data).stdout)
        blob.unlink()
        self.assertIn("is missing", check(self.server.data).stdout)
        with sqlite3.connect(Path(self.server.data, "parley.db")) as database:
            database.execute("DELETE FROM entries WHERE id & 4294967295 = 2")
        done = check(self.server.data)
        self.assertEqual((done.returncode, done.stdout), (1, f"conversation {place} lacks an entry\n"))
        self.assertEqual(check("/nowhere").returncode, 66)


@of_one_process
class LookingInTests(unittest.TestCase):
    def test_what_is_acknowledged_after_somebody_looked_in_outlives_a_kill(self):
        with Server(*VOUCHED, testing=False) as server, tempfile.TemporaryDirectory() as folder:
            a = Person(server, "A")
            number = 0
            for command in (["backup", f"{folder}/copy"], ["check"]):
                self.assertNotIn("error", a.ask("chat.send", user=a.user, body={"text": "before"}))
                done = subprocess.run([binary(), *command, "--data", server.data], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                number = a.ask("chat.send", user=a.user, body={"text": "after"})["number"]
            a.link.close()
            server.restart()
            with Person(server, token=a.token) as back:
                (view,) = back.ask("chat.conversations")["conversations"]
            self.assertEqual(view["last"], number)


if __name__ == "__main__":
    unittest.main()
