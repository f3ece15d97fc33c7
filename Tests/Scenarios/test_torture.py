import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from background import repeated
from cluster_torture import ClusterTorture
from people import Person, VOUCHED
from push_torture import PushTorture
from server import Server, binary, of_one_process
from test_files import Files, gif
from torture import StoreTorture
from tree_torture import TreeTorture


@of_one_process
class Torture(unittest.TestCase):
    def test_D04_D21_E09_nothing_that_was_acknowledged_is_lost_when_the_server_is_killed(self):
        """D21.server D21.client"""
        torture = StoreTorture(kills=6, seed=7)
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 50)
        self.assertGreater(found["retries"], 0)
        self.assertGreaterEqual(found["heard"], found["acknowledged"])
        self.assertGreater(found["crashes"], 0)
        self.assertGreater(found["shown_again"], 0, "a reader crashed between showing and noting")

    def test_H01_each_message_to_somebody_who_sleeps_has_its_push_when_the_server_is_killed(self):
        """H01.kill"""
        torture = PushTorture(kills=4, seed=7)
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 40)
        self.assertGreater(found["pushes"], 40)

    def test_L05_nothing_that_was_written_into_the_tree_is_lost_when_the_server_is_killed(self):
        torture = TreeTorture(kills=5, seed=7)
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["written"], 50)
        self.assertGreater(found["left"], 10)

    def test_Y12_what_nodes_have_acknowledged_outlives_a_kill_and_a_rolling_restart(self):
        """Y12"""
        torture = ClusterTorture(kills=1, seed=7, faults={"kill": 1, "roll": 1})
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 20)
        self.assertGreater(found["room_acked"], 20)
        self.assertGreater(found["call_signals"], 2)
        self.assertGreater(found["roll_recovered"], 0)

    def test_Y12_what_nodes_have_acknowledged_outlives_a_partition(self):
        """Y12.partition"""
        torture = ClusterTorture(kills=1, seed=8, faults={"island": 1, "halves": 1})
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 20)
        self.assertGreater(found["livez_200"], 20)


@of_one_process
class Backup(Files):
    def backup(self, target: Path, source: str | None = None) -> subprocess.CompletedProcess:
        command = [binary(), "backup", target, "--data", source or self.server.data]
        return subprocess.run(command, capture_output=True, text=True)

    def blobs(self, folder: Path) -> set[str]:
        return {str(path.relative_to(folder)) for path in (folder / "files").rglob("*") if path.is_file()}

    def test_a_backup_goes_into_no_folder_with_other_things(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "secret").write_text("of somebody else")
        done = self.backup(folder)
        self.assertEqual(done.returncode, 73, done.stderr)
        self.assertIn("other things lie here", done.stderr)
        self.assertEqual([path.name for path in folder.iterdir()], ["secret"])
        self.assertEqual((folder / "secret").read_text(), "of somebody else")

    def test_a_server_goes_on_from_a_copy_that_was_made_while_people_write(self):
        a, b = self.person("A"), self.person("B")
        picture, sound = gif(900, 600), os.urandom(3 << 20)
        files = [self.bring(a, content) for content in (picture, sound)]
        for file, kind in zip(files, ("image", "file")):
            place = a.ask("chat.send", user=b.user, kind=kind, body={"file": file})["conversation"]
        copy = Path(self.enterContext(tempfile.TemporaryDirectory()), "copy")
        with repeated(lambda: self.sent(a, b, "on and on")):
            answer = self.backup(copy)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stdout, r"the database and [1-9][0-9]* files with 3[0-9]{6} bytes")
        self.assertEqual(copy.stat().st_mode & 0o777, 0o700)
        for name in ("parley.db", "secret"):
            self.assertEqual((copy / name).stat().st_mode & 0o777, 0o600)
        last = self.sent(a, b, "too late")["number"]
        with Server(*VOUCHED, testing=False, data=str(copy)) as restored:
            old, self.__class__.server = self.server, restored
            try:
                back = self.person(token=b.token)
                entries = self.everything(back, place, page=200)
                self.assertEqual([e["number"] for e in entries], list(range(1, len(entries) + 1)))
                self.assertLess(len(entries), last)
                for file, content in zip(files, (picture, sound)):
                    got = self.ask(back, "GET", f"/v1/files/{file}/content")
                    self.assertEqual((got.status, got.body), (200, content))
                self.assertEqual(self.ask(back, "GET", f"/v1/files/{files[0]}/thumbnail").status, 200)
                self.assertNotIn("error", back.ask("chat.send", conversation=place, body={"text": "going on"}))
            finally:
                self.__class__.server = old

    def sent(self, a: Person, b: Person, text: str) -> dict:
        """What acknowledges a message that is sent as soon as the rate of requests allows it."""
        while True:
            answer = a.ask("chat.send", user=b.user, body={"text": text})
            if "error" not in answer:
                return answer
            self.assertEqual(answer["error"]["code"], "rate_limited", answer)

    def test_a_second_copy_into_the_same_folder_brings_what_is_new_and_drops_what_is_gone(self):
        a = self.person("A")
        kept, gone = self.bring(a, b"kept" * 1000), self.bring(a, b"gone" * 1000)
        a.ask("chat.send", user=a.user, kind="file", body={"file": kept})
        copy = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.assertEqual(self.backup(copy).returncode, 0)
        first = self.blobs(copy)
        times = {name: (copy / name).stat().st_mtime_ns for name in first}
        self.bring(a, b"new" * 1000)
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{gone}").status, 204)
        self.assertEqual(self.backup(copy).returncode, 0)
        second = self.blobs(copy)
        self.assertTrue(second > first, "what is removed goes with the next sweep")
        self.assertEqual({name: (copy / name).stat().st_mtime_ns for name in first}, times, "and nothing twice")
        lost = copy / "files" / "ab" / ("0" * 62)
        lost.parent.mkdir(exist_ok=True)
        lost.write_bytes(b"x")
        self.assertEqual(self.backup(copy).returncode, 0)
        self.assertEqual(self.blobs(copy), second)
        found = subprocess.run([binary(), "check", "--data", copy], capture_output=True, text=True)
        self.assertIn("all is well", found.stdout)

    def test_what_is_damaged_or_missing_is_named_and_the_older_copy_stays(self):
        a = self.person("A")
        a.ask("chat.send", user=a.user, kind="file", body={"file": self.bring(a, b"first" * 1000)})
        copy = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.assertEqual(self.backup(copy).returncode, 0)
        before = (copy / "parley.db").read_bytes()
        self.bring(a, b"second" * 1000)
        for spoil, words in ((lambda p: p.write_bytes(b"damage" * 1000), "is not what its name says"), (Path.unlink, "is missing")):
            (path,) = {self.server_file(name) for name in self.blobs(Path(self.server.data)) - self.blobs(copy)}
            content = path.read_bytes()
            spoil(path)
            answer = self.backup(copy)
            self.assertEqual(answer.returncode, 1, answer.stdout)
            self.assertIn(words, answer.stderr)
            self.assertEqual((copy / "parley.db").read_bytes(), before)
            self.assertEqual(list(copy.glob("parley.db.*")), [])
            path.write_bytes(content)
        self.assertEqual(self.backup(copy).returncode, 0)

    def server_file(self, name: str) -> Path:
        return Path(self.server.data, name)

    def test_a_copy_of_nothing_or_into_a_running_server_is_refused(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.assertEqual(self.backup(folder / "copy", str(folder)).returncode, 66)
        self.assertFalse((folder / "copy").exists())
        (folder / "file").write_text("x")
        self.assertEqual(self.backup(folder / "file").returncode, 73)
        answer = self.backup(Path(self.server.data))
        self.assertEqual((answer.returncode, "a server works here" in answer.stderr), (73, True))


@of_one_process
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
