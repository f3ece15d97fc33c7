"""Several servers over one PostgreSQL: a client comes back on whichever node the balancer sends it to."""

import threading
import unittest

from people import Person, Refused
from server import TIMEOUT
from test_nodes import Nodes
from wire import Closed


class Moves(Nodes):
    def person(self, node: int, name: str) -> Person:
        person = self.enterContext(Person(self.nodes[node], name, recover=True))
        person.ask("chat.sync", echo=False)
        return person

    def back(self, old: Person, node: int) -> Person:
        old.server = self.nodes[node]
        person = self.enterContext(Person.back(old))
        person.pending[:0] = old.pending
        return person

    def test_Y08_who_comes_back_on_another_node_has_missed_nothing(self):
        """Y08"""
        a, b, c = self.person(0, "A"), self.person(1, "B"), self.person(1, "C")
        for person in (a, b):
            person.ask("room.join", room="kitchen")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming")
        b.ask("call.accept", call=call)
        for person in (a, b):
            person.ask("presence.watch", users=[c.user])
        member, pid = b.member, b.pid
        for hop in range(4):
            b.link.close()
            a.expect("room.away")
            a.ask("signal", room="kitchen", data=f"to all {hop}")
            a.ask("signal", room="kitchen", to=member, data=f"to one {hop}")
            a.ask("signal", call=call, data=f"in the call {hop}")
            a.ask("chat.send", user=b.user, body={"text": f"word {hop}"})
            b = self.back(b, hop % 2)
            self.assertTrue(b.is_recovered)
            self.assertEqual((b.member, b.pid), (member, pid))
            heard = [b.expect("signal")["data"] for _ in range(3)]
            self.assertEqual(heard, [f"to all {hop}", f"to one {hop}", f"in the call {hop}"])
            self.assertEqual(b.expect("chat.entry")["body"]["text"], f"word {hop}")
            a.expect("room.back")
        b.link.close()
        a.expect("room.away")
        c.link.close()
        a.expect("presence", user=c.user, online=False)
        b = self.back(b, 0)
        b.expect("presence", user=c.user, online=False)
        b.ask("call.hangup", call=call)
        self.assertEqual(a.expect("call.ended")["outcome"], "completed")
        self.assertEqual([member["user"] for member in a.ask("room.members", room="kitchen")["members"]], [b.user])

    def test_Y08_a_line_that_still_looks_alive_moves_as_well(self):
        """Y08"""
        a = self.person(0, "A")
        b = self.person(1, "B")
        old = a.link
        again = self.back(a, 1)
        self.assertTrue(again.is_recovered)
        b.ask("chat.send", user=again.user, body={"text": "heard once"})
        self.assertEqual(again.expect("chat.entry")["body"]["text"], "heard once")
        with self.assertRaises((Closed, OSError)):
            while True:
                old.receive(TIMEOUT)

    def test_Y08_what_is_said_while_a_client_hops_from_node_to_node_is_heard_once_and_in_order(self):
        """Y08.hops"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("chat.send", user=b.user, body={"text": "0"})
        self.assertEqual(b.expect("chat.entry")["number"], 1)
        hops: list[Person] = []

        def talk() -> None:
            while len(hops) < 6:
                a.ask("chat.send", user=b.user, body={"text": "go on"})
            a.ask("chat.send", user=b.user, body={"text": "end"})

        talker = threading.Thread(target=talk)
        talker.start()
        heard, text = [], ""
        while text != "end":
            entry = b.expect("chat.entry")
            heard.append(entry["number"])
            text = entry["body"]["text"]
            if len(heard) % 15 == 0:
                b.link.close()
                b = self.back(b, len(hops) % 2)
                self.assertTrue(b.is_recovered)
                hops.append(b)
        talker.join()
        self.assertEqual(heard, list(range(2, 2 + len(heard))))

    def test_Y08_a_place_is_given_to_its_owner_only(self):
        """Y08.owner"""
        a, b = self.person(0, "A"), self.person(1, "B")
        forged = Person.__new__(Person)
        forged.__dict__.update(a.__dict__)
        forged.pid = a.member + "x" * 20
        self.assertFalse(self.back(forged, 1).is_recovered)
        a.server = self.nodes[1]
        with self.assertRaises(Refused) as refused:
            Person.back(a, token=b.token)
        self.assertEqual(refused.exception.code, "forbidden")

    def test_Y09_a_node_that_goes_sends_its_clients_to_the_others_with_nothing_lost(self):
        """Y09"""
        people = [self.person(0, f"P{n}") for n in range(6)]
        b = self.person(1, "B")
        for person in (*people, b):
            person.ask("room.join", room="kitchen")
        self.nodes[0].tell(15)
        after = [person.expect("session.moving")["after"] for person in people]
        self.assertGreater(max(after), min(after))
        for number, person in enumerate(people):
            person.wait_for_end()
            b.ask("signal", room="kitchen", data=f"while {number} is away")
            people[number] = self.back(person, 1)
            self.assertTrue(people[number].is_recovered)
        for person in people:
            heard = [person.expect("signal")["data"] for _ in range(6)]
            self.assertEqual(heard, [f"while {number} is away" for number in range(6)])
        self.assertEqual(self.nodes[0].wait(), 0)
        self.assertEqual(b.heard("room.left"), [])
        self.assertEqual(len(b.ask("room.members", room="kitchen")["members"]), 6)
        self.assertEqual(people[0].heard("presence"), [])

    def test_Y08_who_was_on_a_node_that_died_is_told_whom_they_stand_for(self):
        """Y08.instead"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for person in (a, b):
            person.ask("room.join", room="kitchen")
        self.nodes[0].process.kill()
        b.expect("room.away", within=15)
        again = self.back(a, 1)
        self.assertFalse(again.is_recovered)
        self.assertEqual(again.welcome["instead"], a.member)
        again.ask("room.join", room="kitchen", replaces=a.member)
        self.assertEqual({member["user"] for member in b.ask("room.members", room="kitchen")["members"]}, {a.user})


if __name__ == "__main__":
    unittest.main()
