"""Several servers behind nginx, which sends each request to the next of them."""

import unittest

import postgres
from balancer import Cluster
from people import VOUCHED, Person
from wire import PollingLink, WebSocketLink, become_websocket


class Balanced(unittest.TestCase):
    def setUp(self):
        database = self.enterContext(postgres.Postgres("fsync=off"))
        self.cluster = self.enterContext(Cluster(database.create("parley"), 3, *VOUCHED, doors=False))

    def person(self, name: str, **options) -> Person:
        return self.enterContext(Person(self.cluster, name, **options))

    def test_Y10_clients_of_both_transports_meet_behind_a_balancer(self):
        """Y10.balancer"""
        pollers = [self.person(f"P{number}", link=PollingLink) for number in range(3)]
        others = [self.person(f"W{number}", link=WebSocketLink) for number in range(3)]
        self.assertEqual(len({person.opening["sid"][:6] for person in others}), 3, "each came to another node")
        for person in [*pollers, *others]:
            self.assertNotIn("error", person.ask("room.join", room="hall"))
        for number in range(10):
            self.assertNotIn("error", pollers[number % 3].ask("signal", room="hall", data=number))
        for person in others:
            self.assertEqual([person.expect("signal")["data"] for _ in range(10)], list(range(10)))

    def test_Y18_polling_clients_become_websockets_behind_a_balancer(self):
        """Y18.balancer"""
        people = [self.person(f"P{number}", link=PollingLink) for number in range(4)]
        for person in people:
            # The next node has its turn, which is the session's own for one in three at most.
            person.link = become_websocket(person.link, self.cluster)
            self.assertNotIn("error", person.ask("room.join", room="hall"))
        for number in range(10):
            self.assertNotIn("error", people[0].ask("signal", room="hall", data=number))
        for person in people[1:]:
            self.assertEqual([person.expect("signal")["data"] for _ in range(10)], list(range(10)))


if __name__ == "__main__":
    unittest.main()
