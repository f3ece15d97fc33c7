"""Servers that lie, stall, flood and cut: `parley send`, `history` and `chat` end in time, stay small, say why, and show nothing
that steers a terminal."""

import contextlib
import itertools
import json
import os
import threading
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hostile import MEMORY, STEERING, End, HostileCase, HostileServer, Screen, Victim, frame, run

SEND = ("send", "@bob", "hi")
SEND_WITH_TOKEN = (*SEND, "--token", "t")
REFUSED, UNAVAILABLE = 1, 69

Behaviour = Callable[[Victim], None]


def asked(behave: Behaviour) -> Behaviour:
    """After a request over HTTP."""

    def all_of_it(victim: Victim) -> None:
        victim.read_request()
        behave(victim)

    return all_of_it


def opened(behave: Behaviour) -> Behaviour:
    """After the WebSocket and the opening packet."""

    def all_of_it(victim: Victim) -> None:
        victim.read_request()
        victim.open()
        victim.read_frame()
        behave(victim)

    return all_of_it


def let_in(behave: Behaviour) -> Behaviour:
    def all_of_it(victim: Victim) -> None:
        victim.let_in()
        behave(victim)

    return all_of_it


def answering(answer: Callable[[Victim, int], None]) -> Behaviour:
    """To every request the same."""

    def all_of_it(victim: Victim) -> None:
        victim.let_in()
        for number, _, _ in victim.requests():
            answer(victim, number)

    return all_of_it


def in_turn(*steps: Behaviour) -> Behaviour:
    def all_of_it(victim: Victim) -> None:
        for step in steps:
            step(victim)

    return all_of_it


def says(data: bytes) -> Behaviour:
    return lambda victim: victim.send(data)


def floods(piece: bytes) -> Behaviour:
    return lambda victim: victim.flood(itertools.repeat(piece))


STALL: Behaviour = Victim.stall
ACCEPT: Behaviour = Victim.accept


class HostileServers(HostileCase):
    def each(
        self, cases: dict[str, tuple[Behaviour, str]], *words: object, code: int | tuple[int, ...], at_once: int = 16
    ) -> None:
        """Many at the same time, since most of them are about waiting."""

        def one(name: str, behave: Behaviour, says: str) -> None:
            try:
                self.meets(behave, *words, code=code, says=says)
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error

        with ThreadPoolExecutor(at_once) as pool:
            for done in [pool.submit(one, name, *case) for name, case in cases.items()]:
                done.result()

    def test_an_answer_to_a_sign_in_that_is_none_ends_the_program(self):
        ok = b"HTTP/1.1 200 OK\r\n"
        self.each(
            {
                "silence": (STALL, "within 15"),
                "a byte a second": (asked(lambda v: v.drip(ok + b"Content-Length: 100\r\n\r\n" + b" " * 100)), "within 15"),
                "headers without end": (asked(in_turn(says(ok), floods(b"X-A: " + b"y" * 1000 + b"\r\n"))), "header lines are too large"),
                "a header without end": (asked(in_turn(says(ok + b"X: "), floods(b"y" * 65536))), "header lines are too large"),
                "interim answers without end": (asked(floods(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 500)), "within 15"),
                "a body without end": (asked(in_turn(says(ok + b"\r\n"), floods(b"y" * 65536))), "body is too large"),
                "chunks without end": (
                    asked(in_turn(says(ok + b"Transfer-Encoding: chunked\r\n\r\n"), floods(b"1000\r\n" + b"y" * 4096 + b"\r\n"))),
                    "body is too large"),
                "a length that is no number": (asked(in_turn(says(ok + b"Content-Length: 99999999999999999999\r\n\r\n"), STALL)), "length"),
                "a length of ten gigabytes": (asked(in_turn(says(ok + b"Content-Length: 9999999999\r\n\r\n"), STALL)), "too large"),
                "a redirection to itself": (
                    asked(lambda v: v.answer(b"", "307 Temporary Redirect", Location=v.server.url + "/x")), "form"),
                "a deflate bomb": (asked(lambda v: v.answer(b"\x1f\x8b\x08" + bytes(500_000), Content_Encoding="gzip")), "form"),
                "deep JSON": (asked(lambda v: v.answer(b"[" * 200_000)), "form"),
                "noise": (asked(lambda v: v.send(os.urandom(5000))), "no HTTP"),
                "nothing": (asked(lambda _: None), "closed the connection"),
                "a token that is two headers": (
                    asked(lambda v: v.answer({"user": "eve", "accessToken": "t\r\nX: y", "refreshToken": "r", "expires": 1})), "form"),
                "a token of half a megabyte": (
                    asked(lambda v: v.answer({"user": "eve", "accessToken": "t" * 500_000, "refreshToken": "r", "expires": 1})), "form"),
                "an error that steers the terminal": (
                    asked(lambda v: v.answer({"error": {"code": STEERING, "message": STEERING * 10_000}}, "403 Forbidden")), "owned"),
            },
            # One after the other: programs that sign in share a file.
            *SEND, "--as", "eve", code=UNAVAILABLE, at_once=1)

    def test_a_redirection_is_not_followed(self):
        with HostileServer(asked(lambda v: v.answer({"accessToken": "stolen"}))) as other:
            self.meets(asked(lambda v: v.answer(b"", "302 Found", Location=other.url + "/v1/auth/anonymous")), *SEND, "--as", "eve",
                       code=UNAVAILABLE)
            self.meets(asked(lambda v: v.answer(b"", "302 Found", Location=other.url)), *SEND_WITH_TOKEN, code=UNAVAILABLE, says="302")
            self.assertEqual(other.visits, 0)

    def test_a_web_socket_that_is_none_ends_the_program(self):
        def accepted(*steps: Behaviour) -> Behaviour:
            return asked(in_turn(ACCEPT, *steps))

        opening = '0{"sid":"AAAAAAAAAAAAAAAAAAAA","pingInterval":1,"pingTimeout":1}'
        self.each(
            {
                "silence": (STALL, "within 15"),
                "a proof of another": (asked(lambda v: (v.accept(proof="AAAA"), v.stall())), "not with a WebSocket"),
                "compression nobody asked for": (
                    asked(lambda v: (v.accept("Sec-WebSocket-Extensions: permessage-deflate"), v.stall())), "not with a WebSocket"),
                "a protocol nobody asked for": (asked(lambda v: (v.accept("Sec-WebSocket-Protocol: x"), v.stall())), "not with a WebSocket"),
                "a frame of exabytes": (accepted(says(b"\x81\x7f" + (1 << 62).to_bytes(8)), STALL), "too big"),
                "a frame of five megabytes": (accepted(lambda v: v.frame(b"0" * 5_000_000), STALL), "too big"),
                "a compressed frame": (accepted(lambda v: v.frame(b"x", 0xC1), STALL), "reserved bits"),
                "a masked frame": (accepted(says(b"\x81\x81abcdx"), STALL), "masked"),
                "a message without end": (accepted(lambda v: v.frame(b"0", 0x01), floods(frame(b"x" * 60_000, 0x00))), "too big"),
                "empty pieces without end": (accepted(lambda v: v.frame(b"0", 0x01), floods(frame(b"", 0x00) * 1000)), "too many"),
                "pings without end": (accepted(floods(frame(b"x" * 125, 0x89) * 500)), "within 15|closed|broke"),
                "binary": (accepted(lambda v: v.frame(b"x", 0x82), STALL), "no packet"),
                "text that is none": (accepted(lambda v: v.frame(b"0\xff\xfe"), STALL), "UTF-8"),
                "a byte a second": (accepted(lambda v: v.drip(frame(opening))), "within 15"),
                "intervals out of all time": (
                    asked(in_turn(lambda v: v.open(pingInterval=-1e308, pingTimeout=1e308, maxPayload=-1), STALL)), "no packet"),
                "intervals of ages": (
                    asked(in_turn(lambda v: v.open(pingInterval=2**63 - 1, pingTimeout=2**63 - 1), STALL)), "within 15"),
                "an opening without a session": (accepted(lambda v: v.frame("0{}"), STALL), "no packet"),
                "a refusal that steers the terminal": (
                    opened(in_turn(lambda v: v.frame("44" + json.dumps({"message": STEERING + "x" * 100_000})), STALL)), "owned"),
                "a refusal that is no text": (opened(in_turn(lambda v: v.frame('44{"message":{"a":1}}'), STALL)), "unknown"),
                "a deep session": (opened(in_turn(lambda v: v.frame("40" + "[" * 100_000), STALL)), "no packet"),
            },
            *SEND_WITH_TOKEN, code=UNAVAILABLE)

    def test_an_answer_that_is_none_ends_the_program(self):
        def acks(body: str) -> Behaviour:
            return answering(lambda v, number: v.frame(f"43{number}{body}"))

        self.each(
            {
                "none": (let_in(STALL), "in time"),
                "a cut in a frame": (let_in(says(b"\x81\x7e\xff\xff42")), "broke"),
                "of another request": (answering(lambda v, number: v.ack(number + 1, {})), "in time"),
                "of a number beyond all": (acks("99999999999999999999999[]"), "broke"),
                "twice": (answering(lambda v, number: [v.ack(number, {"conversation": "c", "number": n}) for n in (1, 2)]), "form"),
                "nothing": (acks("[]"), "form"),
                "deep": (acks("[" * 1000 + "]" * 1000), "broke"),
                "a number beyond all in it": (acks('[{"conversation":"c","number":1e400}]'), "form"),
                "a number below all in it": (acks('[{"conversation":"c","number":-9223372036854775808}]'), "form"),
                "a conversation that steers the terminal": (
                    answering(lambda v, number: v.ack(number, {"conversation": STEERING, "number": 1})), "form"),
                "a refusal that steers the terminal": (
                    answering(lambda v, number: v.ack(
                        number, {"error": {"code": STEERING, "message": STEERING + "\n" + "x" * 100_000, "retryAfter": 2**62}})), "owned"),
                "events without end": (let_in(floods(frame('42["' + "x" * 100 + '",{}]') * 100)), "too many events"),
                "a binary event": (let_in(in_turn(lambda v: v.frame('451-["x",{"_placeholder":true,"num":0}]'), STALL)), "broke"),
                "a dismissal": (let_in(in_turn(lambda v: v.frame("41"), STALL)), "ended the session"),
                "a key to come back of three megabytes": (
                    opened(in_turn(lambda v: v.frame("40" + json.dumps({"sid": "B" * 20, "pid": "C" * 3_000_000})), STALL)), "in time"),
            },
            *SEND_WITH_TOKEN, code=REFUSED)

    def test_pages_without_end_end(self):
        here = {"count": 1, "users": [{"user": "bob", "online": True}]}
        for words in (("history", "@bob"), ("chat",)):
            end = self.meets(
                answering(lambda v, number: v.ack(number, here | {"conversations": [], "next": "x"})), *words, "--token", "t", code=0)
            self.assertLess(len(end.out), 200)
        view = {"conversation": "c", "kind": "group", "last": 1, "unread": 0}
        self.meets(
            answering(lambda v, number: v.ack(number, here | {"conversations": [view] * 200, "next": "x"})),
            "history", "@bob", "--token", "t", code=0)
        self.meets(answering(lambda v, number: v.ack(number, {"entries": [], "more": True})), "history", "c", "--token", "t", code=0)

    def test_history_is_a_line_an_entry_whatever_is_in_it(self):
        def one(victim: Victim, number: int) -> None:
            entry = json.dumps(said(1, STEERING), ensure_ascii=False, indent=1)
            victim.frame(f'43{number}[{{"entries":[{entry}],"more":false}}]')

        end = self.meets(answering(one), "history", "c", "--json", "--token", "t", code=0)
        self.is_plain(end.out)
        self.assertEqual(json.loads(end.out.decode().splitlines()[0])["body"]["text"], STEERING)
        self.assertEqual(len(end.out.splitlines()), 1)

    def test_a_saved_identity_survives_a_server_that_lies_about_time(self):
        for expires in (-2**63, 2**63 - 1, 0):
            def lie(victim: Victim, expires: int = expires) -> None:
                victim.read_request()
                if not victim.wants_web_socket:
                    return victim.answer({"user": "eve", "accessToken": "t", "refreshToken": "r", "expires": expires})
                victim.open()
                victim.read_frame()
                victim.frame('40{"sid":"BBBBBBBBBBBBBBBBBBBB"}')
                victim.stall()

            self.meets(lie, *SEND, "--as", "eve", code=REFUSED, says="in time")
            kept = json.loads((self.folder / "parley" / "credentials.json").read_text())
            self.assertIn({"user": "eve", "accessToken": "t", "refreshToken": "r", "expires": expires},
                          [names["eve"] for names in kept.values()])


def said(number: int, text: str = "hello", conversation: str = "conv", **more) -> dict:
    return {"conversation": conversation, "number": number, "id": f"{conversation}.{number}", "type": "message", "kind": "text",
            "from": "bob", "time": int(time.time() * 1000), "body": {"text": text}} | more


class HostileScreen(HostileCase):
    """`parley chat` on a terminal: whatever a server says, the screen stays the user's."""

    def chat(self, then: Behaviour, *entries: dict) -> bytes:
        """What is on the screen in the end of a conversation with these entries, after which the server does something."""

        def behave(victim: Victim) -> None:
            victim.let_in()
            for number, name, _ in victim.requests():
                if name == "chat.conversations":
                    victim.ack(number, {"conversations": []})
                elif name == "profile.own":
                    victim.ack(number, {"user": "eve", "name": STEERING})
                elif name == "presence.watch":
                    victim.ack(number, {"count": 1, "users": [{"user": "bob", "online": True, "name": STEERING}]})
                elif name == "profile.list":
                    victim.ack(number, {"users": [{"user": "bob", "name": STEERING + "\nbob" * 100}]})
                elif name == "chat.sync":
                    view = {"conversation": "conv", "kind": "direct", "peer": {"user": "bob", "name": STEERING},
                            "last": len(entries), "read": -1, "unread": 2**63 - 1, "latest": said(1)}
                    victim.ack(number, {"conversations": [view | {"entries": list(entries)}]})
                    then(victim)
                else:
                    victim.ack(number, {"error": {"code": "x", "message": STEERING}})

        with HostileServer(behave) as server:
            end = Screen("chat", "@bob", "--token", "t", "--server", server.url).end()
        self.assertEqual(end.code, UNAVAILABLE, end.out[-500:])
        self.assertIn(b"parley chat: the connection to the server ended: ", end.out.splitlines()[-1])
        self.is_plain(end.out.replace(b"\r\x1b[K", b"").replace(b"\r\n", b"\n"))
        self.assertLess(end.memory, 256)
        return end.out

    @staticmethod
    def events(*events: tuple[str, dict]) -> Behaviour:
        def send(victim: Victim) -> None:
            for name, fields in events:
                victim.event(name, fields)
            victim.frame("41")

        return send

    @staticmethod
    def flood(make: Callable[[int], tuple[str, dict]]) -> Behaviour:
        def send(victim: Victim) -> None:
            for start in range(0, 100_000, 100):
                victim.send(b"".join(frame("42" + json.dumps(make(number))) for number in range(start, start + 100)))

        return send

    def test_nothing_that_is_said_steers_the_terminal(self):
        kinds = [said(number, STEERING + "\nx", kind=kind) for number, kind in enumerate(("text", "image", STEERING, "location"), 5)]
        deeds = [said(number, type=kind, body={"user": STEERING, "users": [STEERING], "title": STEERING, "reaction": STEERING})
                 for number, kind in enumerate(("removed", "joined", "renamed", "reacted", STEERING), 9)]
        shown = self.chat(
            self.events(*(("chat.entry", entry) for entry in kinds + deeds), ("profile", {"user": "bob", "name": STEERING + "B"})),
            said(1, STEERING))
        self.assertIn(b"removed ", shown)

    def test_numbers_at_the_ends_of_all_numbers_end_nothing(self):
        self.chat(
            self.events(
                ("chat.entry", said(5, conversation="d")),
                ("chat.receipt", {"conversation": "conv", "user": "eve", "delivered": 1, "read": -5, "unread": 2**63 - 1}),
                ("chat.receipt", {"conversation": "d", "user": "eve", "delivered": 1, "read": 2**63 - 1, "unread": -2**63}),
                ("chat.entry", said(2**63 - 1, time=-2**63))),
            said(1), said(2**62, time=2**63 - 1))

    def test_a_hundred_thousand_events_end_the_session(self):
        for make in (
            lambda number: ("chat.entry", said(1, conversation=f"c{number}")), lambda number: ("chat.entry", said(number + 1)),
            lambda number: ("chat.entry", said(2 * number + 1)), lambda number: ("profile", {"user": f"u{number}", "name": "n" * 300}),
            lambda _: ("chat.typing", {"conversation": "conv", "user": "bob", "on": True}),
        ):
            self.assertIn(b"too many events", self.chat(self.flood(make)).splitlines()[-1])

    def test_a_dismissal_ends_the_program_although_nothing_is_typed(self):
        self.assertIn(b"the server ended the session", self.chat(lambda victim: victim.frame("41")))


class HostileCallers(HostileCase):
    """`parley answer` waits for calls at a server that lies: it ends when the session does, stays small, and no caller steers the
    terminal."""

    WORDS = ("answer", "--echo", "--token", "t", "--json")

    def answer(self, then: Behaviour, code: int | tuple[int, ...] = UNAVAILABLE, says: str = "ended") -> End:
        def behave(victim: Victim) -> None:
            victim.let_in()
            for number, name, _ in victim.requests():
                if name == "ice.servers":
                    victim.ack(number, {"iceServers": []})
                elif name == "call.answering":
                    victim.ack(number, {})
                    threading.Thread(target=self.drain, args=[victim], daemon=True).start()
                    return then(victim)

        with HostileServer(behave) as server:
            end = run(*self.WORDS, "--server", server.url, environment={"XDG_CONFIG_HOME": str(self.folder)})
        words = end.complaints.decode()
        self.assertIn(end.code, (code,) if isinstance(code, int) else code, words[-500:])
        self.assertRegex(words, says)
        self.assertLess(end.memory, MEMORY)
        self.assertLess(len(end.complaints), 200_000)
        for text in (end.complaints, end.out):
            self.is_plain(text)
        return end

    @staticmethod
    def drain(victim: Victim) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                victim.read_frame()

    @staticmethod
    def incoming(number: int) -> str:
        caller = {"member": f"D{number:019}", "user": "bob", "name": STEERING}
        return "42" + json.dumps(["call.incoming", {"call": f"{number:020}", "kind": "audio", "from": caller}])

    @staticmethod
    def connected(number: int) -> str:
        peer = {"member": f"D{number:019}", "user": "bob", "name": STEERING}
        return "42" + json.dumps(
            ["call.connected", {"call": f"{number:020}", "kind": "audio", "role": "callee", "peer": peer}])

    @staticmethod
    def signal(number: int, **content: object) -> str:
        return "42" + json.dumps(["signal", {"call": f"{number:020}", "from": f"D{number:019}"} | content])

    def test_a_server_that_does_not_let_it_answer_ends_it(self):
        self.meets(STALL, *self.WORDS, code=UNAVAILABLE, says="within 15")
        self.meets(let_in(STALL), *self.WORDS, code=REFUSED, says="in time")
        self.meets(
            answering(lambda v, number: v.ack(number, {"error": {"code": STEERING, "message": STEERING * 1000}})),
            *self.WORDS, code=REFUSED, says="owned")

    def asks_again(self, request: str, answer: dict, *words: str) -> None:
        """The first connection breaks at the request; the second one answers it, and sends the client away."""
        def behave(victim: Victim) -> None:
            is_first = victim.server.visits == 1
            victim.let_in()
            for number, name, _ in victim.requests():
                if name == "ice.servers":
                    victim.ack(number, {"iceServers": []})
                elif name == request:
                    if is_first:
                        return
                    victim.ack(number, answer)
                    return victim.frame("41")

        with HostileServer(behave) as server:
            end = run(*words, "--server", server.url, environment={"XDG_CONFIG_HOME": str(self.folder)})
        self.assertEqual((end.code, server.visits), (UNAVAILABLE, 2), end.complaints.decode()[-500:])

    def test_a_connection_that_breaks_before_the_answer_is_made_again(self):
        self.asks_again("call.answering", {}, *self.WORDS)
        view = {"room": "kitchen", "member": "D" * 20, "number": 1, "count": 1, "members": []}
        self.asks_again("room.join", view, "call", "kitchen", "--play", "tone:440", "--token", "t", "--json")

    def test_callers_without_end_end_the_session(self):
        def ring(victim: Victim) -> None:
            for start in range(0, 100_000, 100):
                victim.send(b"".join(frame(self.incoming(number)) for number in range(start, start + 100)))
            victim.frame("41")

        self.answer(ring)

    def test_calls_that_nobody_rang_for_are_bounded(self):
        def connect(victim: Victim) -> None:
            for number in range(1_200):
                victim.frame(self.connected(number))
                victim.frame(self.signal(number, description={"type": "offer", "sdp": "v=0\r\n" + STEERING}))
                if number % 50 == 0:
                    time.sleep(0.05)
            victim.frame("41")

        self.answer(connect)

    def test_signals_that_are_none_end_no_call(self):
        def signal(victim: Victim) -> None:
            victim.frame(self.incoming(1))
            victim.frame(self.connected(1))
            for content in (
                {"description": {"type": "offer", "sdp": "v=0\r\n" + "m=audio 9 UDP/TLS/RTP/SAVPF 111\r\n" * 10_000}},
                {"description": {"type": "rollback"}}, {"description": None}, {"candidate": {"candidate": STEERING}},
                {"candidate": {"candidate": "candidate:1 1 udp 2 300.1.1.1 99999999 typ host", "sdpMid": STEERING}},
                {"data": [[[]]] * 1000}, {},
            ):
                victim.frame(self.signal(1, **content))
            for number in range(2_000):
                victim.frame(self.signal(1, candidate={"candidate": f"candidate:{number} 1 udp 1 192.0.2.1 {number + 1} typ host"}))
            victim.frame("42" + json.dumps(["call.ended", {"call": f"{1:020}", "outcome": STEERING * 1000}]))
            victim.frame("41")

        end = self.answer(signal)
        self.assertLess(len(end.out.splitlines()), 20, end.out[-500:])


if __name__ == "__main__":
    unittest.main()
