"""Several servers over one PostgreSQL: old apps and the realtime tree are together on one of them, whichever node is asked."""

import signal
import time
import unittest

import websocket
from fl import Phone, account
from people import Person
from postgres import Postgres
from server import Server, eventually
from test_nodes_requests import Addressed
from tree_client import EMULATOR, OWNER, TreeSocket, TreeStream, ask, connection_to

#: How a WebSocket says that the other end has closed it, with or without a word.
CLOSED = (websocket.WebSocketConnectionClosedException, ConnectionError)


class OldApps(Addressed):
    options = ("--doors", "flsocketim", "--public-user-list")

    def phone(self, node: int, name: str) -> Phone:
        phone = Phone(self.nodes[node], account(self.nodes[node], name)["data"]["auth_token"], stays_polling=node == 0)
        self.addCleanup(phone.close)
        return phone

    def test_Y23_old_apps_on_any_node_ring_each_other(self):
        """Y23.apps"""
        a, b, c = (self.phone(node, f"phone{node}") for node in range(3))
        room = a.ask("videoChat", {"from_user": "phone0", "to_user": "phone2"})[0]
        self.assertEqual(c.expect("videoChat")["room"], room)
        a.emit("__join", {"room": room})
        a.expect("_peers")
        c.emit("__join", {"room": room})
        self.assertEqual(c.expect("_peers")["connections"], [a.sid])
        b.close()
        self.assertEqual(a.expect("offLine", user="phone1")["user"], "phone1")

    def test_Y23_they_come_back_to_another_node_when_theirs_dies(self):
        """Y23.death"""
        duty = self.duty()
        left = [number for number in range(3) if number != duty]
        token = account(self.nodes[duty], "phone9")["data"]["auth_token"]
        phone = Phone(self.nodes[left[0]], token)
        self.addCleanup(phone.close)
        self.nodes[duty].end()
        with self.assertRaises(CLOSED):
            while True:
                phone.next()

        def back() -> bool:
            try:
                self.addCleanup(Phone(self.nodes[left[1]], token).close)
                return True
            except (AssertionError, OSError):
                return False
        eventually(back, "a phone is let in again", 20)


class Alone(unittest.TestCase):
    def test_Y23_a_node_that_is_alone_keeps_its_old_apps_while_the_database_is_away(self):
        """Y23.alone"""
        with Postgres("fsync=off") as database, \
                Server("--doors", "flsocketim", "--store", database.create("parley"), testing=False, doors=False) as server:
            token = account(server, "phone0")["data"]["auth_token"]
            phone = Phone(server, token)
            self.addCleanup(phone.close)
            database.signal(signal.SIGSTOP)
            began = time.monotonic()
            # The duty ends after five seconds without the database.
            while time.monotonic() < began + 7:
                phone.send_packets(["2"])
                while phone.next() != "3":
                    pass
            database.signal(signal.SIGCONT)


class Tree(Addressed):
    options = EMULATOR

    def test_Y23_every_node_answers_for_the_tree(self):
        """Y23.tree"""
        eventually(lambda: all(ask(node, "GET", "/.json").status == 200 for node in self.nodes), "the tree is open everywhere")
        stream = TreeStream(self.nodes[0], "/list.json")
        self.addCleanup(stream.close)
        self.assertEqual(stream.event(), ("put", {"path": "/", "data": None}))
        socket = TreeSocket(self.nodes[1], credential="owner")
        self.addCleanup(socket.close)
        self.assertEqual(socket.hello["h"], "%s:%d" % self.nodes[1].address, "a client comes back to where it came")
        self.assertIsNone(socket.listen("/list"))
        self.assertEqual(ask(self.nodes[2], "PUT", "/list/a%20b.json", {"n": 1}).json, {"n": 1})
        self.assertEqual(stream.event(), ("put", {"path": "/a b", "data": {"n": 1}}))
        self.assertEqual(socket.push(), ("d", "list/a b", {"n": 1}))
        socket.ask("p", p="/list/c", d=2)
        for node in self.nodes:
            self.assertEqual(ask(node, "GET", "/list.json").json, {"a b": {"n": 1}, "c": 2})
        self.assertEqual(ask(self.nodes[0], "GET", "/a%2Fb.json").status, 400)

    def test_Y23_who_listens_to_a_node_that_stood_still_is_cut(self):
        """Y23.frozen"""
        eventually(lambda: all(ask(node, "GET", "/.json").status == 200 for node in self.nodes), "the tree is open everywhere")
        duty = self.duty()
        other = (duty + 1) % 3
        socket = TreeSocket(self.nodes[duty], credential="owner")
        self.addCleanup(socket.close)
        self.nodes[duty].tell(signal.SIGSTOP)
        eventually(lambda: self.writes(self.nodes[other]), "another node has the tree", 20)
        self.nodes[duty].tell(signal.SIGCONT)
        with self.assertRaises(CLOSED):
            while True:
                socket.receive()
        eventually(lambda: ask(self.nodes[duty], "GET", "/x.json").body == b"1", "it passes on what it is asked")

    def test_Y23_whoever_waits_for_a_node_that_stands_still_is_answered(self):
        """Y23.frozen"""
        eventually(lambda: all(ask(node, "GET", "/.json").status == 200 for node in self.nodes), "the tree is open everywhere")
        duty = self.duty()
        other = self.nodes[(duty + 1) % 3]
        stream, socket = TreeStream(other, "/list.json"), TreeSocket(other, credential="owner")
        for one in (stream, socket):
            self.addCleanup(one.close)
        self.assertEqual(stream.event(), ("put", {"path": "/", "data": None}))
        self.nodes[duty].tell(signal.SIGSTOP)
        began = time.monotonic()
        connection = connection_to(other, within=60)
        self.addCleanup(connection.close)
        connection.request("PUT", "/x.json", "1", OWNER)
        self.assertEqual(connection.getresponse().status, 503)
        with self.assertRaises(CLOSED):
            while True:
                socket.receive()
        with self.assertRaises((EOFError, OSError)):
            stream.event()
        self.assertLess(time.monotonic() - began, 30, "a poll would be waited for much longer")
        self.nodes[duty].tell(signal.SIGCONT)

    def writes(self, node) -> bool:
        """What was passed on to a node that stands still has no answer."""
        connection = connection_to(node, within=1)
        try:
            connection.request("PUT", "/x.json", "1", OWNER)
            return connection.getresponse().status == 200
        except TimeoutError:
            return False
        finally:
            connection.close()


class TreeRoom(Addressed):
    options = (*EMULATOR, "--tree-room", "messages")

    def words(self, node: int) -> list[str]:
        answer = ask(self.nodes[node], "GET", "/messages/messages.json")
        found = answer.json if answer.status == 200 else None
        return [found[key]["text"] for key in sorted(found)] if found else []

    def member(self, node: int, name: str) -> Person:
        person = self.person(node, name)
        eventually(lambda: "error" not in person.ask("chat.join", conversation="rtr:messages"), "the room is there")
        return person

    def say(self, person: Person, text: str) -> None:
        self.assertNotIn("error", person.ask("chat.send", conversation="rtr:messages", body={"text": text}))

    def test_Y23_a_room_of_the_tree_has_what_is_said_in_the_chat_on_any_node(self):
        """Y23.rooms"""
        people = [self.member(node, f"P{node}") for node in range(3)]
        eventually(lambda: all(ask(node, "GET", "/.json").status == 200 for node in self.nodes), "the tree is open everywhere")
        for number, person in enumerate(people):
            self.say(person, f"word {number}")
            eventually(lambda: len(self.words(0)) == number + 1, "it is in the tree")
        self.assertEqual(self.words(1), ["word 0", "word 1", "word 2"])

    def test_Y23_a_room_of_the_tree_misses_nothing_while_its_node_stands_still_and_brings_nothing_back(self):
        """Y23.rooms"""
        duty, names = self.duty(), self.names()
        person = self.member((duty + 1) % 3, "Ann")
        for word in ("gone", "kept"):
            self.say(person, word)
        eventually(lambda: self.words(duty) == ["gone", "kept"], "both are in the tree")
        tree = ask(self.nodes[duty], "GET", "/messages/messages.json").json
        for key in (key for key in tree if tree[key]["text"] == "gone"):
            ask(self.nodes[duty], "DELETE", f"/messages/messages/{key}.json")
        marked = "SELECT count(*) FROM parley.cursors WHERE device = 'tree' AND delivered >= 3"
        eventually(lambda: self.database.ask(marked, "parley") == "1", "how far the tree has got is marked")
        self.nodes[duty].tell(signal.SIGSTOP)
        self.say(person, "meanwhile")
        others = set(names) - {names[duty]}
        eventually(lambda: self.holder() in others, "another node has the tree")
        self.say(person, "afterwards")
        other = (duty + 1) % 3
        eventually(lambda: self.words(other) == ["kept", "meanwhile", "afterwards"], "all of it is in the tree")
        self.nodes[duty].tell(signal.SIGCONT)


if __name__ == "__main__":
    unittest.main()
