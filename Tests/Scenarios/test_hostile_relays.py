"""TURN servers and peers that lie: `parley stun` and `parley call` end in time, stay small and say why."""

import json
import os
import random
import socket
import struct
import threading
import unittest
from collections.abc import Callable
from dataclasses import dataclass

from hostile import STEERING, HostileCase, HostileServer, Screen, Victim, frame, run
from test_hostile_servers import Behaviour

COOKIE = 0x2112_A442
ALLOCATE, SUCCESS, ERROR = 0x0003, 0x0103, 0x0113
UNAVAILABLE, SOME_FAIL, NO_ANSWER, NO_PATH = 69, 1, 12, 14


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack(">HH", kind, len(value)) + value + bytes(-len(value) % 4)


def message(kind: int, transaction: bytes, *attributes: bytes) -> bytes:
    body = b"".join(attributes)
    return struct.pack(">HHI", kind, len(body), COOKIE) + transaction + body


def error(code: int, reason: str = "no") -> bytes:
    return attribute(0x0009, struct.pack(">HBB", 0, code // 100, code % 100) + reason.encode())


def challenge(code: int, nonce: str = "n") -> tuple[bytes, ...]:
    return error(code), attribute(0x0014, b"realm"), attribute(0x0015, nonce.encode())


def address(kind: int, port: int) -> bytes:
    return attribute(kind, struct.pack(">BBHI", 0, 1, port ^ COOKIE >> 16, 0x7F00_0001 ^ COOKIE))


@dataclass
class Request:
    transaction: bytes
    #: The how manieth it is.
    number: int
    is_signed: bool

    def refused(self, *attributes: bytes) -> bytes:
        return message(ERROR, self.transaction, *attributes)

    def granted(self, *attributes: bytes) -> bytes:
        return message(SUCCESS, self.transaction, *attributes)


Answer = Callable[[Request], list[bytes]]


class HostileRelay:
    """Answers every datagram with whatever `answer` makes of it."""

    def __init__(self, answer: Answer):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.heard = 0
        self.answer = answer
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        try:
            while True:
                data, source = self.socket.recvfrom(1 << 16)
                self.heard += 1
                for reply in self.answer(Request(data[8:20], self.heard, b"\x00\x08\x00\x14" in data)):
                    self.socket.sendto(reply, source)
        except OSError:
            pass

    def __enter__(self) -> "HostileRelay":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()


class HostileRelays(HostileCase):
    def survey(self, answer: Answer, most: int = 60) -> None:
        """A relay that behaves so does not work, is not asked for ever, and is said not to work."""
        with HostileRelay(answer) as relay:
            end = run("stun", f"turn:127.0.0.1:{relay.port}?transport=udp", "--username", "u", "--credential", "c", "--json", within=90)
            heard = relay.heard
        self.check(end, (SOME_FAIL, UNAVAILABLE), "", within=90)
        self.is_plain(end.out)
        self.assertFalse(json.loads(end.out)["servers"][0]["works"])
        self.assertLess(heard, most)

    def test_challenges_without_end_are_answered_a_few_times(self):
        for code in (401, 438):
            self.survey(lambda request, code=code: [request.refused(*challenge(code, f"nonce{request.number}"))])

    def test_redirections_in_a_circle_are_left(self):
        ports = []

        def away(request: Request) -> list[bytes]:
            return [request.refused(error(300), address(0x8023, ports[request.number % len(ports)]))]

        with HostileRelay(away) as other, HostileRelay(away) as third:
            ports += [other.port, third.port]
            self.survey(away)

    def test_errors_that_steer_the_terminal_are_plain(self):
        self.survey(lambda request: [request.refused(error(403, STEERING + "\n" + "x" * 400))])

    def test_answers_that_are_not_signed_are_not_believed(self):
        def forge(request: Request) -> list[bytes]:
            if not request.is_signed:
                return [request.refused(*challenge(401))]
            granted = address(0x0016, 4000), address(0x0020, 4001), attribute(0x000D, b"\xff\xff\xff\xff")
            return [request.granted(*granted), request.granted(*granted, attribute(0x0008, bytes(20)))]

        self.survey(forge)

    def test_answers_to_nobody_and_noise_are_not_taken_for_answers(self):
        noise = random.Random(1)

        def lie(request: Request) -> list[bytes]:
            foreign = noise.randbytes(12)
            granted = address(0x0016, 4000), attribute(0x000D, b"\x00\x00\x02\x58")
            return [
                message(SUCCESS, foreign, *granted), noise.randbytes(1_000), request.granted(attribute(0x0016, b"x")),
                message(0x0017, foreign, address(0x0012, 5), attribute(0x0013, b"from a stranger")), b"\x40\x00\xff\xffshort", b"",
                struct.pack(">HHI", SUCCESS, 0xFFFC, COOKIE) + request.transaction, request.refused(),
                request.granted(struct.pack(">HH", 0x0016, 0xFFFF)), request.granted(*[attribute(0x8022, b"")] * 16_000),
            ]

        self.survey(lie, most=200)

    def test_a_stream_of_nothing_but_lies_is_closed(self):
        """TURN over TCP: silence, a byte a second, a message that never ends, noise, floods."""
        for behave in (
            Victim.stall, lambda victim: victim.drip(message(ERROR, bytes(12), error(401))), lambda victim: victim.send(b"\x01\x13\xff\xfc"),
            lambda victim: victim.send(os.urandom(1 << 20)), lambda victim: None,
            lambda victim: victim.flood(iter(lambda: message(ERROR, bytes(12), error(401)) * 100, None)),
        ):
            with HostileServer(behave) as server:
                place = f"turn:127.0.0.1:{server.address[1]}?transport=tcp"
                end = run("stun", place, "--username", "u", "--credential", "c", "--json", within=90)
            self.check(end, (SOME_FAIL, UNAVAILABLE), "", within=90)
            self.assertFalse(json.loads(end.out)["servers"][0]["works"])


class HostilePeers(HostileCase):
    """`parley call` rings somebody whom only a lying server knows."""

    def call(self, then: Behaviour, code: int, says: str, role: str = "caller", answers: bool = True, servers: tuple = (),
             within: float = 120) -> None:
        def behave(victim: Victim) -> None:
            victim.let_in()
            for number, name, fields in victim.requests():
                if name == "presence.watch":
                    victim.ack(number, {"users": [{"user": "bob", "online": True, "name": STEERING}]})
                elif name == "ice.servers":
                    victim.ack(number, {"iceServers": list(servers), "expires": 1})
                elif name == "call.invite":
                    victim.call = fields["call"]
                    victim.ack(number, {"call": victim.call})
                    victim.event("call.ringing", {"call": victim.call})
                    if answers:
                        peer = {"member": "D" * 20, "user": "bob", "name": STEERING}
                        victim.event("call.connected", {"call": victim.call, "kind": "audio", "role": role, "peer": peer})
                    then(victim)
                else:
                    victim.ack(number, {})

        with HostileServer(behave) as server:
            end = Screen("call", "@bob", "--token", "t", "--server", server.url).end(within)
        shown = end.out.replace(b"\r\x1b[K", b"").replace(b"\r\n", b"\n")
        self.assertEqual(end.code, code, shown[-500:])
        self.assertRegex(shown.decode(), says)
        self.is_plain(shown)
        self.assertLess(end.memory, 256)
        self.assertLess(len(shown.splitlines()), 20)

    @staticmethod
    def signal(victim: Victim, **content: object) -> None:
        victim.event("signal", {"call": victim.call, "from": "D" * 20} | content)

    def offers(self, *descriptions: object, candidates: tuple[str, ...] = ()) -> Behaviour:
        def send(victim: Victim) -> None:
            for description in descriptions:
                self.signal(victim, description=description)
            for candidate in candidates:
                self.signal(victim, candidate={"candidate": candidate, "sdpMid": "0"})

        return send

    def test_a_call_that_rings_for_ever_is_given_up(self):
        self.call(lambda _: None, NO_ANSWER, "did not answer", answers=False, within=150)

    def test_descriptions_of_thousands_of_sections_are_refused(self):
        self.call(self.offers({"type": "offer", "sdp": sdp(5_000)}), NO_PATH, "too long", role="callee")
        self.call(self.offers({"type": "offer", "sdp": sdp(40)}), NO_PATH, "40 sections are more than 32", role="callee")
        self.call(self.offers({"type": "answer", "sdp": sdp(33)}), NO_PATH, "no connection could be made")
        self.call(self.offers(*[{"type": "offer", "sdp": sdp(32)}] * 1_000), NO_PATH, "no connection could be made", role="callee")

    def test_descriptions_that_are_none_are_refused(self):
        odd = [{"type": kind, "sdp": text} for kind in ("offer", "answer", "pranswer", "rollback", STEERING)
               for text in ("", STEERING, "v=0", "v=0\r\nm=audio 99999999999 X 1\r\n")]
        self.call(self.offers(*odd, {"type": "offer"}, 5, None, []), NO_PATH, "no connection could be made", role="callee")

    def test_thousands_of_candidates_are_not_all_tried(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as target:
            target.bind(("127.0.0.1", 0))
            target.setblocking(False)
            port = target.getsockname()[1]
            places = tuple(f"candidate:{number} 1 udp {number + 1} 127.0.0.1 {1 + number % 65_535} typ host" for number in range(3_000))
            here = f"candidate:x 1 udp 1 127.0.0.1 {port} typ host"
            self.call(self.offers({"type": "offer", "sdp": sdp(1)}, candidates=(*places, here)), NO_PATH, "no connection could be made", role="callee")
            # What comes behind the fortieth is not even sent a check: nobody can be made to scan ports.
            with self.assertRaises(BlockingIOError):
                target.recv(2_000)

    def test_lists_of_servers_are_not_all_looked_up(self):
        many = tuple({"urls": [f"turn:host{number}.invalid:3478"], "username": "u", "credential": "c"} for number in range(3_000))
        self.call(lambda _: None, NO_PATH, "no connection could be made", servers=many)
        odd = ({"urls": "turn:127.0.0.1:1?transport=tcp", "username": "\0" * 60_000, "credential": "c" * 60_000},
               {"urls": ["stun:" + "a" * 60_000]}, {"urls": 5}, 5, None, [])
        self.call(lambda _: None, NO_PATH, "no connection could be made", servers=odd)

    def test_an_end_that_steers_the_terminal_is_plain(self):
        self.call(lambda victim: victim.event("call.ended", {"call": victim.call, "outcome": STEERING * 100}), 1, "owned", answers=False)

    def test_events_without_end_end_the_call(self):
        def flood(victim: Victim) -> None:
            piece = frame(json.dumps(["call.ringing", {"call": victim.call}]).join(("42", ""))) * 200
            for _ in range(500):
                victim.send(piece)

        self.call(flood, UNAVAILABLE, "too many events", answers=False)


def sdp(sections: int) -> str:
    text = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE " + " ".join(map(str, range(sections))) + "\r\n"
    for number in range(sections):
        text += (f"m=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:{number}\r\na=ice-ufrag:abcd\r\na=ice-pwd:{'x' * 24}\r\n"
                 f"a=fingerprint:sha-256 {':'.join(['AA'] * 32)}\r\na=setup:active\r\na=rtcp-mux\r\na=sendrecv\r\n"
                 "a=rtpmap:111 opus/48000/2\r\n")
    return text


if __name__ == "__main__":
    unittest.main()
