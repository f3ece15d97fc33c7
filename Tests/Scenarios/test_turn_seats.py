"""TURN credentials for one seat in a room or a call: what they are good for, and for how long."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from coturn import IS_INSTALLED, Coturn
from people import Person, VOUCHED
from server import TIMEOUT, Server, binary, eventually, of_one_process
from test_turn import SECRET, Relayed, Uclient

ROOM = {"room": "den"}


def relay_of(answer: dict, port: int | None = None) -> dict:
    """The TURN server of an offer, at this port."""
    return next(one for one in answer["iceServers"] if one["urls"][0].startswith("turn:") and (
        port is None or f":{port}?" in one["urls"][0]))


def try_relay(server: dict) -> list[int | None]:
    """What `parley stun` is refused with at each of its addresses, as a code; None where it is given a relay."""
    done = subprocess.run(
        [binary(), "stun", *server["urls"], "--username", server["username"], "--credential", server["credential"], "--json"],
        capture_output=True, text=True, timeout=TIMEOUT)
    return [None if row["relay"].get("addresses") else row["relay"]["code"] for row in json.loads(done.stdout)["servers"]]


@of_one_process
class SeatsOfOurRelay(Relayed):
    def member(self, name: str) -> Person:
        person = self.person(name)
        self.assertNotIn("error", person.ask("room.join", ROOM))
        return person

    def open(self) -> float:
        return self.metric("parley_turn_allocations ")

    def busy(self, server: dict, clients: int = 2) -> Uclient:
        """Somebody who relays with these credentials."""
        client = Uclient(self.port, server["username"], server["credential"])
        self.addCleanup(client.end)
        client.begin("-c", "-n", "5000", "-m", str(clients))
        eventually(lambda: self.open() > 0, "there are allocations")
        return client

    def test_Q14_who_is_in_a_room_gets_a_relay_for_it_until_they_leave(self):
        """Q14.room Q14.ends"""
        a, b, c = self.member("A"), self.member("B"), self.person("C")
        self.assertEqual(c.error("ice.servers", ROOM), "not_member")
        self.assertEqual(a.error("ice.servers", room="elsewhere"), "not_member")
        first, whole = a.ask("ice.servers", ROOM), a.ask("ice.servers")
        self.assertEqual(first["quota"], {"allocations": 16, "bitsPerSecond": 8_000_000})
        self.assertNotIn("quota", whole)
        server = relay_of(first)
        seat = server["username"].partition(f":{a.user}~")[2]
        self.assertNotIn("den", seat)
        self.assertEqual(relay_of(a.ask("ice.servers", ROOM))["username"].rpartition("~")[2], seat, "one for each seat")
        self.assertNotEqual(relay_of(b.ask("ice.servers", ROOM))["username"].rpartition("~")[2], seat)
        self.assertNotIn("~", relay_of(whole)["username"])
        self.assertEqual(try_relay(server), [None, None])
        eventually(lambda: self.open() == 0, "nothing is left open")
        self.busy(server)
        self.assertEqual(a.ask("room.leave", ROOM), {})
        eventually(lambda: self.open() == 0, "what was relayed for it has ended")
        self.assertEqual(try_relay(server), [403, 403], "nothing new is given for it")
        self.assertEqual(a.error("ice.servers", ROOM), "not_member")
        self.assertEqual(try_relay(relay_of(whole)), [None, None], "the others are as good as before")
        # Back in the room it is another seat.
        a.ask("room.join", ROOM)
        again = relay_of(a.ask("ice.servers", ROOM))
        self.assertNotEqual(again["username"].rpartition("~")[2], seat)
        self.assertEqual(try_relay(again), [None, None])

    def test_Q14_who_is_in_a_call_gets_a_relay_for_it_until_it_ends(self):
        """Q14.call Q14.ends"""
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        call = {"call": a.ask("call.invite", user=b.user, kind="audio")["call"]}
        b.expect("call.incoming")
        for person in (a, b):
            self.assertIn("quota", person.ask("ice.servers", call), "from the first ring")
        self.assertEqual(c.error("ice.servers", call), "not_member")
        self.assertEqual(a.error("ice.servers", call="A" * 20), "not_found")
        b.ask("call.accept", call)
        a.expect("call.connected")
        servers = [relay_of(person.ask("ice.servers", call)) for person in (a, b)]
        self.busy(servers[0])
        b.ask("call.hangup", call)
        a.expect("call.ended")
        eventually(lambda: self.open() == 0, "what was relayed for it has ended")
        for server in servers:
            self.assertEqual(try_relay(server), [403, 403])
        self.assertEqual(a.error("ice.servers", call), "call_over")

    def test_Q14_whose_line_ends_has_no_relay_for_a_room(self):
        """Q14.ends"""
        a = self.member("A")
        self.busy(relay_of(a.ask("ice.servers", ROOM)))
        a.link.send("41")
        eventually(lambda: self.open() == 0, "what was relayed for it has ended")

    def test_Q14_a_seat_has_its_quota(self):
        """Q14.quota"""
        a = self.member("A")
        answer = a.ask("ice.servers", ROOM)
        most = answer["quota"]["allocations"]
        self.busy(relay_of(answer), clients=most)
        eventually(lambda: self.open() == most, "so many are given")
        self.assertEqual(try_relay(relay_of(answer)), [486, 486])
        self.assertEqual(try_relay(relay_of(a.ask("ice.servers"))), [None, None], "the user may have more beside")


@unittest.skipUnless(IS_INSTALLED, "coturn is not installed: Scripts/install tests")
class SeatsOfCoturn(unittest.TestCase):
    def test_Q14_coturn_takes_credentials_for_a_seat(self):
        """Q14.coturn"""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        coturn = self.enterContext(Coturn("--use-auth-secret", f"--static-auth-secret={SECRET}"))
        file = folder / "ice-servers.json"
        file.write_text(json.dumps({"iceServers": [
            {"urls": f"turn:127.0.0.1:{coturn.port}?transport=udp", "secret": SECRET}]}))
        server = self.enterContext(Server(*VOUCHED, "--ice-servers", str(file), testing=False))
        with Person(server, "A") as person:
            person.ask("room.join", ROOM)
            answer = person.ask("ice.servers", ROOM)
            self.assertNotIn("quota", answer, "what coturn grants is not known here")
            relay = relay_of(answer, coturn.port)
            self.assertIn(f":{person.user}~", relay["username"])
            self.assertEqual(try_relay(relay), [None])
            relay["credential"] = "forged"
            self.assertEqual(try_relay(relay), [401])


if __name__ == "__main__":
    unittest.main()
