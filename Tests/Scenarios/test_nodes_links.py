"""Several servers over one PostgreSQL: what they say to each other goes by connections of their own, and by the database where one is missing."""

import base64
import os
import re
import socket
import unittest
from concurrent.futures import ThreadPoolExecutor

from balancer import data_beside
from gate import Gate
from people import VOUCHED, Person
from server import Server, eventually
from test_nodes import Nodes
from test_nodes_requests import Addressed
from wire import PollingLink, WebSocketLink, become_websocket


class Linked(Nodes):
    """Two nodes, with a gate in front of each for what the other one says to it."""

    def setUp(self):
        self.gates: list[Gate] = []
        super().setUp()
        self.all_linked()

    def node(self) -> Server:
        gate = self.enterContext(Gate())
        self.gates.append(gate)
        data = data_beside(self.nodes[0]) if self.nodes else None
        options = ("--node-address", f"http://127.0.0.1:{gate.address[1]}", *self.options)
        node = self.enterContext(Server(*VOUCHED, "--store", self.url, *options, data=data))
        gate.target = node.address
        return node

    def all_linked(self) -> None:
        eventually(lambda: [node.metric("parley_cluster_links") for node in self.nodes] == [1] * self.count, "the nodes are linked")

    def all_unlinked(self) -> None:
        eventually(lambda: [node.metric("parley_cluster_links") for node in self.nodes] == [0] * self.count, "no link is left")

    def messages(self, node: int, way: str) -> float:
        return self.nodes[node].metric(f'parley_cluster_messages_total{{way="{way}"}}')

    def name(self, node: int) -> str:
        return re.search(r'^parley_node_info\{node="([\w-]{20})"\} 1$', self.nodes[node].get("/metrics", admin=True)[1], re.M).group(1)

    def pair(self) -> tuple[Person, Person, str]:
        """Two in a room, each on another node, and the first one's name there."""
        a, b = self.person(0, "A"), self.person(1, "B")
        for person in (a, b):
            person.ask("room.join", room="kitchen")
        joined = a.expect("room.joined")["member"]
        return a, b, joined


class Direct(Linked):
    def test_Y15_offers_and_answers_between_nodes_go_directly(self):
        """Y15"""
        a, b, other = self.pair()
        before = [[self.messages(node, way) for way in ("direct", "notify")] for node in range(2)]
        offer = {"type": "offer", "sdp": "v=0\r\n" + "a=candidate\r\n" * 230}
        for number in range(20):
            a.ask("signal", room="kitchen", to=other, description=offer | {"sdp": offer["sdp"] + str(number)})
            heard = b.expect("signal")
            self.assertEqual(heard["description"]["sdp"], offer["sdp"] + str(number))
            b.ask("signal", room="kitchen", to=heard["from"], description=offer | {"type": "answer"})
            self.assertEqual(a.expect("signal")["description"]["type"], "answer")
        after = [[self.messages(node, way) for way in ("direct", "notify")] for node in range(2)]
        for node in range(2):
            self.assertGreaterEqual(after[node][0] - before[node][0], 20)
            self.assertEqual(after[node][1], before[node][1])

    def test_Y15_what_depends_on_a_change_comes_behind_it(self):
        """Y15.order"""
        a = self.person(0, "A")
        for number in range(15):
            b = self.enterContext(Person(self.nodes[1], f"B{number}"))
            room = f"room{number}"
            a.ask("room.join", room=room)
            b.ask("room.join", room=room)
            seat = a.expect("room.joined", room=room)["member"]
            # At once behind the word that somebody is there.
            a.ask("signal", room=room, to=seat, data="welcome")
            heard = b.expect("signal")
            self.assertEqual((heard["data"], heard["room"]), ("welcome", room))

    def test_Y15_messages_and_receipts_between_nodes_go_directly(self):
        """Y15.news"""
        a, b = self.person(0, "A"), self.person(1, "B")
        before = self.messages(0, "direct")
        for number in range(5):
            a.ask("chat.send", user=b.user, body={"text": f"word {number}"})
        self.assertEqual(self.texts(b, 5), [(n + 1, f"word {n}") for n in range(5)])
        self.assertGreaterEqual(self.messages(0, "direct") - before, 1)

    def test_Y15_a_node_says_its_name_and_how_many_others_it_hears(self):
        """Y15.metrics"""
        self.assertEqual([node.metric("parley_cluster_nodes") for node in self.nodes], [1, 1])
        self.assertNotEqual(self.name(0), self.name(1))


class Cut(Linked):
    def talk(self, a: Person, b: Person, other: str, count: int, middle) -> None:
        """All arrive once and in order, whatever `middle` does between them."""

        def say() -> None:
            for number in range(count):
                a.ask("signal", room="kitchen", to=other, data=number)
                if number == count // 3:
                    middle()

        with ThreadPoolExecutor() as threads:
            said = threads.submit(say)
            heard = [b.expect("signal")["data"] for _ in range(count)]
            said.result()
        self.assertEqual(heard, list(range(count)))

    def test_Y16_a_link_that_breaks_loses_nothing_and_the_database_carries_what_follows(self):
        """Y16"""
        a, b, other = self.pair()
        self.talk(a, b, other, 300, lambda: [gate.cut() for gate in self.gates])
        self.all_unlinked()
        before = self.messages(0, "notify")
        self.talk(a, b, other, 20, lambda: None)
        self.assertGreaterEqual(self.messages(0, "notify") - before, 20)
        for gate in self.gates:
            gate.open()
        self.talk(a, b, other, 100, self.all_linked)
        before = self.messages(0, "notify")
        self.talk(a, b, other, 20, lambda: None)
        self.assertEqual(self.messages(0, "notify"), before)

    def test_Y16_a_link_that_goes_silent_is_given_up_and_what_was_on_it_goes_by_the_database(self):
        """Y16.silent"""
        a, b, other = self.pair()
        self.talk(a, b, other, 60, lambda: [gate.stop() for gate in self.gates])
        self.all_unlinked()
        for gate in self.gates:
            gate.end_all()
            gate.open()
        self.all_linked()
        self.talk(a, b, other, 60, lambda: None)

    def test_Y16_links_that_break_again_and_again_lose_and_double_nothing(self):
        """Y16.storm"""
        a, b, other = self.pair()

        def break_often() -> None:
            for _ in range(3):
                for gate in self.gates:
                    gate.end_all()
                self.all_linked()

        self.talk(a, b, other, 200, break_often)

    def test_Y16_while_the_database_is_away_those_who_talk_go_on_talking(self):
        """Y16.alone"""
        a, b, other = self.pair()
        self.database.signal(19)
        try:
            self.talk(a, b, other, 30, lambda: None)
        finally:
            self.database.signal(18)


class Untrusted(Linked):
    def test_Y17_a_node_with_another_secret_is_not_believed_and_the_journal_says_why(self):
        """Y17"""
        stranger = self.enterContext(Server(*VOUCHED, "--store", self.url))
        for server in (*self.nodes, stranger):
            self.assertIn("secret", server.event("node.untrusted")["message"])
        self.assertEqual([node.metric("parley_cluster_nodes") for node in self.nodes], [1, 1])
        self.assertEqual(stranger.metric("parley_cluster_nodes"), 0)
        eventually(
            lambda: self.nodes[0].metric('parley_cluster_refused_total{what="notification"}') >= 3, "each word of it is counted")
        self.assertEqual([line["event"] for line in self.nodes[0].log].count("node.untrusted"), 1)
        a, b, other = self.pair()
        a.ask("signal", room="kitchen", to=other, data="still among us")
        self.assertEqual(b.expect("signal")["data"], "still among us")

    def test_Y17_what_a_user_of_the_database_notifies_is_not_believed(self):
        """Y17.forged"""
        a, b, _ = self.pair()
        other, name = self.name(0), self.name(1)
        # 3 is the letter by which a node is sent to its end.
        message = base64.b64encode(b"\xff" * 8 + b"\x7f\x01\x00\x00\x00\x03").decode()
        code = base64.urlsafe_b64encode(bytes(16)).decode().rstrip("=")
        for payload in (f"last {other} 999999 {message}", f"last {other} 999999 {message} {code}"):
            self.database.ask(f"SELECT pg_notify('parley_{name}', '{payload}')", "parley")
        frame = f'{{"v":1,"node":"{other}","number":999999,"last":true}}'
        for payload in (frame, f"{frame} {code}"):
            self.database.ask(f"SELECT pg_notify('parley', '{payload}')", "parley")
        # An entry of the order of all changes: everybody would break off with that node.
        self.database.ask(f"SELECT parley.append('{other} 1 gone {name} 1')", "parley")
        doubts = 'parley_cluster_refused_total{what="notification"}'
        eventually(lambda: self.nodes[1].metric(doubts) == 5, "all five are counted")
        self.assertEqual(self.nodes[1].metric("parley_cluster_nodes"), 1)
        a.ask("signal", room="kitchen", data="nobody has left")
        self.assertEqual(b.expect("signal")["data"], "nobody has left")
        self.assertEqual(self.nodes[1].get("/readyz", admin=True)[0], 200)

    def test_Y17_who_connects_without_the_secret_is_refused_and_counted(self):
        """Y17.connection"""
        node, name = self.nodes[1], self.name(1)

        def ask(target: str) -> socket.socket:
            stream = self.enterContext(socket.create_connection(node.address, timeout=20))
            stream.sendall(
                f"GET /nodes/link HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: parley-node\r\nParley-Node: {target}\r\n\r\n".encode())
            return stream

        self.assertIn(b"404", ask("x" * 20).recv(4096))
        stream = ask(name)
        self.assertIn(b"101 Switching Protocols", stream.recv(4096))
        token = lambda text: b"\x28" + text.encode()
        hello = b"\x01" + token("A" * 20) + token(name) + os.urandom(16)
        stream.sendall((len(hello) + 1).to_bytes(4, "big") + b"\x01" + hello)
        self.assertEqual(len(stream.recv(4096)), 37)
        stream.sendall((17).to_bytes(4, "big") + b"\x03" + os.urandom(16))
        self.assertEqual(stream.recv(4096), b"")
        self.assertEqual(node.metric('parley_cluster_refused_total{what="connection"}'), 1)
        self.assertEqual(node.event("node.refused")["reason"], "wrongProof")
        self.assertEqual(node.metric("parley_cluster_links"), 1)


class Upgrades(Addressed):
    def test_Y18_a_polling_client_becomes_a_websocket_whichever_node_it_asks(self):
        """Y18"""
        a = self.enterContext(Person(self.nodes[0], "A", link=PollingLink))
        b = self.enterContext(Person(self.nodes[1], "B"))
        a.link = become_websocket(a.link, self.nodes[2])
        for person in (a, b):
            self.assertNotIn("error", person.ask("room.join", room="kitchen"))
        a.expect("room.joined")
        for number in range(20):
            b.ask("signal", room="kitchen", data=f"{number}" + "x" * 20_000)
        self.assertEqual([int(a.expect("signal")["data"].rstrip("x")) for _ in range(20)], list(range(20)))
        a.ask("signal", room="kitchen", data="y" * 200_000)
        self.assertEqual(len(b.expect("signal")["data"]), 200_000)

    def test_Y18_a_websocket_through_another_node_ends_on_both_sides(self):
        """Y18.ends"""
        a = self.enterContext(Person(self.nodes[0], "A", link=PollingLink))
        a.link = become_websocket(a.link, self.nodes[2])
        self.assertNotIn("error", a.ask("ice.servers"))
        open_ones = lambda: self.nodes[0].metric("parley_websockets")
        self.assertEqual(open_ones(), 1)
        a.link.cut()
        eventually(lambda: open_ones() == 0, "the session's node has seen the end")
        c = self.enterContext(Person(self.nodes[0], "C", link=PollingLink))
        c.link = become_websocket(c.link, self.nodes[1])
        self.assertNotIn("error", c.ask("ice.servers"))
        self.nodes[0].process.kill()
        c.wait_for_end()

    def test_Y18_an_upgrade_is_passed_on_once(self):
        """Y18.limits"""
        a = self.enterContext(Person(self.nodes[0], "A", link=PollingLink))
        with self.assertRaises(Exception) as refused:
            WebSocketLink(self.nodes[1], f"EIO=4&sid={a.link.sid}", {"Parley-Forwarded": "1"})
        self.assertIn("400", str(refused.exception))


if __name__ == "__main__":
    unittest.main()
