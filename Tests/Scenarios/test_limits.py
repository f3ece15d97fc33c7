import contextlib
import json
import time
import unittest

import websocket
from fl import Phone, account
from house import House
from server import eventually, of_one_process
from wire import Answer, Closed, PollingLink, WebSocketLink, ask_http, need_websockets

BOUNDARY = 1_000_000


class Limits(House):
    """The rows of the table of limits in docs/protocol.md, and what comes beyond each."""

    def still_serves(self) -> None:
        with self.person("after") as person:
            self.assertIn("iceServers", person.ask("ice.servers"))

    @of_one_process
    def test_requests_of_one_connection(self):
        need_websockets("by polling, so many take longer than the limit needs to fill up again")
        a = self.person("A")
        for number in range(600):
            a.send("ice.servers", {}, number=number)
        answers = [a.answer(number) for number in range(600)]
        refused = [answer["error"] for answer in answers if "error" in answer]
        self.assertTrue(answers[399].get("iceServers") is not None)
        self.assertEqual({error["code"] for error in refused}, {"rate_limited"})
        self.assertGreater(len(refused), 50)
        self.assertTrue(all(0 < error["retryAfter"] <= 20 for error in refused), refused[:3])
        a._numbers = iter(range(10_000, 20_000))
        eventually(lambda: "error" not in a.ask("ice.servers"), "requests are granted again")

    def test_the_limit_of_a_signal(self):
        a = self.person("A")
        a.ask("room.join", room="big")
        self.assertNotIn("error", a.ask_raw('["signal",{"room":"big","data":"%s"}]' % ("x" * (256 * 1024 - 2))))
        self.assertEqual(
            a.ask_raw('["signal",{"room":"big","data":"%s"}]' % ("x" * (256 * 1024 - 1)))["error"]["code"], "bad_request")

    def test_calls_of_one_user(self):
        a = self.person("A")
        others = [self.person(f"B{number}") for number in range(5)]
        for other in others[:4]:
            a.ask("call.invite", user=other.user, kind="audio")
        self.assertEqual(a.error("call.invite", user=others[4].user, kind="audio"), "too_many_calls")
        self.assertEqual(self.device(a).error("call.invite", user=others[4].user, kind="audio"), "too_many_calls")
        self.assertEqual(others[4].heard("call.incoming"), [])
        others[0].ask("call.decline", call=others[0].expect("call.incoming")["call"])
        self.assertNotIn("error", a.ask("call.invite", user=others[4].user, kind="audio"))

    def test_calls_one_connection_begins(self):
        a, b = self.person("A"), self.person("B")
        answers = [a.ask("call.invite", user="nobody-there", kind="audio") for _ in range(40)]
        self.assertTrue(all("call" in answer for answer in answers[:30]), answers[:30])
        error = answers[-1]["error"]
        self.assertEqual(error["code"], "rate_limited")
        self.assertTrue(0 < error["retryAfter"] <= 1000, error)
        self.assertIn("call", b.ask("call.invite", user="nobody-there", kind="audio"))

    def test_users_one_connection_watches(self):
        a = self.person("A")
        self.assertEqual(len(a.ask("presence.watch", users=[f"user-{n}" for n in range(1000)])["users"]), 1000)
        self.assertEqual(a.error("presence.watch", users=["one-more"]), "too_many_watched")
        self.assertEqual(a.error("presence.watch", users=[f"user-{n}" for n in range(1001)]), "bad_request")
        a.ask("presence.unwatch", users=["user-1"])
        self.assertNotIn("error", a.ask("presence.watch", users=["one-more"]))

    def test_attachments_of_one_packet(self):
        """CVE-2026-33151 of others: an unbounded number of binary attachments."""
        for packet in ("4511-1[\"signal\",{}]", "45999999999-[\"signal\"]", "4599999999999999999999-[\"x\"]"):
            a = self.person("A")
            a.link.send(packet)
            with self.subTest(packet):
                self.assertEqual(a.wait_for_end(), a.link.PROTOCOL_ERROR)
        self.still_serves()

    def test_the_limit_of_bytes_of_attachments(self):
        a = self.person("A")
        holes = ",".join('{"_placeholder":true,"num":%d}' % number for number in range(3))
        a.link.send(f'453-["signal",{holes}]')
        with contextlib.suppress(OSError):
            for _ in range(3):
                a.link.send(b"x" * 400_000)
        self.assertEqual(a.wait_for_end(), a.link.PROTOCOL_ERROR)

    def test_attachments_that_nobody_announced_or_placed(self):
        """CVE-2022-2421 and CVE-2023-32695 of others: indices and kinds that confuse the decoder."""
        for packets in (
            ['451-["signal",{"_placeholder":true,"num":1}]', b"x"],
            ['451-["signal",{"_placeholder":true,"num":-1}]', b"x"],
            ['451-["signal",{"_placeholder":true,"num":"splice"}]', b"x"],
            ['451-["signal",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]', b"x"],
            ['451-["signal",{}]', b"x"], ['451-["signal",{"_placeholder":true,"num":0}]', "42[\"a\"]"],
            [b"nobody asked"], ['45-["x"]'], ['42{"toString":1}'], ['42[{"hasOwnProperty":1}]'], ["42[]"], ["42[null]"],
            ["43[1]"], ["47"], ["4"], ["42[1"], ['42["a"]]'], ['42["a",' + "[" * 100 + "]" * 100 + "]"],
        ):
            with self.subTest(packets):
                a = self.person("A")
                for packet in packets:
                    a.link.send(packet)
                self.assertEqual(a.wait_for_end(), a.link.PROTOCOL_ERROR)
        self.still_serves()

    def test_events_with_the_names_of_the_library_itself(self):
        """CVE-2024-38355 of others: an event called `error` that nobody listened to ended the process."""
        a = self.person("A")
        for name in ("error", "__proto__", "constructor", "room.", "call.__proto__"):
            self.assertIn(a.error(name, {"room": "x", "call": "nobodyrangthisnumber"}), ("unknown_event", "bad_request"))
        for name in ("connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener"):
            b = self.person("B")
            b.send(name, {})
            self.assertEqual(b.wait_for_end(), b.link.PROTOCOL_ERROR)
        self.still_serves()

    def test_the_limit_of_one_polling_body(self):
        link = PollingLink(self.server, "EIO=4")
        self.addCleanup(link.close)
        answer = ask_http(self.server, "POST", link.target, b"4" * (BOUNDARY + 1))
        self.assertEqual(answer.status, 413)
        self.still_serves()

    @of_one_process
    def test_the_limit_of_one_websocket_message(self):
        a = self.person("A", link=WebSocketLink)
        with contextlib.suppress(OSError):
            a.link.send("42" + json.dumps(["x", "y" * BOUNDARY]))
        self.assertEqual(a.wait_for_end(), 1009)
        b = self.person("B")
        b.send("x", "y" * (BOUNDARY - 100))
        self.assertIn("iceServers", b.ask("ice.servers"))

    def test_packed_polling_bodies_take_no_memory(self):
        """CVE-2020-36048 and CVE-2020-36049 of others: memory and time by packed and long payloads."""
        self.server.forget_peak()
        before = self.server.memory("VmHWM")
        for body in ("\x1e".join(["2"] * 20_000), "\x1e" * 900_000, "b" + "A" * 900_000, "4" * 900_000, "451-" * 200_000):
            stranger = PollingLink(self.server, "EIO=4")
            self.addCleanup(stranger.close)
            self.assertIn(ask_http(self.server, "POST", stranger.target, body).status, (400, 413))
            link = self.person("Packed", link=PollingLink).link
            began = time.monotonic()
            self.assertEqual(ask_http(self.server, "POST", link.target, body).status, 400)
            self.assertLess(time.monotonic() - began, 2)
        for body in ("9" * 100_000 + ":4", "1:2" * 200_000, "1000000000:4"):
            phone = Phone(self.server, None, "android", stays_polling=True)
            self.assertIn(phone.post(body).status, (400, 413))
            phone.close()
        self.assertLess(self.server.memory("VmHWM") - before, 64 << 10)
        self.still_serves()

    def test_crafted_requests_end_no_process(self):
        """CVE-2022-21676, CVE-2022-41940 and CVE-2023-31125 of others: one request ended the process."""
        for query in (
            "EIO=4&transport=polling&sid=", "EIO=4&transport=websocket&sid=%00", "EIO=4&transport=constructor",
            "EIO=4&EIO=4&transport=polling&transport=websocket", "EIO=%34&transport=%GG", "EIO=4&transport=polling&sid[]=1",
            "EIO=999999999999999999999&transport=polling", "%", "&&&===", "EIO=4&transport=websocket",
        ):
            for headers in ({}, {"Upgrade": "websocket", "Connection": "Upgrade"}, {"Upgrade": "h2c", "Connection": "Upgrade"}):
                with self.subTest(query=query, headers=headers):
                    status = ask_http(self.server, "GET", f"/socket.io/?{query}", headers=headers).status
                    self.assertIn(status, (200, 400, 426))
        self.still_serves()

    def test_many_headers_are_refused_by_their_number(self):
        """CVE-2024-37890 of others: more headers than were kept, and none that was looked for."""
        for count in (2000, 100):
            headers = {f"X-{number}": "x" for number in range(count)}
            answer = ask_http(
                self.server, "GET", "/socket.io/?EIO=4&transport=websocket",
                headers=headers | {"Upgrade": "websocket", "Connection": "Upgrade"})
            self.assertIn(answer.status, (400, 426, 431))
        self.still_serves()

    def test_tiny_fragments_of_a_message_take_no_memory(self):
        """CVE-2026-48779 of others: memory by a message in endlessly many tiny pieces."""
        a = self.person("A", link=WebSocketLink)
        before = self.server.memory("VmRSS")
        frame = b"\x00\x81\x00\x00\x00\x00x"
        with contextlib.suppress(OSError):
            a.link.socket.sock.sendall(b"\x01\x81\x00\x00\x00\x004")
            for _ in range(200):
                a.link.socket.sock.sendall(frame * 1000)
        with contextlib.suppress(OSError, AssertionError):
            a.wait_for_end(within=10)
        self.assertLess(self.server.memory("VmRSS") - before, 32 << 10)
        self.still_serves()

    def test_an_invalid_content_type(self):
        """The advisory of April 2026: a binary body of version 4 has no meaning, and ends the session."""
        link = PollingLink(self.server, "EIO=4")
        self.addCleanup(link.close)
        headers = {"Content-Type": "application/octet-stream"}
        self.assertEqual(ask_http(self.server, "POST", link.target, "40", headers).status, 400)
        self.assertEqual(ask_http(self.server, "POST", link.target, "40").status, 400)
        self.still_serves()

    def test_namespaces_of_one_session(self):
        link = WebSocketLink(self.server, "EIO=4")
        link.receive()
        for number in range(3):
            link.send(f"40/n{number},")
            self.assertEqual(link.receive(), f'44/n{number},{{"message":"Invalid namespace"}}')
        with self.assertRaises(Closed):
            link.receive()

    def test_coming_and_going_within_one_session(self):
        a = self.person("A")
        for _ in range(15):
            a.link.send("41")
            a._connect({"token": a.token}, None)
        a.link.send("41")
        a.link.send("40" + json.dumps({"token": a.token}))
        self.assertEqual(a.wait_for_end(), a.link.PROTOCOL_ERROR)
        self.still_serves()

    def test_what_waits_for_one_client(self):
        """Beyond 4,000,000 bytes a client that does not read is closed with 1013. It missed more than is kept for anybody,
        so it is told that it starts afresh."""
        need_websockets("by polling, what waits for a client is the server's until it asks for it")
        a, slow = self.person("A"), self.person("slow", recover=True)
        a.ask("room.join", room="slow")
        slow.ask("room.join", room="slow")
        a.expect("room.joined")
        for _ in range(120):
            a.ask("signal", room="slow", data="x" * 200_000)
            if a.pending:
                break
        self.assertEqual(a.expect("room.away")["member"], slow.member)
        for _ in range(3):
            a.ask("signal", room="slow", data="x" * 200_000)
        self.assertIn(slow.wait_for_end(), (1013, None))
        self.assertTrue(any(name == "signal" for name, *_ in slow.pending))
        back = self.back(slow)
        self.assertFalse(back.is_recovered)
        self.assertNotEqual(back.member, slow.member)
        self.assertEqual(back.error("room.members", room="slow"), "not_member")
        self.still_serves()


@of_one_process
class Arrivals(House):
    """One address begins so many sessions at once. The proxy that the test stands for is believed whom it speaks for."""

    options = ("--trusted-proxy", "127.0.0.0/8", "--connect-rate", "1")
    HANDSHAKE = "/socket.io/?EIO=4&transport=polling"

    def knock(self, address: str | None) -> Answer:
        headers = {"X-Forwarded-For": f"made-up, {address}"} if address else {}
        return ask_http(self.server, "GET", self.HANDSHAKE, headers=headers)

    def assert_turned_away(self, answer: Answer) -> None:
        self.assertEqual(answer.status, 429)
        error = answer.json["error"]
        self.assertEqual(error["code"], "rate_limited")
        self.assertTrue(0 < error["retryAfter"] <= 1000, error)
        self.assertEqual(answer.headers["retry-after"], "1")

    def test_an_old_client_beyond_its_rate_is_refused_in_words_it_knows(self):
        """Its libraries look for a number and a message at the top; how long to wait stands beside them."""
        for target in (self.HANDSHAKE, "/socket.io/?EIO=3&transport=polling", "/socket.io/?transport=polling&b64=1&auth_token=x"):
            with self.subTest(target):
                headers = {"X-Forwarded-For": "203.0.113.77"}
                for _ in range(12):
                    answer = ask_http(self.server, "GET", target, headers=headers)
                self.assert_turned_away(answer)
                message = "connection rate limit exceeded; connect again later"
                self.assertEqual((answer.json["code"], answer.json["message"]), (4, message))

    def test_new_sessions_of_one_address(self):
        self.assertEqual([self.knock("203.0.113.7").status for _ in range(10)], [200] * 10)
        self.assert_turned_away(self.knock("203.0.113.7"))
        headers = {"X-Forwarded-For": "203.0.113.7"}
        with self.assertRaises(websocket.WebSocketBadStatusException) as refusal:
            WebSocketLink(self.server, "EIO=4", headers)
        self.assertEqual(refusal.exception.status_code, 429)
        self.assertEqual(self.knock("203.0.113.8").status, 200)
        eventually(lambda: self.knock("203.0.113.7").status == 200, "waiting helps")

    def test_a_client_prefix_of_ipv6_is_one_address(self):
        self.assertEqual([self.knock(f"2001:db8::{host}").status for host in range(10)], [200] * 10)
        self.assert_turned_away(self.knock("2001:db8::ffff"))
        self.assertEqual(self.knock("2001:db8:0:1::1").status, 200)

    def test_this_machine_itself_is_not_counted(self):
        self.assertEqual({self.knock(None).status for _ in range(50)}, {200})

    def test_pages_files_and_signing_in_are_not_counted(self):
        headers = {"X-Forwarded-For": "203.0.113.9"}
        self.assertEqual({ask_http(self.server, "GET", "/", headers=headers).status for _ in range(50)}, {200})

    def test_guesses_are_counted_by_the_address_behind_the_proxy(self):
        def guess(number: int, address: str) -> int:
            body = {"userName": f"nobody{number}", "password": "x"}
            return ask_http(self.server, "POST", "/v1/auth/login", body, {"X-Forwarded-For": address}).status

        # On a slow machine some guesses are forgiven while the others are made.
        statuses = [guess(number, "203.0.113.20") for number in range(20)]
        self.assertEqual(statuses, [401] * 20)
        more = (guess(number, "203.0.113.20") for number in range(20, 60))
        self.assertIn(429, more)
        self.assertEqual(guess(0, "203.0.113.21"), 401)


@of_one_process
class OpenSessions(House):
    options = ("--trusted-proxy", "127.0.0.1", "--sessions-per-address", "3")

    def test_open_sessions_of_one_address(self):
        headers = {"X-Forwarded-For": "203.0.113.7"}
        people = [self.person("A", headers=headers) for _ in range(3)]
        with self.assertRaises(websocket.WebSocketBadStatusException) as refusal:
            self.person("B", headers=headers)
        self.assertEqual(refusal.exception.status_code, 429)
        self.person("C", headers={"X-Forwarded-For": "203.0.113.8"})
        people[0].link.close()

        def is_free() -> bool:
            with contextlib.suppress(websocket.WebSocketBadStatusException):
                self.person("D", headers=headers)
                return True
            return False

        eventually(is_free, "there is room again")


class LargeRoom(House):
    def test_in_a_large_room_nobody_is_told_who_is_there_who_comes_and_who_goes(self):
        people = [self.person(f"P{number}") for number in range(258)]
        views = [person.ask("room.join", room="large") for person in people]
        self.assertEqual([len(view["members"]) for view in views[-3:]], [255, 0, 0])
        self.assertEqual(views[-1]["count"], 258)
        self.assertEqual(people[0].heard("room.joined", member=people[255].member)[0]["number"], 256)
        self.assertEqual(people[0].heard("room.joined", member=people[256].member), [])
        people[257].ask("signal", room="large", data="to all")
        for person in people[:257]:
            self.assertEqual(person.expect("signal")["data"], "to all")


class PendingAnswers(House):
    options = ("--request-rate", "10000")

    def test_events_that_wait_for_one_clients_answer(self):
        tokens = [account(self.server, f"ring{n}")["data"]["auth_token"] for n in range(4)]
        callee = Phone(self.server, tokens[0])
        callers = [Phone(self.server, token) for token in tokens[1:]]
        for caller in callers:
            for _ in range(380):
                caller.emit("__join", {"room": caller.ask("videoChat", {"from_user": "x", "to_user": "ring0"})[0]})
                caller.emit("closeRoom")
        callee.heard("")
        self.assertEqual(sum(name == "videoChat" for name, _, _ in callee.pending), 1000)
        for phone in (callee, *callers):
            phone.close()


if __name__ == "__main__":
    unittest.main()
