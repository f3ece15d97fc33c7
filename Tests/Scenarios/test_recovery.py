import unittest

from house import House
from people import Person
from server import companions_wanted
from wire import PollingLink, WebSocketLink


class Recovery(House):
    """Coming back: with exactly what was missed, or told that it cannot be."""

    def test_B03_it_works_every_time_and_over_every_transport(self):
        a, b = self.person("A"), self.person("B", recover=True)
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming")
        b.ask("call.accept", call=call)
        a.expect("call.connected"), b.expect("call.connected")
        for turn in range(6):
            b.link.cut()
            a.expect("call.peerAway") if turn % 2 == 0 else None
            for number in range(turn * 3):
                a.ask("signal", call=call, data=[turn, number])
            b = self.back(b, link=(WebSocketLink, PollingLink)[turn % 2])
            self.assertTrue(b.is_recovered)
            a.ask("signal", call=call, data=[turn, "end"])
            heard = [b.expect("signal")["data"] for _ in range(turn * 3 + 1)]
            self.assertEqual(heard, [[turn, number] for number in [*range(turn * 3), "end"]])
        self.assertEqual(b.heard("signal"), [])

    def test_B03_a_quiet_line_recovers_as_well(self):
        a = self.person("A", recover=True)
        self.wait_until_known_to_all_nodes(a)
        for _ in range(3):
            a.link.cut()
            a = self.back(a)
            self.assertTrue(a.is_recovered)

    def wait_until_known_to_all_nodes(self, one: Person) -> None:
        """The balancer gives each of these connections to the next node."""
        for _ in range(1 + companions_wanted()):
            watcher = self.person(link=WebSocketLink)
            online = lambda: watcher.ask("presence.watch", users=[one.user])["users"][0]["online"]
            self.server.shows(online, "A is known to be there")

    def test_B03_who_missed_too_much_is_told_so(self):
        a, b = self.person("A"), self.person("B", recover=True)
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming")
        b.ask("call.accept", call=call)
        a.expect("call.connected")
        b.link.cut()
        a.expect("call.peerAway")
        for _ in range(5):
            a.ask("signal", call=call, data="x" * 250_000)
        again = self.back(b)
        self.assertFalse(again.is_recovered)
        self.assertNotEqual(again.member, b.member)
        self.assertEqual(again.ask("call.take", call=call, replaces=b.member)["phase"], "talking")

    def test_who_names_no_place_of_theirs_starts_anew(self):
        a = self.person("A", recover=True)
        a.link.cut()
        for pid, offset in (("unknown-key-unknown-key-unknown", a.offset), (a.pid, "nonsense")):
            a.pid, a.offset = pid, offset
            with self.subTest(pid):
                self.assertFalse(self.back(a).is_recovered)

    def test_who_said_goodbye_has_no_place_to_come_back_to(self):
        a = self.person("A", recover=True)
        a.link.send("41")
        a.link.close()
        self.assertFalse(self.back(a).is_recovered)

    def test_who_never_wanted_to_come_back_gets_no_extra_argument(self):
        a = self.person("A")
        self.assertIsNone(a.pid)


if __name__ == "__main__":
    unittest.main()
