"""Several servers over one PostgreSQL: whoever is on one hears what is said on another."""

import itertools
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import postgres
from balancer import data_beside
from people import VOUCHED, Person, Refused
from push_service import PushService
from pushed import bearer
from server import Server, eventually, suspend
from test_webhooks import SECRET, Listener
from wire import ask_http


class Nodes(unittest.TestCase):
    mostly_waits = True
    count = 2
    options: tuple[str, ...] = ()

    def setUp(self):
        self.database = self.enterContext(postgres.Postgres("fsync=off"))
        self.url = self.database.create("parley")
        self.nodes: list[Server] = []
        for _ in range(self.count):
            self.nodes.append(self.node())
        for node in self.nodes:
            for _ in range(self.count - 1):
                node.event("node.met")
        self.all_inside()

    def all_inside(self) -> None:
        """Every node that runs carries out what the others do."""
        ready = "SELECT count(*) FROM parley.nodes WHERE ready"
        eventually(lambda: int(self.database.ask(ready, "parley")) == len(self.nodes), "all nodes are inside")

    def node(self) -> Server:
        """All have the same secret, as every node must."""
        data = data_beside(self.nodes[0]) if self.nodes else None
        return self.enterContext(Server(*VOUCHED, "--store", self.url, *self.options, data=data))

    def person(self, node: int, name: str) -> Person:
        person = self.enterContext(Person(self.nodes[node], name))
        person.ask("chat.sync", echo=False)
        return person

    def texts(self, person: Person, count: int) -> list[tuple[int, str]]:
        heard = [person.expect("chat.entry") for _ in range(count)]
        return [(entry["number"], entry["body"].get("text")) for entry in heard]


class TwoNodes(Nodes):
    def test_Y01_what_is_said_on_one_node_is_heard_on_the_other_in_its_order(self):
        """Y01"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for number in range(1, 6):
            a.ask("chat.send", user=b.user, body={"text": f"word {number}"})
        self.assertEqual(self.texts(b, 5), [(n, f"word {n}") for n in range(1, 6)])
        b.ask("chat.send", user=a.user, body={"text": "answer"})
        self.assertEqual(self.texts(a, 1), [(6, "answer")])
        self.assertEqual(b.pending, [])

    def test_Y01_two_who_write_at_once_on_two_nodes_and_two_who_listen_have_the_same_order_without_a_gap(self):
        """Y01"""
        a, b = self.person(0, "A"), self.person(1, "B")
        others = [self.person(0, "C"), self.person(1, "D")]
        room = a.ask("chat.create", kind="group", title="all", users=[b.user, *(other.user for other in others)])["conversation"]
        for person in (b, *others):
            self.assertEqual(person.expect("chat.entry")["number"], 1)

        def talk(person: Person):
            answers = [person.ask("chat.send", conversation=room, body={"text": f"{person.name} {n}"}) for n in range(100)]
            self.assertEqual([answer for answer in answers if "error" in answer], [])
            return [answer["number"] for answer in answers]

        with ThreadPoolExecutor() as threads:
            said = list(threads.map(talk, (a, b)))
        self.assertEqual(sorted(itertools.chain(*said)), list(range(2, 202)))
        heard = [self.texts(other, 200) for other in others]
        self.assertEqual([number for number, _ in heard[0]], list(range(2, 202)))
        self.assertEqual(heard[0], heard[1])

    def test_Y01_who_is_brought_in_or_sent_away_on_one_node_hears_it_on_the_other(self):
        """Y01.members"""
        a, b = self.person(0, "A"), self.person(1, "B")
        room = a.ask("chat.create", kind="group", title="kitchen", users=[])["conversation"]
        a.ask("chat.invite", conversation=room, users=[b.user])
        self.assertEqual(b.expect("chat.entry")["type"], "joined")
        a.ask("chat.send", conversation=room, body={"text": "welcome"})
        self.assertEqual(b.expect("chat.entry")["body"]["text"], "welcome")
        a.ask("chat.remove", conversation=room, user=b.user)
        self.assertEqual(b.expect("chat.entry")["type"], "removed")
        a.ask("chat.send", conversation=room, body={"text": "secret"})
        a.ask("chat.send", user=b.user, body={"text": "sorry"})
        self.assertEqual(b.expect("chat.entry")["body"]["text"], "sorry")
        self.assertEqual(b.error("chat.send", conversation=room, body={"text": "why?"}), "not_member")

    def test_Y01_receipts_typing_and_blocks_are_heard_on_the_other_node(self):
        """Y01.receipts"""
        a, b = self.person(0, "A"), self.person(1, "B")
        page = self.enterContext(Person(self.nodes[0], token=b.token))
        page.ask("chat.sync")
        direct = a.ask("chat.send", user=b.user, body={"text": "hello"})["conversation"]
        b.expect("chat.entry")
        b.ask("chat.typing", conversation=direct, on=True)
        self.assertEqual(a.expect("chat.typing"), {"conversation": direct, "user": b.user, "on": True})
        b.ask("chat.read", conversation=direct, number=1)
        self.assertEqual(a.expect("chat.receipt", user=b.user)["read"], 1)
        self.assertEqual(page.expect("chat.receipt")["badge"], 0)
        b.ask("chat.block", user=a.user, on=True)
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": "hello?"}), "blocked")
        eventually(lambda: a.error("call.invite", user=b.user, kind="audio") == "blocked", "the other node knows the block")

    def test_Y01_who_changes_their_name_is_known_by_it_on_the_other_node(self):
        """Y01.profiles"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("chat.send", user=b.user, body={"text": "hello"})
        b.expect("chat.entry")
        roommate = self.person(1, "R")
        for person in (a, roommate):
            person.ask("room.join", room="kitchen")
        a.ask("profile.change", name="Anna")
        for person in (b, roommate):
            self.assertEqual(person.expect("profile", user=a.user)["name"], "Anna")

    def test_Y01_who_is_banned_or_sent_out_on_one_node_is_out_on_all_within_a_second(self):
        """Y01.access"""
        a, b = self.person(1, "A"), self.person(1, "B")
        for person, order, code in ((a, "ban?seconds=60", "banned"), (b, "kick", "kicked")):
            person.ask("room.join", room="kitchen")
            began = time.monotonic()
            self.nodes[0].ask_admin("POST", f"/v1/users/{person.user}/{order}")
            person.expect("session.ending")
            self.assertLess(time.monotonic() - began, 1)
            self.assertIn("room.dismissed", [name for name, *_ in person.pending], "it is told before the end")
            with self.assertRaises(Refused) as refused:
                Person(self.nodes[1], token=person.token)
            self.assertEqual(refused.exception.code, code)
        self.nodes[0].ask_admin("POST", f"/v1/users/{a.user}/unban")

        def is_in() -> bool:
            try:
                Person(self.nodes[1], token=a.token).link.close()
                return True
            except Refused:
                return False

        eventually(is_in, "the ban is lifted on the other node")

    def test_Y01_a_call_on_one_node_does_not_end_because_another_starts(self):
        """Y01.calls"""
        a, b = self.person(0, "A"), self.person(0, "B")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.ask("call.accept", call=call)
        a.expect("call.connected", call=call)
        self.nodes[1].restart()
        watcher = self.person(1, "C")
        # The other node would give it up after fifteen seconds, and write that down.
        with self.assertRaises(AssertionError):
            a.expect("call.ended", within=18)
        a.ask("call.hangup", call=call)
        entry = b.expect("chat.entry")
        self.assertEqual((entry["number"], entry["kind"]), (1, "call"))
        watcher.link.close()

    def test_Y01_a_device_that_comes_back_on_another_node_gets_what_it_missed(self):
        """Y01.sync"""
        a, b = self.person(0, "A"), self.person(1, "B")
        direct = a.ask("chat.send", user=b.user, body={"text": "1"})["conversation"]
        b.expect("chat.entry")
        b.link.close()
        a.ask("chat.send", user=b.user, body={"text": "2"})
        with Person(self.nodes[0], token=b.token) as back:
            synced = back.ask("chat.sync", positions={direct: 1})
            entries = synced["conversations"][0]["entries"]
            self.assertEqual([entry["number"] for entry in entries], [2])

    def test_Y02_what_a_node_did_not_hear_is_found_when_it_hears_again(self):
        """Y02"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("chat.send", user=b.user, body={"text": "1"})
        b.expect("chat.entry")
        # The connection on which nodes listen is cut, and what is said meanwhile goes by unheard.
        self.cut()
        for number in range(2, 30):
            a.ask("chat.send", user=b.user, body={"text": str(number)})
        room = a.ask("chat.create", kind="group", title="kitchen", users=[b.user])["conversation"]
        # Each conversation has an order, and none with the other.
        heard = [b.expect("chat.entry") for _ in range(29)]
        texts = [(entry["number"], entry["body"]["text"]) for entry in heard if entry["conversation"] != room]
        self.assertEqual(texts, [(n, str(n)) for n in range(2, 30)])
        self.assertEqual(b.pending, [])

    def test_Y02_a_node_that_dies_after_a_commit_leaves_nothing_unheard(self):
        """Y02"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("chat.send", user=b.user, body={"text": "1"})
        b.expect("chat.entry")
        for number in range(2, 200):
            a.send("chat.send", {"user": b.user, "body": {"text": str(number)}})
        self.nodes[0].process.kill()
        last = self.settled()
        self.assertEqual([number for number, _ in self.texts(b, last - 1)], list(range(2, last + 1)))

    def cut(self) -> None:
        self.database.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_notify(%' AND pid <> pg_backend_pid()",
            "postgres")

    def settled(self) -> int:
        """How many entries there are once the dead node's sessions are over."""
        self.nodes[0].process.wait()
        sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'parley'"
        eventually(lambda: int(self.database.ask(sessions, "postgres")) <= 4, "the dead node's sessions are over")
        return int(self.database.ask("SELECT max(id) & 4294967295 FROM parley.entries", "parley"))


class ErrandTests(Nodes):
    """What only one node does at a time."""

    def setUp(self):
        self.hook, self.service = Listener(), PushService()
        self.addCleanup(self.hook.close)
        self.addCleanup(self.service.close)
        self.options = ("--webhook", self.hook.url, "--webhook-secret", SECRET, "--outgoing-allow", "127.0.0.0/8")
        super().setUp()

    def test_Y03_another_program_is_told_once_and_in_order_whichever_node_wrote(self):
        """Y03"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("chat.send", user=b.user, body={"text": "0"})

        def talk(person: Person):
            other = b if person is a else a
            for n in range(1, 101):
                self.assertNotIn("error", person.ask("chat.send", user=other.user, body={"text": f"{person.name} {n}"}))

        with ThreadPoolExecutor() as threads:
            list(threads.map(talk, (a, b)))
        self.hook_has(201)
        self.assertEqual([event["entry"]["number"] for event in self.hook.heard], list(range(1, 202)))
        self.assertEqual(self.hook.faults, [])

    def test_Y03_when_the_node_that_tells_stands_still_another_goes_on_and_nothing_is_overtaken(self):
        """Y03"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for n in range(5):
            a.ask("chat.send", user=b.user, body={"text": str(n)})
        eventually(lambda: len(self.hook.heard) >= 5, "the first were told")
        paused = self.teller()
        speaker = (a, b)[1 - paused]
        suspend(self.nodes[paused].process)
        try:
            other = (a, b)[paused].user
            for n in range(5, 10):
                speaker.ask("chat.send", user=other, body={"text": str(n)})
            eventually(lambda: len(self.hook.heard) >= 10, "the other node tells")
        finally:
            self.nodes[paused].process.send_signal(signal.SIGCONT)
        for n in range(10, 30):
            speaker.ask("chat.send", user=other, body={"text": str(n)})
        eventually(lambda: len(set(self.hook.ids)) >= 30, "all were told")
        first = list(dict.fromkeys(event["entry"]["number"] for event in self.hook.heard))
        self.assertEqual(first, list(range(1, 31)))

    def hook_has(self, count: int) -> None:
        try:
            eventually(lambda: len(self.hook.heard) >= count, f"{count} entries were told")
        except AssertionError as error:
            left = self.database.ask("SELECT count(*), min(number), max(number) FROM parley.outbox", "parley")
            raise AssertionError(f"{error}; told {len(self.hook.heard)}, left {left}, the first {self.hook.heard[-1:]}") from error

    def teller(self) -> int:
        """Which node is on duty: the other one has no connection to the listener."""
        node = self.database.ask("SELECT node FROM parley.duties", "parley")
        met = [event["node"] for event in self.nodes[0].log if event["event"] == "node.met"]
        return 1 if node in met else 0

    def test_Y03_a_device_is_woken_once_by_a_message_of_either_node(self):
        """Y03.pushes"""
        self.service.key = ask_http(
            self.nodes[0], "GET", "/v1/push", headers=bearer(self.person(0, "Somebody").token)).json["publicKey"]
        a, b, c = self.person(0, "A"), self.person(1, "B"), self.person(0, "C")
        device = self.service.device()
        answer = ask_http(
            self.nodes[0], "PUT", "/v1/push/devices/phone", device.subscription | {"language": "en"}, bearer(c.token))
        self.assertEqual(answer.status, 200, answer.body)
        c.link.close()
        for n in range(10):
            (a, b)[n % 2].ask("chat.send", user=c.user, body={"text": str(n)})
        eventually(lambda: len(device.pushes) >= 2, "the device was woken by both")
        eventually(lambda: self.database.ask("SELECT count(*) FROM parley.pushes", "parley") == "0", "all pushes are done")
        texts = [push.message["text"] for push in device.pushes]
        self.assertEqual(len(texts), len(set(texts)))
        self.assertEqual(self.service.faults, [])


class ThreeNodes(Nodes):
    count = 3

    def test_Y01_a_group_over_three_nodes_hears_everybody_once_and_in_one_order(self):
        """Y01"""
        people = [self.person(n % 3, f"P{n}") for n in range(9)]
        room = people[0].ask("chat.create", kind="group", title="all", users=[p.user for p in people[1:]])["conversation"]
        for person in people[1:]:
            person.expect("chat.entry")

        def talk(person: Person):
            for n in range(20):
                person.ask("chat.send", conversation=room, body={"text": f"{person.name} {n}"})

        with ThreadPoolExecutor(9) as threads:
            list(threads.map(talk, people))
        for person in people:
            mine = {number for number in range(2, 182)}
            heard = [number for number, _ in self.texts(person, 160)]
            self.assertEqual(heard, sorted(heard))
            self.assertEqual(len(set(heard) & mine), 160)


if __name__ == "__main__":
    unittest.main()
