import json
import time

from house import House
from wire import PollingLink


class Rooms(House):
    """Rooms and what goes on in them, for clients with the native events."""

    def members(self, view: dict) -> list[str]:
        return [member["member"] for member in view["members"]]

    def test_a_newcomer_meets_everybody_in_the_order_they_came(self):
        a, b, c = (self.person(name) for name in "ABC")
        self.assertEqual(a.ask("room.join", room="hall")["members"], [])
        self.assertEqual(self.members(b.ask("room.join", room="hall")), [a.member])
        view = c.ask("room.join", room="hall")
        self.assertEqual(view["members"], [{"member": p.member, "user": p.user, "name": p.name} for p in (a, b)])
        self.assertEqual((view["count"], view["number"]), (3, 3))
        for earlier in (a, b):
            joined = earlier.expect("room.joined", member=c.member)
            self.assertEqual(joined, {"room": "hall", "member": c.member, "user": c.user, "name": "C", "number": 3})
        self.assertEqual(c.heard("room.joined"), [])

    def test_J35_who_records_a_room_says_so_and_whoever_comes_later_finds_it(self):
        """J35.room"""
        a, b, c, d = (self.person(name) for name in "ABCD")
        for person in (a, b):
            person.ask("room.join", room="taped")
        self.assertEqual(c.error("room.record", room="taped"), "not_member")
        began = time.time()
        self.assertEqual(a.ask("room.record", room="taped"), {})
        self.assertEqual(a.ask("room.record", room="taped"), {})
        told = b.expect("room.recording")
        self.assertEqual(told, {"room": "taped", "member": a.member, "since": told["since"], "number": 3})
        self.assertLess(abs(told["since"] / 1000 - began), 5)
        found = {member["member"]: member.get("recording") for member in c.ask("room.join", room="taped")["members"]}
        self.assertEqual(found, {a.member: told["since"], b.member: None})
        a.ask("room.record", room="taped", on=False)
        for person in (b, c):
            self.assertEqual(person.expect("room.recording", number=5), {"room": "taped", "member": a.member, "number": 5})
        b.ask("room.record", room="taped")
        b.ask("room.leave", room="taped")
        self.assertEqual(c.expect("room.left")["member"], b.member)
        self.assertNotIn("recording", d.ask("room.join", room="taped")["members"][0])

    def test_who_joins_twice_is_in_it_once(self):
        a, b = self.person("A"), self.person("B")
        a.ask("room.join", room="twice")
        b.ask("room.join", room="twice")
        self.assertEqual(b.ask("room.join", room="twice")["count"], 2)
        self.assertEqual(len(a.heard("room.joined")), 1)

    def test_who_leaves_is_gone_for_everybody(self):
        a, b = self.person("A"), self.person("B")
        a.ask("room.join", room="leave")
        b.ask("room.join", room="leave")
        self.assertEqual(b.ask("room.leave", room="leave"), {})
        self.assertEqual(a.expect("room.left")["reason"], "left")
        self.assertEqual(a.ask("room.members", room="leave")["members"], [])
        self.assertEqual(b.error("room.members", room="leave"), "not_member")
        self.assertEqual(b.error("signal", room="leave", data=1), "not_member")

    def test_the_events_of_a_room_are_numbered_without_a_gap_and_alike_for_everybody(self):
        a, b, c = (self.person(name) for name in "ABC")
        for person in (a, b, c):
            person.ask("room.join", room="order")
        for turn in range(20):
            (a, b, c)[turn % 3].send("signal", {"room": "order", "data": turn})
        for person in (a, b, c):
            person.ask("room.members", room="order")
        numbers = {person: [s["number"] for s in person.heard("signal")] for person in (a, b, c)}
        data = {s["number"]: s["data"] for person in (a, b, c) for s in person.heard("signal")}
        self.assertEqual(sorted(data), list(range(4, 24)))
        for person in (a, b, c):
            self.assertEqual(numbers[person], sorted(numbers[person]))

    def test_a_signal_reaches_the_one_it_is_for_and_nobody_else(self):
        a, b, c = (self.person(name) for name in "ABC")
        for person in (a, b, c):
            person.ask("room.join", room="one")
        a.expect("room.joined", member=b.member)
        self.assertEqual(a.ask("signal", room="one", to=b.member, description={"type": "offer", "sdp": "v=0"}), {})
        self.assertEqual(
            b.expect("signal"), {"room": "one", "from": a.member, "description": {"type": "offer", "sdp": "v=0"}})
        self.assertEqual(c.heard("signal"), [])
        self.assertEqual(a.ask("signal", room="one", to=None, candidate=None)["number"], 4)
        self.assertEqual(c.expect("signal")["candidate"], None)

    def test_only_members_reach_members(self):
        a, b, stranger = (self.person(name) for name in ("A", "B", "stranger"))
        a.ask("room.join", room="ours")
        b.ask("room.join", room="ours")
        stranger.ask("room.join", room="theirs")
        self.assertEqual(stranger.error("signal", room="ours", data=1), "not_member")
        self.assertEqual(stranger.error("signal", room="ours", to=b.member, data=1), "not_member")
        self.assertEqual(stranger.error("signal", room="theirs", to=b.member, data=1), "not_found")
        self.assertEqual(stranger.error("room.members", room="ours"), "not_member")
        self.assertEqual(b.heard("signal"), [])

    def test_a_signal_passes_byte_for_byte(self):
        a, b = self.person("A"), self.person("B", link=PollingLink)
        a.ask("room.join", room="bytes")
        b.ask("room.join", room="bytes")
        for value in (
            '{ "sdp" : "v=0\\r\\n\\/\\u00e9\\ud83d\\ude00" ,\t"type":"offer"}', "12345678901234567890123",
            "-0.10e+5", '[ 1 ,{"a" : {}} , "" ]', '"\\b\\f\\u2028 \u2028 \U0001f600"',
            '{"description":1,"description":2}', "null",
        ):
            with self.subTest(value):
                a.ask_raw('["signal",{"room" : "bytes", "x":[], "data" :%s}]' % value)
                b.expect("signal")
                self.assertIn(f'"data":{value},"number":', b.raw)

    def test_binary_parts_are_refused_and_not_passed_on_in_half(self):
        a, b = self.person("A"), self.person("B")
        a.ask("room.join", room="parts")
        b.ask("room.join", room="parts")
        self.assertEqual(a.error("signal", room="parts", data=b"\x00\xff"), "bad_request")
        self.assertEqual(b.heard("signal"), [])

    def test_who_is_back_in_time_keeps_the_seat(self):
        a, b = self.person("A"), self.person("B", recover=True)
        a.ask("room.join", room="back")
        b.ask("room.join", room="back")
        b.link.cut()
        a.expect("room.away")
        a.ask("signal", room="back", data="while away")
        again = self.back(b)
        self.assertTrue(again.is_recovered)
        self.assertEqual(again.expect("signal")["data"], "while away")
        self.assertEqual(a.expect("room.back")["member"], b.member)
        again.ask("signal", room="back", to=a.member, data="here")
        self.assertEqual(a.expect("signal")["from"], b.member)

    def test_who_cannot_come_back_is_lost_and_has_not_left(self):
        a, b = self.person("A"), self.person("B")
        a.ask("room.join", room="dead")
        b.ask("room.join", room="dead")
        b.link.cut()
        self.assertEqual(a.expect("room.left")["reason"], "lost")

    def test_a_new_line_takes_the_place_of_the_old_one(self):
        a, b = self.person("A"), self.person("B")
        a.ask("room.join", room="replace")
        b.ask("room.join", room="replace")
        again = self.device(b)
        view = again.ask("room.join", room="replace", replaces=b.member)
        self.assertEqual((view["count"], self.members(view)), (2, [a.member]))
        self.assertEqual(a.expect("room.left")["reason"], "replaced")
        self.assertEqual(b.expect("room.dismissed")["reason"], "replaced")
        thief = self.person("thief")
        self.assertEqual(thief.ask("room.join", room="replace", replaces=a.member)["count"], 3)
        self.assertEqual(a.heard("room.dismissed"), [])

    def test_what_is_no_request_is_refused(self):
        a = self.person("A")
        for body, code in (
            ('["room.join"]', "bad_request"), ('["room.join",1]', "bad_request"), ('["room.join",{},{}]', "bad_request"),
            ('["room.join",{"room":"No Capitals"}]', "bad_request"), ('["room.join",{"room":1}]', "bad_request"),
            ('["signal",{"room":"x"}]', "bad_request"), ('["signal",{"data":1}]', "bad_request"),
            ('["room.dance",{"room":"x"}]', "unknown_event"), ('["dance",{}]', "unknown_event"),
            ('["",{}]', "unknown_event"), ('["call.accept",{"call":"nobodyrangthisnumber"}]', "not_found"),
        ):
            with self.subTest(body):
                self.assertEqual(a.ask_raw(body)["error"]["code"], code, json.loads(body))


class ManyRooms(House):
    def test_rooms_of_one_user(self):
        a = self.person("A")
        for number in range(50):
            self.assertNotIn("error", a.ask("room.join", room=f"room-{number}"))
        self.assertEqual(a.error("room.join", room="one-more"), "too_many_rooms")
        self.assertNotIn("error", a.ask("room.join", room="room-7"))
        second = self.device(a)
        self.assertEqual(second.error("room.join", room="one-more"), "too_many_rooms")
        self.assertNotIn("error", second.ask("room.join", room="room-7"))
        a.ask("room.leave", room="room-7")
        self.assertEqual(a.error("room.join", room="one-more"), "too_many_rooms")
        second.ask("room.leave", room="room-7")
        self.assertNotIn("error", second.ask("room.join", room="one-more"))
        self.assertNotIn("error", self.person("B").ask("room.join", room="one-more"))


class Leases(House):
    """A seat waits for as long as a line may be silent."""

    options = ("--ping-timeout", "700ms")
    members = Rooms.members

    def test_a_broken_line_is_away_and_then_lost_within_the_lease(self):
        a, b = self.person("A"), self.person("B", recover=True)
        a.ask("room.join", room="lost")
        b.ask("room.join", room="lost")
        b.link.cut()
        began = time.monotonic()
        self.assertEqual(a.expect("room.away")["member"], b.member)
        self.assertEqual(a.expect("room.left"), {"room": "lost", "member": b.member, "reason": "lost", "number": 4})
        self.assertLess(time.monotonic() - began, 1.4)
        self.assertEqual(a.ask("room.members", room="lost")["count"], 1)
        again = self.back(b)
        self.assertTrue(again.is_recovered)
        self.assertEqual(again.expect("room.dismissed"), {"room": "lost", "reason": "lost"})
        self.assertEqual(self.members(again.ask("room.join", room="lost")), [a.member])
