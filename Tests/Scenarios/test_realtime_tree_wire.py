"""The realtime tree as unmodified SDKs speak with it: recorded frames, over WebSockets and by long polling."""

import json
import time
import unittest

from server import Server, eventually, quick
from test_realtime_tree import Tree
from tree_client import Refused, TreePolling, TreeSocket, ask, sign_up, together
from wire import ask_http

TYPING = "/messages/typingIndicator/u1"
MESSAGE = "/messages/messages/-P70U9iR6jPGpqgMUxNi"


class Wire(Tree):
    def socket(self, query: str = "", credential: str | None = "owner", server: Server | None = None) -> TreeSocket:
        socket = TreeSocket(server or self.server, query, credential)
        self.addCleanup(socket.close)
        return socket


class RecordedFrames(Wire):
    """What the JavaScript SDK 12.18 sent in Node, byte for byte, and what it has to be answered."""

    def expect(self, socket: TreeSocket, *frames: str) -> None:
        for frame in frames:
            self.assertEqual(socket.receive(), json.loads(frame))

    def test_L08_a_recorded_session_is_answered_as_the_sdk_needs_it(self):
        """L08"""
        socket = self.socket(credential=None)
        hello = socket.hello
        self.assertEqual((hello["v"], hello["h"]), ("5", "{}:{}".format(*self.server.address)))
        self.assertLess(abs(hello["ts"] - time.time() * 1000), 5000)
        socket.send('{"t":"d","d":{"r":1,"a":"s","b":{"c":{"sdk.node.12-18-0":1}}}}')
        self.expect(socket, '{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}')
        socket.send('{"t":"d","d":{"r":2,"a":"gauth","b":{"cred":"owner"}}}')
        self.assertEqual(socket.receive()["d"]["b"]["s"], "ok")
        socket.send('{"t":"d","d":{"r":3,"a":"q","b":{"p":"/messages/messages","q":{"l":25,"vf":"r"},"t":1,"h":""}}}')
        self.expect(
            socket, '{"t":"d","d":{"a":"d","b":{"p":"messages/messages","d":null,"t":1}}}',
            '{"t":"d","d":{"r":3,"b":{"s":"ok","d":{}}}}')
        socket.send(f'{{"t":"d","d":{{"r":4,"a":"o","b":{{"p":"{TYPING}","d":null}}}}}}')
        self.expect(socket, '{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}')
        socket.send(
            f'{{"t":"d","d":{{"r":6,"a":"p","b":{{"p":"{MESSAGE}",'
            '"d":{"at":{".sv":"timestamp"},"senderId":"u1","text":"Hey 你好"}}}}')
        news = socket.receive()["d"]
        self.assertEqual((news["a"], news["b"]["p"], news["b"]["t"]), ("d", MESSAGE[1:], 1))
        self.assertEqual(news["b"]["d"]["text"], "Hey 你好")
        self.assertIsInstance(news["b"]["d"]["at"], int)
        self.expect(socket, '{"t":"d","d":{"r":6,"b":{"s":"ok","d":""}}}')
        socket.send('{"t":"d","d":{"r":8,"a":"m","b":{"p":"/","d":{"a/b":1,"a/c":{".sv":{"increment":2}}}}}}')
        self.expect(socket, '{"t":"d","d":{"r":8,"b":{"s":"ok","d":""}}}')
        self.assertEqual(self.value("/a.json"), {"b": 1, "c": 2})
        socket.send('{"t":"d","d":{"r":11,"a":"p","b":{"p":"/a/b","d":1,"h":""}}}')
        self.expect(
            socket, '{"t":"d","d":{"r":11,"b":{"s":"datastale","d":"Transaction hash does not match"}}}')
        socket.send('{"t":"d","d":{"r":16,"a":"p","b":{"p":"/p","d":{"k":1,".priority":7}}}}')
        self.expect(socket, '{"t":"d","d":{"r":16,"b":{"s":"ok","d":""}}}')
        socket.send('{"t":"d","d":{"r":17,"a":"g","b":{"p":"/p","q":{}}}}')
        self.expect(socket, '{"t":"d","d":{"r":17,"b":{"s":"ok","d":{"k":1,".priority":7}}}}')
        socket.send('{"t":"d","d":{"r":19,"a":"o","b":{"p":"/od","d":{".value":"v",".priority":3}}}}')
        self.expect(socket, '{"t":"d","d":{"r":19,"b":{"s":"ok","d":""}}}')
        socket.send('{"t":"c","d":{"t":"p","d":{}}}')
        self.expect(socket, '{"t":"c","d":{"t":"o","d":null}}')
        socket.send("0")
        socket.send('{"t":"d","d":{"r":20,"a":"unauth","b":{}}}')
        self.expect(socket, '{"t":"d","d":{"a":"c","b":{"p":"messages/messages","q":null}}}')
        self.expect(socket, '{"t":"d","d":{"r":20,"b":{"s":"ok","d":""}}}')
        socket.close()
        eventually(lambda: self.value("/od.json?format=export") == {".value": "v", ".priority": 3}, "the end was seen to")

    def test_L08_queries_are_understood_as_the_sdk_writes_them(self):
        self.ask("PUT", "/q.json", {"a": {"n": {"m": 3}}, "k": {"n": {"m": 3}}, "l": {"n": {"m": 8}}, "z": {"n": {"m": 9}}})
        self.ask("PUT", "/t.json", {"u": True, "v": False})
        socket = self.socket()
        for tag, (path, query, keys) in enumerate((
            ("/q", {"l": 2, "vf": "r"}, {"l", "z"}),
            ("/t", {"sp": True, "sin": True, "ep": True, "ein": True, "i": ".value"}, {"u"}),
            ("/q", {"sp": 3, "sn": "k", "sin": True, "ep": 9, "en": "[MIN_NAME]", "ein": False, "i": "n/m"}, {"k", "l"}),
            ("/q", {"sp": "a", "sin": False, "l": 2, "vf": "l", "i": ".key"}, {"k", "l"}),
            ("/q", {"sp": 3, "sn": "[MAX_NAME]", "sin": False, "i": "n/m"}, {"l", "z"}),
            ("/q", {"sp": None, "sin": True, "ep": None, "ein": True, "i": "x"}, {"a", "k", "l", "z"}),
        ), 1):
            self.assertEqual(set(socket.listen(path, query, tag)), keys, query)

    def test_L08_long_messages_go_in_segments_both_ways(self):
        socket = self.socket()
        text = "é😀" * 60_000
        socket.ask("p", p="/long", d=text)
        self.assertEqual(socket.ask("g", p="/long", q={}), text)
        self.assertEqual(socket.listen("/long"), text)

    def test_L08_what_a_client_knows_already_is_not_sent_again(self):
        self.ask("PUT", "/h.json", {"9": "nine", "10": "ten", "a": 1, "b": {"c": "x", "d": True}})
        socket = self.socket()
        self.assertEqual(socket.listen("/h", known="m7HV0COr1zi1B+l1rEq0ioltLkI="), None)
        self.ask("PUT", "/h/a.json", 2)
        self.assertEqual(socket.push(), ("d", "h/a", 2))

    def test_L08_a_listen_that_is_over_hears_nothing_more(self):
        socket = self.socket()
        socket.listen("/u")
        socket.listen("/u", {"l": 1, "vf": "l"}, 5)
        self.ask("PUT", "/u/a.json", 1)
        self.assertEqual({socket.push()[1], socket.push()[1]}, {"u/a"})
        socket.ask("n", p="/u")
        self.ask("PUT", "/u/a.json", 2)
        self.assertEqual(socket.push(), ("d", "u/a", 2))
        socket.ask("n", p="/u", q={"l": 1, "vf": "l"}, t=5)
        self.ask("PUT", "/u/a.json", 3)
        self.assertEqual(socket.ask("g", p="/u/a", q={}), 3)
        self.assertFalse(socket.pushed)

    def test_L08_what_makes_no_sense_is_refused_and_does_not_end_the_session(self):
        socket = self.socket()
        for action, body in (
            ("p", {"p": "/a.b", "d": 1}), ("p", {"d": 1}), ("p", {"p": "/a", "d": {"$": 1}}), ("x", {}),
            ("q", {"p": "/a", "h": "", "q": {"i": "/"}, "t": 1}), ("m", {"p": "/a", "d": 4}), ("auth", {}),
            ("q", {"p": "/a", "h": "", "q": {"l": -1}, "t": 1}), ("om", {"p": "/", "d": {"a..b": 1}}),
        ):
            self.assertRaises(Refused, socket.ask, action, **body)
        self.assertEqual(socket.ask("p", p="/fine", d=1), "")

    def test_A06_a_token_of_an_sdks_sign_in_is_believed_and_rules_say_what_it_may(self):
        user = sign_up(self.server)
        socket = self.socket(credential=None)
        answer = socket.ask("auth", cred=user["idToken"])
        self.assertEqual(answer["auth"]["uid"], user["localId"])
        with self.assertRaises(Refused) as refused:
            socket.ask("p", p="/x", d=1)
        self.assertEqual(refused.exception.status, "permission_denied")
        with self.assertRaises(Refused) as refused:
            socket.ask("auth", cred="e.e.e")
        self.assertEqual(refused.exception.status, "invalid_token")


class Transactions(Wire):
    def count_up(self, socket: TreeSocket, times: int) -> None:
        """As the SDK does: with what it knows, and again at once with what it has heard when that was stale."""
        import hashlib
        import base64
        import struct

        known = None
        socket.listen("/count")
        for _ in range(times):
            for _ in range(200):
                hash_ = ""
                if known is not None:
                    digits = struct.pack(">d", known).hex()
                    hash_ = base64.b64encode(hashlib.sha1(f"number:{digits}".encode()).digest()).decode()
                try:
                    socket.ask("p", p="/count", d=(known or 0) + 1, h=hash_)
                    break
                except Refused as refused:
                    self.assertEqual(refused.status, "datastale")
                finally:
                    # What was pushed came before the answer.
                    while socket.pushed:
                        known = socket.push()[2]
            else:
                self.fail("what was there was never told")

    def test_L08_transactions_of_two_clients_at_once_lose_nothing(self):
        one, other = self.socket(), self.socket()
        together(lambda: self.count_up(one, 50), lambda: self.count_up(other, 50))
        self.assertEqual(self.value("/count.json"), 100)


class Disconnects(Wire):
    def left(self, **options) -> TreeSocket:
        socket = self.socket(**options)
        socket.ask("o", p="/online/a", d=None)
        socket.ask("o", p="/last/a", d={".sv": "timestamp"})
        socket.ask("om", p="/", d={"merge/x": 1, "merge/y": {".sv": {"increment": 2}}})
        socket.ask("o", p="/withdrawn/deep", d=1)
        socket.ask("oc", p="/withdrawn")
        socket.ask("p", p="/online/a", d=True)
        return socket

    def was_seen_to(self) -> bool:
        if self.value("/online.json") is not None or self.value("/merge.json") != {"x": 1, "y": 2}:
            return False
        self.assertLess(abs(self.value("/last/a.json") - time.time() * 1000), 30_000)
        self.assertEqual(self.value("/withdrawn.json"), None)
        return True

    def test_L05_what_a_client_left_is_written_when_it_says_goodbye(self):
        """L05"""
        self.left().close()
        eventually(self.was_seen_to, "written after a goodbye")

    def test_C04_what_a_client_left_is_written_when_it_vanishes(self):
        """C04"""
        watcher = self.socket()
        self.assertEqual(watcher.listen("/online"), None)
        socket = self.left()
        self.assertEqual(watcher.push(), ("d", "online/a", True))
        socket.cut()
        self.assertEqual(watcher.push(), ("d", "online/a", None))
        self.assertTrue(self.was_seen_to())

    def test_L05_what_a_client_left_is_written_when_it_comes_back_elsewhere(self):
        socket = self.left()
        again = self.socket(f"&ls={socket.session}")
        self.assertTrue(self.was_seen_to())
        again.close()

    def test_L05_what_a_client_left_is_written_at_the_next_start_after_a_crash(self):
        self.left()
        self.server.restart()
        self.server.wait_for_tree()
        self.assertTrue(self.was_seen_to())
        # Once: nothing is left for the start after that.
        self.server.restart()
        self.server.wait_for_tree()
        self.assertEqual(self.value("/merge.json"), {"x": 1, "y": 2})

    def test_L05_who_left_it_has_to_be_allowed_to_write_it(self):
        socket = self.socket(credential=sign_up(self.server)["idToken"])
        with self.assertRaises(Refused) as refused:
            socket.ask("o", p="/x", d=1)
        self.assertEqual(refused.exception.status, "permission_denied")


class Typing(Wire):
    def test_G01_who_types_shows_within_200_ms_to_the_others(self):
        one, other = self.socket(), self.socket()
        query = {"sp": True, "sin": True, "ep": True, "ein": True, "i": ".value"}
        other.listen("/messages/typingIndicator", query, 1)

        def types() -> None:
            for said, shown in ((True, True), (False, None)):
                one.ask("p", p=TYPING, d=said)
                self.assertEqual(other.push(), ("d", TYPING[1:], shown))

        quick(types, within=0.2)

    def test_G02_it_clears_on_send_and_when_the_typist_vanishes(self):
        one, other = self.socket(), self.socket()
        query = {"sp": True, "sin": True, "ep": True, "ein": True, "i": ".value"}
        one.ask("o", p=TYPING, d=None)
        other.listen("/messages/typingIndicator", query, 1)
        for clear in (lambda: one.ask("p", p=TYPING, d=False), lambda: one.ask("p", p=TYPING, d=None), one.cut):
            one.ask("p", p=TYPING, d=True)
            self.assertEqual(other.push(), ("d", TYPING[1:], True))
            clear()
            self.assertEqual(other.push(), ("d", TYPING[1:], None))


class LongPolling(Wire):
    def test_L08_a_browser_whose_websocket_failed_goes_on_by_polling(self):
        polling = TreePolling(self.server)
        self.assertEqual(polling.hello["v"], "5")
        polling.ask("gauth", cred="owner")
        polling.ask("q", p="/p", h="")
        self.assertEqual(polling.push(), ("d", "p", None))
        text = "x" * 5000
        polling.ask("p", p="/p/long", d=text)
        self.assertEqual(polling.push(), ("d", "p/long", text))
        self.ask("PUT", "/p/other.json", 1)
        self.assertEqual(polling.push(), ("d", "p/other", 1))

    def test_L08_a_polling_session_goes_on_over_a_websocket(self):
        polling = TreePolling(self.server)
        polling.ask("gauth", cred="owner")
        polling.ask("q", p="/up", h="")
        self.assertEqual(polling.push(), ("d", "up", None))
        host, port = self.server.address
        socket = TreeSocket.__new__(TreeSocket)
        import websocket
        from collections import deque
        socket.socket = websocket.create_connection(f"ws://{host}:{port}/.ws?v=5&s={polling.id}&ns=db", timeout=10)
        socket.number, socket.pushed = 100, deque()
        self.addCleanup(socket.close)
        self.assertEqual(socket.receive(), {"t": "c", "d": {"t": "a", "d": ""}})
        for _ in range(2):
            socket.send({"t": "c", "d": {"t": "p", "d": {}}})
            self.assertEqual(socket.receive(), {"t": "c", "d": {"t": "o", "d": None}})
        socket.send({"t": "c", "d": {"t": "a", "d": {}}})
        for parts in polling.parts({"t": "c", "d": {"t": "n", "d": {}}}):
            polling.poll(parts)
        self.assertEqual(polling.messages.pop(), {"t": "c", "d": {"t": "n", "d": ""}})
        self.assertEqual(polling.commands, [f'pLPCommand("close", {polling.next_answer - 1});'])
        self.ask("PUT", "/up/a.json", 1)
        self.assertEqual(socket.push(), ("d", "up/a", 1))
        self.assertEqual(socket.ask("g", p="/up", q={}), {"a": 1})
        socket.ask("o", p="/up/gone", d=True)
        socket.cut()
        eventually(lambda: self.value("/up/gone.json") is True, "the session ends with its WebSocket")

    def test_L05_the_page_that_polled_says_that_it_goes(self):
        polling = TreePolling(self.server)
        polling.ask("gauth", cred="owner")
        polling.ask("o", p="/page", d="gone")
        frame = ask_http(self.server, "GET", f"/.lp?dframe=t&id={polling.id}&pw={polling.password}").text
        self.assertIn(f"/.lp?disconn=t&id={polling.id}&pw={polling.password}", frame)
        ask_http(self.server, "GET", f"/.lp?disconn=t&id={polling.id}&pw={polling.password}")
        eventually(lambda: self.value("/page.json") == "gone", "written when the page goes")

    def test_L05_a_page_that_stops_polling_is_gone_after_30_seconds(self):
        polling = TreePolling(self.server)
        polling.ask("gauth", cred="owner")
        polling.ask("o", p="/page", d="gone")
        start = time.monotonic()
        eventually(lambda: self.value("/page.json") == "gone", "written when nobody polls", within=40)
        self.assertGreater(time.monotonic() - start, 25)

    def test_L08_what_is_no_session_and_no_callback_is_refused(self):
        self.assertEqual(ask_http(self.server, "GET", "/.lp?start=t&ser=1&cb=alert(1)&v=5").status, 400)
        self.assertIn("close", ask_http(self.server, "GET", "/.lp?id=nobody&pw=x&ser=2").text)
        polling = TreePolling(self.server)
        self.assertIn("close", ask_http(self.server, "GET", f"/.lp?id={polling.id}&pw=x&ser=2").text)
        self.assertEqual(ask_http(self.server, "GET", "/.ws?v=4").status, 400)


if __name__ == "__main__":
    unittest.main()
