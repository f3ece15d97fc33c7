"""Several servers over one PostgreSQL: another program hears of rooms, calls and people in the order in which members do."""

import signal
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import postgres
from people import VOUCHED, Person
from server import Server, eventually
from test_nodes_requests import Addressed
from test_webhooks import SECRET, Listener

ROUNDS = 15


class Heard(unittest.TestCase):
    """With another program that hears of all there is."""

    def setUp(self):
        self.hook = Listener()
        self.addCleanup(self.hook.close)
        self.options = ("--webhook", self.hook.url, "--webhook-secret", SECRET, "--webhook-events", "rooms,calls,presence")
        super().setUp()

    def tearDown(self):
        self.assertEqual(self.hook.faults, [])

    def told(self, member: str) -> list[tuple[str, str]]:
        """Who came and went, but for `member`. What is told again when a node has died counts once."""
        names = ("room.joined", "room.left")
        return [(e["event"], e["member"]) for e in self.hook.once() if e["event"] in names and e["room"] == "hall" and e["member"] != member]


class Events(Heard, Addressed):
    def wander(self, person: Person) -> None:
        """In and out."""
        for _ in range(ROUNDS):
            for what in ("room.join", "room.leave"):
                while "error" in (answer := person.ask(what, room="hall")):
                    self.assertEqual(answer["error"]["code"], "rate_limited", answer)
                    person.listen(0.05)

    @staticmethod
    def seen(watcher: Person, count: int) -> list[tuple[str, str]]:
        events = []
        while len(events) < count:
            watcher.listen(0.05)
            events = [a[0] | {"event": name} for name, *a in watcher.pending if name in ("room.joined", "room.left")]
        numbers = [event["number"] for event in events]
        assert numbers == sorted(numbers), numbers
        return [(event["event"], event["member"]) for event in events]

    def test_P13_who_comes_and_goes_on_three_nodes_is_told_in_the_order_in_which_members_hear_it(self):
        """P13.nodes"""
        watcher = self.person(0, "Watcher")
        watcher.ask("room.join", room="hall")
        people = [self.person(n % 3, f"P{n}") for n in range(6)]
        with ThreadPoolExecutor(6) as threads:
            list(threads.map(self.wander, people))
        seen = self.seen(watcher, len(people) * ROUNDS * 2)
        eventually(lambda: len(self.told(watcher.member)) >= len(seen), "all is told")
        self.assertEqual(self.told(watcher.member), seen)

    def check_takeover(self, how: signal.Signals):
        duty = self.duty()
        left = [number for number in range(3) if number != duty]
        watcher = self.person(left[0], "Watcher")
        watcher.ask("room.join", room="hall")
        lost = self.person(duty, "Lost")
        lost.ask("room.join", room="hall")
        people = [self.person(left[n % 2], f"P{n}") for n in range(4)]
        with ThreadPoolExecutor(4) as threads:
            wandering = [threads.submit(self.wander, person) for person in people]
            eventually(lambda: len(self.told(watcher.member)) > 20, "it is told")
            self.nodes[duty].process.send_signal(how)
            for one in wandering:
                one.result()
        seen = self.seen(watcher, 1 + len(people) * ROUNDS * 2 + 1)
        self.assertEqual([what for what, member in seen if member == lost.member], ["room.joined", "room.left"])
        eventually(lambda: len(self.told(watcher.member)) >= len(seen), "another node tells the rest", within=30)
        self.assertEqual(self.told(watcher.member), seen)

    def test_P13_when_the_node_that_tells_dies_another_goes_on_where_it_has_ended(self):
        """P13.nodes"""
        self.check_takeover(signal.SIGKILL)

    def test_P13_when_the_node_that_tells_is_stopped_another_goes_on_where_it_has_ended(self):
        """P13.nodes"""
        self.check_takeover(signal.SIGTERM)

    def test_P13_when_the_node_that_tells_is_started_anew_again_and_again_nothing_is_left_out(self):
        """P13.nodes"""
        duty = self.duty()
        left = [number for number in range(3) if number != duty]
        watcher = self.person(left[0], "Watcher")
        watcher.ask("room.join", room="hall")
        people = [self.person(left[n % 2], f"P{n}") for n in range(4)]
        is_over = threading.Event()

        def wander_on(person: Person) -> int:
            count = 0
            while not is_over.is_set():
                self.wander(person)
                count += 1
            return count

        with ThreadPoolExecutor(4) as threads:
            wandering = [threads.submit(wander_on, person) for person in people]
            try:
                for _ in range(4):
                    self.nodes[duty].tell(signal.SIGTERM)
                    self.nodes[duty].wait(20)
                    self.nodes[duty].begin()
                    self.all_inside()
            finally:
                is_over.set()
            count = sum(one.result() for one in wandering)
        seen = self.seen(watcher, count * ROUNDS * 2)
        eventually(lambda: len(self.told(watcher.member)) >= len(seen), "all is told", within=30)
        self.assertEqual(self.told(watcher.member), seen)

    def test_P13_what_a_node_commits_long_after_it_was_numbered_is_told_in_its_place(self):
        """P13.nodes"""
        teller = self.duty()
        a, b, c = (self.person((teller + 1 + n) % 3, name) for n, name in enumerate("ABC"))
        place = a.ask("chat.send", user=b.user, kind="text", body={"text": "one"})["conversation"]
        key = self.database.ask(f"SELECT number FROM parley.conversations WHERE id = '{place}'", "parley")
        # Whoever writes there has to wait: twice, since no statement may take five seconds.
        on_outbox = f"AFTER INSERT ON parley.outbox {{}} FOR EACH ROW WHEN (NEW.entry >> 32 = {key}) EXECUTE FUNCTION parley.hesitate()"
        self.database.ask(
            "CREATE FUNCTION parley.hesitate() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3.5); RETURN NULL; END';"
            f"CREATE TRIGGER in_the_middle {on_outbox.format('')};"
            f"CREATE CONSTRAINT TRIGGER at_the_end {on_outbox.format('DEFERRABLE INITIALLY DEFERRED')};",
            "parley")
        with ThreadPoolExecutor(1) as threads:
            late = threads.submit(a.ask, "chat.send", conversation=place, kind="text", body={"text": "two"})
            eventually(lambda: self.database.ask("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", "parley") == "1", "it waits")
            b.ask("chat.send", user=c.user, kind="text", body={"text": "meanwhile"})
            eventually(lambda: self.hook.texts() == ["one", "meanwhile"], "what has a larger number is told")
            self.assertNotIn("error", late.result())
        eventually(lambda: self.hook.texts() == ["one", "meanwhile", "two"], "the late one is told")


class Alone(Heard):
    def test_P13_what_happens_while_the_database_is_away_is_told_when_it_is_back(self):
        """P13.nodes"""
        with postgres.Postgres() as database, Server(*VOUCHED, "--store", database.create("alone"), *self.options) as server:
            with Person(server, "A") as a, Person(server, "B") as b:
                b.ask("room.join", room="hall")
                eventually(lambda: self.told("") == [("room.joined", b.member)], "the first is told")
                # What was asked of the database has no answer when it dies.
                database.signal(signal.SIGSTOP)
                self.assertNotIn("error", a.ask("room.join", room="hall"))
                database.kill()
                server.event("webhook.events_late")
                self.assertNotIn("error", a.ask("room.leave", room="hall"))
                database.start()
                seen = [("room.joined", b.member), ("room.joined", a.member), ("room.left", a.member)]
                eventually(lambda: len(self.told("")) >= len(seen), "all is told", within=30)
                self.assertEqual(self.told(""), seen)


if __name__ == "__main__":
    unittest.main()
