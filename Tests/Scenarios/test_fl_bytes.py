"""Bytes inside what FLSocketIM's apps say to each other through the server, on every transport of theirs."""

import itertools
import random
import unittest

from phones import Phones

WAYS = [
    (platform, options) for platform in ("ios", "android")
    for options in ({"stays_polling": True}, {"starts_on_socket": True}, {})
]


class Relayed(Phones):
    numbers = itertools.count()

    def phones(self):
        """Each pair of ways once: a talks, b listens."""
        for number, (platform, options) in enumerate(WAYS):
            listener, other = WAYS[(number + 2) % len(WAYS)]
            serial = next(self.numbers)
            a = self.phone(f"talks_{serial}x", platform, **options)
            b = self.phone(f"hears_{serial}x", listener, **other)
            with self.subTest(platform=platform, listener=listener, options=options, other=other):
                yield a, b
            a.close(), b.close()

    def test_B12_bytes_inside_what_is_said_to_everybody_arrive(self):
        """B12.everybody"""
        words = {"neirong": b"\x00\x04\xff" + random.Random(1).randbytes(100_000), "ren": [b"", {"nested": b"b4"}]}
        for a, b in self.phones():
            a.emit("liaotian", words)
            self.assertEqual(b.expect("liaotian"), words)

    def test_B12_bytes_inside_descriptions_arrive_with_those_meant_alone(self):
        """B12.descriptions"""
        for a, b in self.phones():
            room = a.ask("videoChat", {"to_user": "nobody_there"})[0]
            for phone in (a, b):
                phone.emit("__join", {"room": room})
                phone.expect("_peers")
            offer = {"type": "offer", "sdp": b"v=0\r\n", "keys": [b"\xff\x00", {"_deep": b"\x04"}]}
            # What stands beside the description goes to nobody, with its bytes.
            b.emit("__offer", {"more": b"lost", "socketId": a.sid, "sdp": offer, "and": b"this"})
            self.assertEqual(a.expect("_offer"), {"socketId": b.sid, "sdp": offer})
            answer = offer | {"type": "answer"}
            a.emit("__answer", {"socketId": b.sid, "sdp": answer})
            self.assertEqual(b.expect("_answer"), {"socketId": a.sid, "sdp": answer})

    def test_B12_bytes_inside_what_is_said_to_a_group_arrive(self):
        """B12.groups"""
        for a, b in self.phones():
            name = f"bytes {next(self.numbers)}"
            for phone in (a, b):
                phone.ask("join", {"roomId": name})
            said = {"roomId": name, "n": 1, "bodies": {"msg": "look", "fileData": random.Random(2).randbytes(70_000), "x": [b""]}}
            a.emit("GroupChat", said)
            for phone in (a, b):
                self.assertEqual(phone.expect("GroupChat", n=1), said)

    def test_B12_bytes_said_to_a_group_reach_whoever_was_away(self):
        """B12.groups"""
        a, b = self.phone("groups_a"), self.phone("groups_b")
        for phone in (a, b):
            phone.ask("join", {"roomId": "away"})
        b.close()
        a.expect("GroupChat", roomId="away")
        picture = random.Random(3).randbytes(1_900_000)
        for number in range(2):
            a.emit("GroupChat", {"roomId": "away", "n": number, "fileData": picture})
            self.assertEqual(a.expect("GroupChat", n=number)["fileData"], picture)
        b = self.phone("groups_b")
        self.assertEqual(b.expect("GroupChat", n=0)["fileData"], picture)
        self.assertEqual(b.expect("GroupChat", n=1)["fileData"], b"", "more than comes along after a while")

    def test_bytes_that_a_phone_may_relay_at_once(self):
        a, b = self.phone("bound_a"), self.phone("bound_b")
        room = a.ask("videoChat", {"to_user": "nobody_there"})[0]
        for phone in (a, b):
            phone.emit("__join", {"room": room})
            phone.ask("join", {"roomId": "bound"})
        for size in (2_000_001, 10):
            b.emit("__offer", {"socketId": a.sid, "sdp": {"type": "offer", "sdp": bytes(size)}})
            b.emit("GroupChat", {"roomId": "bound", "fileData": bytes(size)})
            b.emit("liaotian", {"neirong": bytes(size)})
        self.assertEqual(a.expect("_offer")["sdp"]["sdp"], bytes(10))
        self.assertEqual(a.expect("liaotian")["neirong"], bytes(10))
        while "fileData" not in (said := a.expect("GroupChat")):
            pass
        self.assertEqual(said["fileData"], bytes(10))


if __name__ == "__main__":
    unittest.main()
