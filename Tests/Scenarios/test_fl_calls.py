"""FLSocketIM apps ring each other, and people who came in otherwise."""

import json
import unittest

from fl import Phone
from phones import UUID, Phones
from server import quick


class Calls(Phones):
    options = ("--ring-timeout", "1s")

    def meet(self, a: Phone, b: Phone, callee: str, **fields) -> str:
        room = a.ask("videoChat", {"from_user": "x", "to_user": callee} | fields)[0]
        self.assertRegex(room, UUID)
        a.emit("__join", {"room": room})
        self.assertEqual(a.expect("_peers"), {"connections": [], "you": a.sid})
        self.assertEqual(b.expect("videoChat")["room"], room)
        b.emit("__join", {"room": room})
        self.assertEqual(b.expect("_peers"), {"connections": [a.sid], "you": b.sid})
        self.assertEqual(a.expect("_new_peer"), {"socketId": b.sid})
        return room

    def test_J02_the_room_comes_as_a_bare_string_and_the_caller_waits_in_it(self):
        a, b = self.phone("jaaa"), self.phone("jbbb", "android")
        number = a.number
        room = a.ask("videoChat", {"from_user": "jaaa", "to_user": "jbbb", "chat_type": 0})[0]
        self.assertIn(f'43{number}["{room}"]', a.trace)
        ringing = next(p for p in iter(b.next, None) if "videoChat" in str(p))
        self.assertRegex(ringing, r'42\d+\["videoChat",\{')  # with an ack, as Android's library expects
        self.assertEqual(json.loads(ringing[ringing.index("[") :])[1], {"from_user": "jaaa", "room": room, "chat_type": 0})
        a.emit("__join", {"room": room})
        self.assertEqual(a.expect("_peers"), {"connections": [], "you": a.sid})

    def test_J03_J10_descriptions_and_candidates_pass_by_socket_id(self):
        """J03.relayed"""
        for platforms in (("ios", "android"), ("android", "ios")):
            with self.subTest(platforms):
                a, b = self.phone("j3aa", platforms[0]), self.phone("j3bb", platforms[1])
                self.meet(a, b, "j3bb")
                offer = {"type": "offer", "sdp": "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\na=candidate:x/y\r\n"}
                b.emit("__offer", {"socketId": a.sid, "sdp": offer})
                self.assertEqual(a.expect("_offer"), {"socketId": b.sid, "sdp": offer})
                answer = offer | {"type": "answer"}
                a.emit("__answer", {"socketId": b.sid, "sdp": answer})
                self.assertEqual(b.expect("_answer"), {"socketId": a.sid, "sdp": answer})
                for label, mid in ((0, "audio"), (1, "video")):
                    candidate = {"id": mid, "label": label, "candidate": "candidate:1 1 udp 2122 192.0.2.1 5000 typ host"}
                    a.emit("__ice_candidate", {"socketId": b.sid} | candidate)
                    self.assertEqual(b.expect("_ice_candidate"), {"socketId": a.sid} | candidate)
                a.emit("closeRoom")
                self.assertEqual(b.expect("_remove_peer"), {"socketId": a.sid})
                a.close(), b.close()

    def test_J03_unknown_targets_and_foreign_rooms_are_out_of_reach(self):
        """J03.bounded"""
        a, b, stranger = self.phone("j4aa"), self.phone("j4bb"), self.phone("j4cc")
        self.meet(a, b, "j4bb")
        offer = {"type": "offer", "sdp": "v=0"}
        for target in (a.sid, b.sid, "nobody", "", 7):
            stranger.emit("__offer", {"socketId": target, "sdp": offer})
            stranger.emit("__ice_candidate", {"socketId": target, "id": "0", "label": 0, "candidate": "c"})
        stranger.heard("")
        self.assertEqual(a.heard("_offer") + b.heard("_offer") + a.heard("_ice_candidate"), [])

    def test_J04_a_refusal_reaches_the_caller_and_the_other_phones(self):
        a, b = self.phone("j5aa"), self.phone("j5bb")
        second = self.phone("j5bb", "android")
        room = a.ask("videoChat", {"from_user": "j5aa", "to_user": "j5bb"})[0]
        a.emit("__join", {"room": room})
        a.expect("_peers")
        for phone in (b, second):
            phone.expect("videoChat", room=room)
        b.emit("cancelVideoChat", {"room": room})
        for phone in (a, second):
            self.assertEqual(phone.expect("cancelVideoChat"), {})

    def test_J04_strangers_cannot_refuse_for_others(self):
        a, b, stranger = self.phone("j6aa"), self.phone("j6bb"), self.phone("j6cc")
        native = self.person("N")
        native.ask("room.join", room="hall")
        room = self.meet(a, b, "j6bb")
        for name in (room, "hall"):
            stranger.emit("cancelVideoChat", {"room": name})
        stranger.heard("")
        self.assertEqual(a.heard("cancelVideoChat") + b.heard("cancelVideoChat"), [])
        self.assertEqual(native.heard("cancelVideoChat"), [])

    def test_J05_hanging_up_closes_the_other_side(self):
        a, b = self.phone("j7aa"), self.phone("j7bb")

        def talk() -> None:
            self.meet(a, b, "j7bb")
            b.emit("closeRoom")
            self.assertEqual(a.expect("_remove_peer"), {"socketId": b.sid})

        quick(talk, within=0.2)

    def test_J06_a_phone_that_vanishes_leaves_the_room(self):
        a, b = self.phone("j8aa"), self.phone("j8bb")
        room = self.meet(a, b, "j8bb")
        b.socket.sock.close()
        self.assertEqual(a.expect("_remove_peer"), {"socketId": b.sid})
        third = self.phone("j8cc")
        third.emit("__join", {"room": room})
        self.assertEqual(third.expect("_peers")["connections"], [a.sid])

    def test_J06_a_caller_that_vanishes_stops_the_ringing(self):
        a, b = self.phone("j9aa"), self.phone("j9bb")
        a.ask("videoChat", {"from_user": "j9aa", "to_user": "j9bb"})
        b.expect("videoChat")
        a.socket.sock.close()
        self.assertEqual(b.expect("cancelVideoChat", within=0.8), {})

    def test_J07_offline_busy_and_no_answer_end_the_callers_wait(self):
        """J07.offline J07.busy J07.unanswered"""
        a, b, c = self.phone("k1aa"), self.phone("k1bb"), self.phone("k1cc")
        room = a.ask("videoChat", {"from_user": "k1aa", "to_user": "gone_now"})[0]
        a.emit("__join", {"room": room})
        a.expect("_peers")
        self.assertEqual(a.expect("cancelVideoChat", within=0.8), {})
        a.emit("closeRoom")
        room = a.ask("videoChat", {"from_user": "k1aa", "to_user": "k1bb"})[0]
        a.emit("__join", {"room": room})
        a.expect("_peers")
        b.expect("videoChat")
        self.assertEqual(a.expect("cancelVideoChat"), {})  # after the ringing time
        a.emit("closeRoom")
        self.meet(a, b, "k1bb")
        room = c.ask("videoChat", {"from_user": "k1cc", "to_user": "k1bb"})[0]
        c.emit("__join", {"room": room})
        self.assertEqual(c.expect("cancelVideoChat", within=0.8), {})
        self.assertEqual(b.heard("videoChat"), [])

    def test_J13_twenty_calls_in_a_row(self):
        a, b = self.phone("m1aa"), self.phone("m1bb", "android")
        for turn in range(20):
            caller, callee, name = ((a, b, "m1bb"), (b, a, "m1aa"))[turn % 2]
            room = self.meet(caller, callee, name)
            callee.emit("__join", {"room": room})  # their apps join twice
            self.assertEqual(callee.expect("_peers")["connections"], [caller.sid])
            caller.emit("__answer", {"socketId": "an-earlier-peer", "sdp": {"type": "answer", "sdp": ""}})
            caller.emit("closeRoom")
            callee.expect("_remove_peer")
            callee.emit("closeRoom")
        self.assertEqual(a.heard("_new_peer") + b.heard("_new_peer") + a.heard("_remove_peer"), [])


class ManyRings(Phones):
    # Their clients give a server little time.
    runs_alone = True

    def test_J07_who_rings_four_and_then_a_fifth_gives_up_the_first(self):
        a, second = self.phone("k2aa"), self.phone("k2aa", "android")
        others = [self.phone(f"k2{n}{n}") for n in range(5)]
        rooms = []
        for number, phone in enumerate(others):
            caller = (a, second)[number % 2]
            rooms.append(caller.ask("videoChat", {"from_user": "k2aa", "to_user": f"k2{number}{number}"})[0])
            phone.expect("videoChat", room=rooms[-1])
        self.assertEqual(others[0].expect("cancelVideoChat", within=0.5), {})
        for room, phone in zip(rooms[1:], others[1:]):
            phone.emit("__join", {"room": room})
            phone.expect("_peers")
            self.assertEqual(phone.heard("cancelVideoChat"), [])


if __name__ == "__main__":
    unittest.main()
