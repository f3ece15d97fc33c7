import subprocess
import sys
import time
import unittest

from house import House
from people import Person
from server import of_one_process, quick


class Calls(House):
    """Calls of the native events, with several devices on both sides."""

    options = ("--ring-timeout", "1s")

    def pair(self) -> tuple[Person, Person]:
        return self.person("A"), self.person("B")

    def ring(self, caller: Person, callee: Person, kind: str = "video") -> str:
        call = caller.ask("call.invite", user=callee.user, kind=kind)["call"]
        incoming = callee.expect("call.incoming", call=call)
        self.assertEqual(incoming["from"], {"member": caller.member, "user": caller.user, "name": caller.name})
        return call

    def talk(self, caller: Person, callee: Person) -> str:
        call = self.ring(caller, callee)
        self.assertEqual(callee.ask("call.accept", call=call), {})
        self.assertEqual(caller.expect("call.connected", call=call)["peer"]["member"], callee.member)
        self.assertEqual(callee.expect("call.connected", call=call)["peer"]["member"], caller.member)
        return call

    def outcome(self, person: Person, call: str) -> str:
        return person.expect("call.ended", call=call)["outcome"]

    def test_J03_a_call_from_the_first_ring_to_the_goodbye(self):
        """J03.relayed J01.signals"""
        a, b = self.pair()
        call = self.ring(a, b, "audio")
        self.assertEqual(a.error("signal", call=call, candidate={}), "not_answered")
        b.ask("call.ringing", call=call)
        a.expect("call.ringing", call=call)
        b.ask("call.accept", call=call)
        connected = a.expect("call.connected")
        self.assertEqual(
            (connected["kind"], connected["role"], connected["peer"]["user"]), ("audio", "caller", b.user))
        self.assertEqual(b.expect("call.connected")["role"], "callee")
        for sender, receiver, content in (
            (a, b, {"description": {"type": "offer", "sdp": "v=0\r\n"}}),
            (b, a, {"description": {"type": "answer", "sdp": "v=0\r\n"}}),
            (a, b, {"candidate": {"candidate": "candidate:1 1 udp 1 192.0.2.1 1 typ host", "sdpMid": "0"}}),
            (b, a, {"candidate": None}),
        ):
            self.assertEqual(sender.ask("signal", {"call": call} | content), {})
            self.assertEqual(receiver.expect("signal"), {"call": call, "from": sender.member} | content)
        b.ask("call.hangup", call=call)
        for person in (a, b):
            self.assertEqual(person.expect("call.ended"), {"call": call, "outcome": "completed", "by": b.user})
        self.assertEqual(a.error("signal", call=call, data=1), "call_over")

    def test_J35_who_records_a_call_says_so_and_the_other_side_knows_since_when(self):
        """J35.call"""
        a, b = self.pair()
        call = self.ring(a, b)
        self.assertEqual(a.error("call.record", call=call), "not_answered")
        b.ask("call.accept", call=call)
        began = time.time()
        self.assertEqual(a.ask("call.record", call=call), {})
        told = b.expect("call.recording")
        self.assertEqual(told, {"call": call, "since": told["since"]})
        self.assertLess(abs(told["since"] / 1000 - began), 5)
        self.assertEqual(a.ask("call.record", call=call), {})
        tablet = self.device(b)
        view = tablet.ask("call.take", call=call, replaces=b.member)
        self.assertEqual(view["peer"]["recording"], told["since"])
        self.assertEqual(b.error("call.record", call=call), "answered_elsewhere")
        self.assertEqual(self.person("C").error("call.record", call=call), "forbidden")
        a.ask("call.record", call=call, on=False)
        self.assertEqual(tablet.expect("call.recording"), {"call": call})
        # Another device that takes the recorder's seat keeps nothing.
        a.ask("call.record", call=call)
        tablet.expect("call.recording")
        other = self.device(a)
        self.assertNotIn("recording", other.ask("call.take", call=call, replaces=a.member)["peer"])
        self.assertEqual(tablet.expect("call.recording"), {"call": call})
        self.assertEqual((b.heard("call.recording"), a.heard("call.recording")), ([], []))

    def test_J12_a_call_is_kept_in_the_conversation_with_its_duration(self):
        """J12.kept J12.duration"""
        a, b = self.pair()
        for person in (a, b):
            person.ask("chat.sync")
        began = time.monotonic()
        call = self.talk(a, b)
        a.listen(1.6)
        b.ask("call.hangup", call=call)
        talked = time.monotonic() - began
        for person in (a, b):
            entry = person.expect("chat.entry", kind="call")
            self.assertEqual(entry["from"], a.user)
            seconds = entry["body"].pop("seconds")
            self.assertEqual(entry["body"], {"call": call, "kind": "video", "outcome": "completed"})
            self.assertTrue(1 <= seconds <= talked, (seconds, talked))
        missed = self.ring(a, b)
        a.ask("call.hangup", call=missed)
        entry = b.expect("chat.entry", kind="call")
        self.assertEqual(entry["body"]["outcome"], "cancelled")
        self.assertEqual(entry["body"].get("seconds", 0), 0, "nobody talked")
        view = b.ask("chat.conversation", conversation=entry["conversation"])
        self.assertEqual((view["unread"], view["latest"]["body"]["call"]), (2, missed))

    def test_J03_nobody_else_reaches_into_a_call(self):
        """J03.bounded"""
        a, b = self.pair()
        stranger, second = self.person("stranger"), self.device(b)
        call = self.talk(a, b)
        for event, fields in (
            ("signal", {"data": 1}), ("call.accept", {}), ("call.hangup", {}), ("call.decline", {}), ("call.take", {}),
        ):
            self.assertEqual(stranger.error(event, {"call": call} | fields), "forbidden", event)
        self.assertIn(second.error("signal", call=call, data=1), ("answered_elsewhere", "forbidden"))
        self.assertEqual(a.heard("signal") + b.heard("signal") + a.heard("call.ended"), [])

    def test_J01_one_device_answers_and_the_others_stop_ringing(self):
        a, b = self.pair()
        laptop, watch = self.device(b), self.device(b)
        call = self.ring(a, b)
        for device in (laptop, watch):
            device.expect("call.incoming", call=call)
        laptop.ask("call.accept", call=call)
        for device in (b, watch):
            self.assertEqual(self.outcome(device, call), "answeredElsewhere")
            self.assertEqual(device.error("call.accept", call=call), "answered_elsewhere")
        self.assertEqual(a.expect("call.connected")["peer"]["member"], laptop.member)
        a.ask("call.hangup", call=call)
        self.assertEqual(self.outcome(laptop, call), "completed")
        self.assertEqual(b.heard("call.ended") + watch.heard("call.ended"), [])

    def test_J04_a_refusal_ends_the_ringing_on_all_devices(self):
        a, b = self.pair()
        second = self.device(b)
        call = self.ring(a, b)
        second.expect("call.incoming")
        second.ask("call.decline", call=call)
        for person in (a, b, second):
            self.assertEqual(self.outcome(person, call), "declined")

    def test_J05_hanging_up_reaches_the_other_side_at_once(self):
        a, b = self.pair()

        def talk() -> None:
            call = self.talk(a, b)
            a.ask("call.hangup", call=call)
            self.assertEqual(self.outcome(b, call), "completed")

        quick(talk, within=0.2)

    def test_J05_who_hangs_up_while_it_rings_cancels(self):
        a, b = self.pair()
        call = self.ring(a, b)
        a.ask("call.hangup", call=call)
        for person in (a, b):
            self.assertEqual(self.outcome(person, call), "cancelled")
        self.assertEqual(b.error("call.accept", call=call), "call_over")

    def test_J07_a_caller_is_told_that_nobody_is_there(self):
        """J07.offline"""
        a, b = self.pair()
        b.link.close()
        self.server.shows(lambda: not a.ask("presence.watch", users=[b.user])["users"][0]["online"], "B is gone")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        self.assertEqual(self.outcome(a, call), "offline")

    def test_J07_a_caller_is_told_that_the_line_is_busy(self):
        """J07.busy"""
        a, b = self.pair()
        first = self.talk(a, b)
        c = self.person("C")
        call = c.ask("call.invite", user=b.user, kind="audio")["call"]
        self.assertEqual(self.outcome(c, call), "busy")
        self.assertEqual(b.heard("call.incoming"), [])
        self.assertEqual(a.ask("signal", call=first, data="still talking"), {})

    def test_J07_a_caller_is_told_that_nobody_answers(self):
        """J07.unanswered"""
        a, b = self.pair()
        began = time.monotonic()
        call = self.ring(a, b)
        for person in (a, b):
            self.assertEqual(self.outcome(person, call), "noAnswer")
        self.assertLess(abs(time.monotonic() - began - 1), 0.5)

    def test_J06_a_broken_line_is_waited_for(self):
        a, b = self.person("A"), self.person("B", recover=True)
        call = self.talk(a, b)
        b.link.cut()
        a.expect("call.peerAway", call=call)
        a.ask("signal", call=call, data="meanwhile")
        again = self.back(b)
        self.assertTrue(again.is_recovered)
        self.assertEqual(a.expect("call.peerBack"), {"call": call, "member": b.member})
        self.assertEqual(again.expect("signal")["data"], "meanwhile")
        again.ask("signal", call=call, data="back")
        self.assertEqual(a.expect("signal")["from"], b.member)

    def test_J06_a_page_that_is_loaded_anew_takes_its_seat(self):
        a, b = self.pair()
        call = self.talk(a, b)
        b.link.cut()
        a.expect("call.peerAway")
        again = self.device(b)
        view = again.ask("call.take", call=call, replaces=b.member)
        self.assertEqual((view["phase"], view["role"], view["peer"]["member"]), ("talking", "callee", a.member))
        self.assertEqual(a.expect("call.peerBack")["member"], again.member)
        a.ask("signal", call=call, data="hello again")
        self.assertEqual(again.expect("signal")["data"], "hello again")

    def test_J13_twenty_calls_in_a_row_between_the_same_two(self):
        a, b = self.pair()
        seen = set()
        for turn in range(20):
            caller, callee = ((a, b), (b, a))[turn % 2]
            call = self.talk(caller, callee)
            caller.ask("signal", call=call, data=turn)
            self.assertEqual(callee.expect("signal"), {"call": call, "from": caller.member, "data": turn})
            (a, b)[turn % 3 % 2].ask("call.hangup", call=call)
            self.assertEqual((self.outcome(a, call), self.outcome(b, call)), ("completed", "completed"))
            seen.add(call)
        self.assertEqual(len(seen), 20)
        self.assertEqual((a.heard("signal"), b.heard("signal"), a.heard("call.ended")), ([], [], []))

    def test_an_invitation_that_is_repeated_is_the_same_call(self):
        a, b = self.pair()
        fields = {"user": b.user, "kind": "audio", "call": "abcdefghij0123456789"}
        self.assertEqual(a.ask("call.invite", fields), a.ask("call.invite", fields))
        self.assertEqual(len(b.heard("call.incoming")), 1)
        c = self.person("C")
        self.assertEqual(c.error("call.invite", fields), "conflict")

    def test_who_rings_themselves_is_told_so(self):
        a = self.person("A")
        self.assertEqual(a.error("call.invite", user=a.user, kind="audio"), "bad_request")

    def test_two_who_ring_each_other_are_in_one_call(self):
        a, b = self.pair()
        first = a.ask("call.invite", user=b.user, kind="video")["call"]
        second = b.ask("call.invite", user=a.user, kind="video")["call"]
        connected = [person.expect("call.connected") for person in (a, b)]
        self.assertEqual(connected[0]["call"], connected[1]["call"])
        self.assertEqual({c["role"] for c in connected}, {"caller", "callee"})
        self.assertIn(connected[0]["call"], (first, second))
        a.ask("call.hangup", call=connected[0]["call"])
        self.assertEqual(self.outcome(b, connected[0]["call"]), "completed")

    def test_a_device_that_cannot_says_so(self):
        a, b = self.pair()
        call = self.talk(a, b)
        b.ask("call.failed", call=call)
        self.assertEqual(self.outcome(a, call), "failed")

    @of_one_process
    def test_a_server_that_stops_ends_what_rings_first(self):
        with type(self).started_anew() as server:
            a, b = (Person(server, name) for name in "AB")
            call = a.ask("call.invite", user=b.user, kind="audio")["call"]
            b.expect("call.incoming")
            server.tell(15)
            for person in (a, b):
                self.assertEqual(self.outcome(person, call), "serverRestarted")
                self.assertEqual(person.wait_for_end(), 1001)
            self.assertEqual(server.wait(), 0)

    @classmethod
    def started_anew(cls):
        from people import VOUCHED
        from server import Server

        return Server(*VOUCHED, *cls.options, testing=False)

    def test_J06_a_killed_caller_stops_the_ringing(self):
        a, b = self.pair()
        child = self.child(b.user)
        call = b.expect("call.incoming")["call"]
        child.kill()
        self.assertIn(self.outcome(b, call), ("cancelled", "lost", "noAnswer"))

    def child(self, callee: str) -> subprocess.Popen:
        host, port = self.server.address
        child = subprocess.Popen([sys.executable, __file__, host, str(port), callee])
        self.addCleanup(lambda: (child.kill(), child.wait()))
        return child


class ShortPatience(House):
    def test_J06_a_killed_peer_is_gone_when_the_patience_is_over(self):
        """The call waits 15 s for a side that does not come back, and no longer."""
        a, b = self.person("A"), self.person("B")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming")
        b.ask("call.accept", call=call)
        a.expect("call.connected")
        b.link.cut()
        began = time.monotonic()
        a.expect("call.peerAway")
        self.assertEqual(a.expect("call.ended", within=18)["outcome"], "lost")
        self.assertLess(abs(time.monotonic() - began - 15), 1.5)


def ring(host: str, port: str, callee: str) -> None:
    """A caller in a process of its own."""

    class Elsewhere:
        address = (host, int(port))

    person = Person(Elsewhere(), "C")
    person.ask("call.invite", user=callee, kind="audio")
    person.wait_for_end(within=60)


if __name__ == "__main__":
    ring(*sys.argv[1:]) if len(sys.argv) == 4 else unittest.main()
