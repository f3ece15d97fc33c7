"""Everything a server keeps, carried from its data directory into PostgreSQL and back."""

import contextlib
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import postgres
from people import VOUCHED, Person
from server import TIMEOUT, Server, binary, eventually
from test_files import Files


def run(*words: str) -> tuple[int, str, str]:
    """What a command ends with, and what it says on its two streams."""
    done = subprocess.run([binary(), *words], capture_output=True, text=True, timeout=TIMEOUT * 3, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


class Move(Files):
    def setUp(self):
        # Begun with the file, whatever the others run on.
        self.enterContext(unittest.mock.patch.dict(os.environ, STORE=""))
        self.database = self.enterContext(postgres.Postgres("fsync=off"))
        self.url = self.database.create("parley")
        self.server = self.enterContext(Server(*VOUCHED))

    def person(self, name: str, **more) -> Person:
        return self.enterContext(Person(self.server, name, **more))

    def talk(self) -> tuple[Person, Person, str, str]:
        """Two people, the conversation they had, and a file that is shown in it."""
        a, b = self.person("A"), self.person("B")
        said = [a.ask("chat.send", user=b.user, body={"text": f"word {n} \\u00e4\\u4e2d"}) for n in range(120)]
        conversation = said[0]["conversation"]
        file = self.bring(a, b"a picture of nothing")
        a.ask("chat.send", user=b.user, kind="file", body={"file": file})
        a.ask("chat.edit", conversation=conversation, number=3, body={"text": "changed"})
        a.ask("chat.recall", conversation=conversation, number=4)
        b.ask("chat.read", conversation=conversation, number=50)
        return a, b, conversation, file

    def history(self, person: Person, conversation: str) -> list[dict]:
        page = person.ask("chat.history", conversation=conversation, limit=200)
        return [
            {name: entry.get(name) for name in ("number", "sender", "time", "body", "edited", "recalled")}
            for entry in page["entries"]
        ]

    def goes_on(self, a: Person, conversation: str, expected: list[dict], file: str) -> None:
        """On the server as it is now, with A's token."""
        with Person(self.server, token=a.token) as again:
            self.assertEqual(self.history(again, conversation), expected)
            self.assertEqual(self.ask(again, "GET", f"/v1/files/{file}/content").body, b"a picture of nothing")
            found = again.ask("chat.search", text="word 77", conversation=conversation)
            self.assertEqual([entry["number"] for entry in found["entries"]], [78])
            changed = again.ask("chat.search", text="changed", conversation=conversation)
            self.assertEqual([entry["number"] for entry in changed["entries"]], [3])
            sent = again.ask("chat.send", conversation=conversation, body={"text": "further"})
            self.assertEqual(sent["number"], expected[-1]["number"] + 1)

    def move(self, source: str, target: str, *more: str) -> dict:
        code, told, complaints = run("move", "--from", source, "--to", target, "--json", *more)
        self.assertEqual((code, complaints), (0, ""))
        return json.loads(told)

    def end(self) -> None:
        self.server.tell(15)
        self.server.wait()

    def test_a_server_goes_on_from_postgresql_and_back_from_its_data_directory(self):
        """X11 X11.back X12"""
        a, b, conversation, file = self.talk()
        expected = self.history(a, conversation)
        self.end()
        told = self.move(self.server.data, self.url)
        self.assertTrue(told["equal"])
        self.assertEqual((told["tables"]["entries"], told["conversations"], told["files"]), (len(expected), 1, 1))
        self.assertEqual(run("check", "--data", self.server.data, "--store", self.url)[0], 0)
        # Nothing in the directory is asked any more.
        Path(self.server.data, "parley.db").rename(Path(self.server.data, "before.db"))
        self.server.options += ["--store", self.url]
        self.server.begin()
        self.goes_on(a, conversation, expected, file)
        with Person(self.server, token=a.token) as again:
            expected = self.history(again, conversation)
        self.end()
        back = self.move(self.url, self.server.data)
        self.assertEqual(back["tables"]["entries"], len(expected))
        self.assertEqual(back["tables"].keys(), told["tables"].keys())
        self.server.options = self.server.options[:-2]
        self.server.begin()
        self.goes_on(a, conversation, expected, file)
        self.end()
        self.assertEqual(run("check", "--data", self.server.data)[0], 0)

    def test_a_target_that_has_data_and_a_place_where_a_server_works_are_left_alone(self):
        """X11.refusals"""
        self.talk()
        code, _, complaint = run("move", "--from", self.server.data, "--to", self.url)
        self.assertEqual(code, 69, complaint)
        self.assertIn("another parley serve", complaint)
        self.end()
        self.move(self.server.data, self.url)
        before = self.database.ask("SELECT count(*) FROM parley.entries", "parley")
        for source, target, code, word in (
            (self.server.data, self.url, 73, "there are data already"),
            (self.url, self.server.data, 73, "a database is here already"),
            (self.server.data, self.server.data, 64, "parley backup"),
            (self.url, self.url, 64, "pg_dump"),
            (tempfile.gettempdir(), self.url, 66, "no database"),
            (self.server.data, self.database.url("nowhere"), 69, "nowhere"),
            (self.server.data, "mysql://x/y", 64, "postgresql://"),
            (self.database.url("postgres"), tempfile.gettempdir(), 1, "no tables of Parley"),
        ):
            found, _, complaint = run("move", "--from", source, "--to", target)
            self.assertEqual(found, code, complaint)
            self.assertIn(word, complaint)
        self.assertEqual(self.database.ask("SELECT count(*) FROM parley.entries", "parley"), before)
        self.server.options += ["--store", self.url]
        with tempfile.TemporaryDirectory() as elsewhere:
            with Server(*VOUCHED, "--store", self.url):
                code, _, complaint = run("move", "--from", self.url, "--to", elsewhere)
                self.assertEqual(code, 69, complaint)
            code, _, complaint = run("move", "--from", self.url, "--to", elsewhere)
            self.assertEqual(code, 66, complaint)
            self.assertIn("1 of the 1 files", complaint)
            self.assertFalse(Path(elsewhere, "parley.db").exists())
            self.move(self.url, elsewhere, "--without-files")
            self.assertTrue(Path(elsewhere, "parley.db").exists())

    def test_a_database_is_held_to_the_same_rules_as_a_file(self):
        """X12.findings X12.refusals"""
        _, _, conversation, file = self.talk()
        self.end()
        words = ["check", "--data", self.server.data, "--store"]
        code, _, complaint = run(*words, self.url)
        self.assertEqual(code, 1)
        self.assertIn("no tables of Parley", complaint)
        self.assertEqual(run(*words, self.database.url("nowhere"))[0], 69)
        self.move(self.server.data, self.url)
        code, told, _ = run(*words, self.url)
        self.assertEqual(code, 0)
        self.assertIn(f"{self.server.data}: all is well", told)
        for change, finding in (
            ("DELETE FROM entries WHERE id & 4294967295 = 60", f"conversation {conversation} lacks an entry"),
            ("UPDATE files SET uses = 7", f"file {file} is not shown as often as is written"),
            ("INSERT INTO users (id, created, picture) VALUES ('x', 0, 'nothing')", "is no file"),
        ):
            self.database.ask(f"SET search_path TO parley; {change}", "parley")
            code, found, advice = run(*words, self.url)
            self.assertEqual(code, 1)
            self.assertIn(finding, found)
            self.assertIn("latest backup", advice)
        next(path for path in Path(self.server.data, "files").rglob("*") if path.is_file()).unlink()
        self.assertIn("is missing", run(*words, self.url)[1])
        self.database.ask("UPDATE parley.versions SET own = own - 1", "parley")
        self.assertIn("older form", run(*words, self.url)[2])
        self.database.ask("UPDATE parley.versions SET own = own + 100", "parley")
        self.assertIn("newer than this program", run(*words, self.url)[2])

    def fill(self, count: int) -> None:
        """So many messages more in the one conversation there is, past the server."""
        with contextlib.closing(sqlite3.connect(Path(self.server.data, "parley.db"))) as file, file:
            last, counted, sender = file.execute("SELECT max(id), max(counted), min(sender) FROM entries").fetchone()
            rows = ((last + n, counted + n, 0, sender, n, json.dumps({"text": f"filling {n}"}).encode())
                    for n in range(1, count + 1))
            file.executemany(
                "INSERT INTO entries (id, counted, sort, sender, time, kind, body) VALUES (?, ?, ?, ?, ?, 'text', ?)", rows)

    def test_a_move_that_was_interrupted_is_begun_again(self):
        """X11.again"""
        self.talk()
        self.end()
        self.fill(20_000)
        words = [binary(), "move", "--from", self.server.data, "--to", self.url]
        for kill in (self.database.kill, None):
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            eventually(self.is_under_way, "rows are copied")
            if kill:
                kill()
                self.assertIn("the target is as it was", process.communicate(timeout=TIMEOUT)[1])
                self.assertEqual(process.returncode, 1)
                self.database.start()
            else:
                process.kill()
                process.communicate(timeout=TIMEOUT)
        self.assertEqual(self.database.ask("SELECT count(*) FROM parley.entries", "parley"), "0")
        self.assertTrue(self.move(self.server.data, self.url)["equal"])
        with tempfile.TemporaryDirectory() as target:
            shutil.copytree(Path(self.server.data, "files"), Path(target, "files"))
            # What an interrupted one leaves behind is thrown away.
            Path(target, "parley.db.moving").write_bytes(b"half of a database")
            self.assertTrue(self.move(self.url, target)["equal"])
            self.assertEqual(list(Path(target).glob("*.moving*")), [])
            self.assertEqual(run("check", "--data", target)[0], 0)

    def is_under_way(self) -> bool:
        """Pages are written, though nobody sees the rows in them yet."""
        size = "SELECT coalesce(pg_relation_size(to_regclass('parley.entries')), 0)"
        return int(self.database.ask(size, "parley")) > 500_000

    def test_a_person_sees_how_far_it_is_and_a_pipe_nothing_but_the_result(self):
        """X11.bar"""
        self.talk()
        self.end()
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        done = subprocess.run(
            [binary(), "move", "--from", self.server.data, "--to", self.url], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=follower, text=True, timeout=TIMEOUT * 3)
        os.close(follower)
        self.assertEqual(done.returncode, 0)
        self.assertIn("both sides are equal", done.stdout)
        self.assertNotIn("\r", done.stdout)
        self.assertIn("rows/s", os.read(leader, 65536).decode())
