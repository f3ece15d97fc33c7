"""A server whose messages and accounts are in PostgreSQL."""

import concurrent.futures
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import postgres
from people import VOUCHED, Person
from postgres_torture import PostgresTorture
from server import TIMEOUT, Server, binary, eventually


class OverPostgres(unittest.TestCase):
    mostly_waits = True

    def setUp(self):
        self.database = self.enterContext(postgres.Postgres("fsync=off"))
        self.server = self.enterContext(Server(*VOUCHED, "--store", self.database.create("parley")))

    def person(self, name: str) -> Person:
        return self.enterContext(Person(self.server, name))

    def test_what_was_said_is_in_the_database_and_there_after_a_restart(self):
        """X07"""
        a, b = self.person("A"), self.person("B")
        said = [a.ask("chat.send", user=b.user, body={"text": f"word {n}"}) for n in range(20)]
        self.assertEqual([answer["number"] for answer in said], list(range(1, 21)))
        self.assertEqual(self.database.ask("SELECT count(*) FROM parley.entries", "parley"), "20")
        found = a.ask("chat.search", text="word 7")
        self.assertEqual([entry["number"] for entry in found["entries"]], [8])
        self.server.restart()
        with Person(self.server, token=a.token) as again:
            page = again.ask("chat.history", conversation=said[0]["conversation"], limit=50)
        self.assertEqual([entry["body"]["text"] for entry in page["entries"]], [f"word {n}" for n in range(20)])

    def test_while_the_database_is_away_nobody_is_cut_and_messages_wait(self):
        """X08"""
        a, b = self.person("A"), self.person("B")
        first = a.ask("chat.send", user=b.user, body={"text": "before"})
        self.database.kill()
        with concurrent.futures.ThreadPoolExecutor() as threads:
            waiting = threads.submit(a.ask, "chat.send", user=b.user, body={"text": "meanwhile"})
            # Calls and presence need no database.
            self.assertNotIn("error", b.ask("presence.watch", users=[a.user]))
            self.assertFalse(waiting.done())
            self.database.start()
            answer = waiting.result(TIMEOUT)
        self.assertEqual(answer["number"], 2)
        page = a.ask("chat.history", conversation=first["conversation"], limit=50)
        self.assertEqual([entry["body"]["text"] for entry in page["entries"]], ["before", "meanwhile"])

    def test_while_the_database_stays_away_messages_are_refused_and_calls_and_rooms_go_on(self):
        """X08.refused"""
        a, b = self.person("A"), self.person("B")
        a.ask("chat.send", user=b.user, body={"text": "before"})
        # In its first seconds it would wait for other servers.
        inside = "SELECT count(*) FROM parley.nodes WHERE ready"
        eventually(lambda: self.database.ask(inside, "parley") == "1", "the server is alone and knows it")
        self.database.kill()
        eventually(lambda: self.server.get("/readyz", admin=True)[0] == 503, "the server has seen it")
        refused = a.ask("chat.send", user=b.user, body={"text": "too long ago"})["error"]
        self.assertEqual(refused["code"], "unavailable")
        self.assertGreater(refused["retryAfter"], 0)
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming", call=call)
        self.assertEqual(b.ask("call.accept", call=call), {})
        a.expect("call.connected", call=call)
        for person in (a, b):
            self.assertNotIn("error", person.ask("room.join", room="kitchen"))
        self.database.start()
        eventually(lambda: self.server.get("/readyz", admin=True)[0] == 200, "the server is ready again")
        self.assertEqual(a.ask("chat.send", user=b.user, body={"text": "after"})["number"], 2)

    def test_a_database_that_cannot_be_reached_is_said_at_the_start(self):
        """X07.start"""
        with tempfile.TemporaryDirectory() as data:
            done = subprocess.run(
                [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", data,
                 "--store", self.database.url("nowhere")], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nowhere", done.stderr)
        wrong = subprocess.run(
            [binary(), "serve", "--store", "mysql://x/y"], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(wrong.returncode, 64)
        self.assertIn("postgresql://", wrong.stderr)

    def test_where_libpq_is_missing_it_is_said_at_once_and_what_needs_none_runs(self):
        """X07.library"""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        # What the loader finds first is no library.
        (folder / "libpq.so.5").write_bytes(b"")
        without = os.environ | {"LD_LIBRARY_PATH": str(folder)}
        done = subprocess.run(
            [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", folder / "data",
             "--store", self.database.url("parley")], capture_output=True, text=True, timeout=TIMEOUT, env=without)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("libpq5", done.stderr)
        checked = subprocess.run([binary(), "check", "config"], capture_output=True, text=True, timeout=TIMEOUT, env=without)
        self.assertEqual(checked.returncode, 0, checked.stderr)


class Promise(unittest.TestCase):
    """What an acknowledgement is worth, and that it is kept."""

    def remarks(self, server: Server) -> list[str]:
        status, words = server.get("/readyz", admin=True)
        self.assertEqual((status, words.splitlines()[0]), (200, "ready"))
        return words.splitlines()[1:]

    def test_what_the_settings_can_keep_is_said_in_the_journal_and_to_whoever_asks_for_readiness(self):
        """X13.asked"""
        with postgres.Postgres("fsync=off") as database, Server("--store", database.create("parley")) as server:
            promise, warning = self.remarks(server)
            self.assertIn("in the memory of the database's machine", promise)
            self.assertIn("warning: fsync is off", warning)
            said = {event["event"]: event for event in server.log}
            self.assertEqual(said["store.promise"]["promise"], promise)
            self.assertIn("fsync is off", said["store.risk"]["reason"])

    def test_with_a_synchronous_standby_nothing_is_lost_when_the_primary_dies(self):
        """X13.standby"""
        primary = self.enterContext(postgres.Postgres())
        primary.create("parley")
        standby = self.enterContext(postgres.Postgres(primary=primary))
        with Server(*VOUCHED, "--store", primary.url("parley", standby)) as server:
            eventually(
                lambda: any("no commit waits for a standby" in line for line in self.remarks(server)),
                "a standby that nobody waits for is named")
            primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'", "parley")
            primary.ask("SELECT pg_reload_conf()", "parley")
            eventually(
                lambda: [line.endswith("of a standby's") for line in self.remarks(server)] == [True],
                "a standby that is waited for is named")
            with Person(server, "A") as a, Person(server, "B") as b:
                said = [a.ask("chat.send", user=b.user, body={"text": f"word {n}"}) for n in range(150)]
                primary.kill()
                standby.ask("SELECT pg_promote()", "postgres")
                further = a.ask("chat.send", user=b.user, body={"text": "on the other machine"})
                page = a.ask("chat.history", conversation=said[0]["conversation"], limit=200)
        self.assertEqual([entry["number"] for entry in page["entries"]], list(range(1, 152)))
        self.assertEqual(further["number"], 151)


class Torture(unittest.TestCase):
    def test_nothing_that_was_acknowledged_is_lost_when_database_or_server_are_killed_or_frozen(self):
        """X09"""
        torture = PostgresTorture(kills=6, seed=7)
        self.addCleanup(torture.close)
        found = torture.run()
        self.assertGreater(found["acknowledged"], 50)
        self.assertGreaterEqual(found["heard"], found["acknowledged"])
