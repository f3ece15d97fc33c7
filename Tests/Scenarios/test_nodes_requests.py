"""Several servers over one PostgreSQL: requests that reach another node than their session, and what operators see."""

import http.client
import itertools
import unittest

from people import Person
from server import TIMEOUT, eventually
from test_moderation import ask_admin
from test_nodes import Nodes
from wire import Closed, PollingLink, ask_http, read_answer


def scattered(nodes: list):
    """A client's polling link whose requests go to one node after the other, as a balancer without sticky sessions sends them."""
    turns = itertools.cycle(nodes)

    class Scattered(PollingLink):
        def _poll(self, within):
            if not self.is_polling:
                self.server = next(turns)
                self.polls.close()
                self.polls = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
            super()._poll(within)

        def send_all(self, packets):
            self.server = next(turns)
            super().send_all(packets)

    return Scattered


class Addressed(Nodes):
    """Every node knows where the others are."""

    count = 3

    def setUp(self):
        super().setUp()
        for node in self.nodes:
            # Where the others are is said with every beat.
            while len([n for n in self.listed(node) if n["this"] or n.get("address")]) < 3:
                node.get("/livez", admin=True)

    def listed(self, node) -> list[dict]:
        return ask_admin(node, "GET", "/v1/nodes").json["nodes"]

    def duty(self) -> int:
        """The number of the node that does errands."""
        eventually(lambda: self.holder() in self.names(), "one node has the duty")
        return self.names().index(self.holder())

    def holder(self) -> str:
        return self.database.ask("SELECT node FROM parley.duties WHERE until > clock_timestamp()", "parley")

    def names(self) -> list[str]:
        return [next(n["node"] for n in self.listed(node) if n["this"]) if node.process.poll() is None else "" for node in self.nodes]


class Requests(Addressed):
    def test_Y10_a_polling_client_whose_requests_go_to_any_node_has_one_session(self):
        """Y10"""
        link = scattered(self.nodes)
        a = self.enterContext(Person(self.nodes[0], "A", link=link))
        b = self.enterContext(Person(self.nodes[0], "B", link=link))
        for person in (a, b):
            person.ask("room.join", room="kitchen")
        a.expect("room.joined")
        for number in range(30):
            a.ask("signal", room="kitchen", data=f"word {number}")
        self.assertEqual([b.expect("signal")["data"] for _ in range(30)], [f"word {number}" for number in range(30)])
        a.ask("signal", room="kitchen", data="x" * 200_000)
        self.assertEqual(len(b.expect("signal")["data"]), 200_000)

    def test_Y10_a_request_is_passed_on_once_and_only_to_a_node_that_is_there(self):
        """Y10.limits"""
        a = self.enterContext(Person(self.nodes[0], "A", link=PollingLink))
        target = a.link.target
        for node in self.nodes[1:]:
            answer = ask_http(node, "POST", target, "3", {"Parley-Forwarded": "1"})
            self.assertEqual((answer.status, answer.json["code"]), (400, 1))
            self.assertEqual(ask_http(node, "POST", target + "x", "3").status, 400)
        self.assertEqual(ask_http(self.nodes[1], "POST", target, "3").status, 200)
        self.nodes[0].process.kill()
        self.nodes[0].wait()
        self.assertEqual(ask_http(self.nodes[1], "POST", target, "3").json["code"], 1)

    def test_Y10_a_second_poll_by_another_node_ends_the_session_as_on_its_own(self):
        """Y10.twice"""
        a = self.enterContext(Person(self.nodes[0], "A", link=PollingLink))
        first = http.client.HTTPConnection(*self.nodes[1].address, timeout=TIMEOUT)
        first.request("GET", a.link.target)
        second = ask_http(self.nodes[2], "GET", a.link.target)
        # Whichever came first.
        answers = sorted([(second.status, second.text), ((answer := read_answer(first)).status, answer.text)])
        self.assertEqual([status for status, _ in answers], [200, 400])
        self.assertEqual(answers[0][1], "1")
        with self.assertRaises(Closed):
            a.link.receive()

    def test_Y11_an_operator_sees_all_nodes_and_sends_one_to_its_end(self):
        """Y11"""
        people = [self.enterContext(Person(self.nodes[1], f"P{n}", recover=True)) for n in range(3)]
        busy = lambda: [row["node"] for row in self.listed(self.nodes[0]) if row["connections"] == 3]
        eventually(lambda: len(busy()) == 1, "all nodes know of the lines")
        rows = self.listed(self.nodes[0])
        self.assertEqual([(row["this"], row["shared"]) for row in rows], [(True, True), (False, True), (False, True)])
        loaded = busy()
        self.assertEqual(ask_admin(self.nodes[0], "POST", "/v1/nodes/" + "x" * 20 + "/drain").status, 404)
        self.assertEqual(ask_admin(self.nodes[0], "POST", f"/v1/nodes/{loaded[0]}/drain").status, 202)
        for person in people:
            person.expect("session.moving")
            person.wait_for_end()
            person.server = self.nodes[2]
            self.assertTrue(self.enterContext(Person.back(person)).is_recovered)
        self.assertEqual(self.nodes[1].wait(), 0)
        others = lambda: [row["connections"] for row in self.listed(self.nodes[0]) if not row["this"]]
        eventually(lambda: others() == [3], "one node is left beside this one")


if __name__ == "__main__":
    unittest.main()
