import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from house import House
from people import Person, VOUCHED
from server import Server, binary
from torture import StoreTorture


class Torture(unittest.TestCase):
    def test_D04_D21_E09_nothing_that_was_acknowledged_is_lost_when_the_server_is_killed(self):
        torture = StoreTorture(kills=6, seed=7)
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 50)
        self.assertGreater(found["retries"], 0)


class Backup(House):
    def test_a_copy_is_made_while_people_write(self):
        a, b = self.person("A"), self.person("B")
        place = a.ask("chat.send", user=b.user, body={"text": "kept"})["conversation"]
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy.db"
            command = [binary(), "backup", copy, "--data", self.server.data]
            answer = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(copy.stat().st_mode & 0o777, 0o600)
            with sqlite3.connect(copy) as database:
                rows = database.execute(
                    "SELECT body FROM entries e JOIN conversations c ON c.number = e.id >> 32 WHERE c.id = ?", [place])
                self.assertEqual([bytes(row[0]) for row in rows], [b'{"text": "kept"}'])
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 73)
            self.assertNotIn("error", a.ask("chat.send", user=b.user, body={"text": "and on"}))

    def test_a_copy_of_nothing_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [binary(), "backup", f"{folder}/copy.db", "--data", folder]
            answer = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(answer.returncode, 66)
            self.assertFalse(Path(folder, "copy.db").exists())


class Damage(unittest.TestCase):
    def test_a_damaged_file_is_named_and_left_alone(self):
        with Server(*VOUCHED, testing=False) as server:
            with Person(server, "A") as a:
                a.ask("chat.send", user=a.user, body={"text": "x"})
            server.tell(15)
            self.assertEqual(server.wait(), 0)
            path = Path(server.data) / "parley.db"
            damaged = b"this is no database" + path.read_bytes()[19:]
            path.write_bytes(damaged)
            answer = subprocess.run(
                [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data",
                 server.data], capture_output=True, text=True, timeout=20)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn("parley.db", answer.stderr)
            self.assertEqual(path.read_bytes()[:19], b"this is no database")


if __name__ == "__main__":
    unittest.main()
