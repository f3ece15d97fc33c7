import contextlib
import json
import os
import random
import socket
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

import websocket

from fl import Phone, account, pack, unpack
from phones import UUID, Phones
from server import TIMEOUT, Server, companions_wanted, eventually, suspend
from wire import ask_http


def data_segments_in(connection: socket.socket) -> int:
    """`tcpi_data_segs_in`, where Linux keeps it in its `struct tcp_info`."""
    return struct.unpack_from("=I", connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 160), 152)[0]


class Accounts(Phones):
    """The HTTP side of FLSocketIM: every handled answer is 200, and its texts are what the apps show."""

    def test_A01_registering_gives_a_token_and_each_mistake_its_text(self):
        answer = account(self.server, "xiaoming")
        self.assertEqual((answer["code"], answer["message"], set(answer["data"])), (1, "注册成功", {"auth_token", "auth_date"}))
        self.assertRegex(answer["data"]["auth_token"], UUID)
        days = (answer["data"]["auth_date"] / 1000 - time.time()) / 86400
        self.assertTrue(55 < days < 65, days)
        for name, password, text in (
            ("", "p", "用户名不能为空"), ("xiaohong", "", "密码不能为空"), ("ab", "p", "用户名不合法"),
            ("_abcd", "p", "用户名不合法"), ("a.bcd", "p", "用户名不合法"), ("xiaoming", "g00d-p4ssphrase", "用户已存在"),
            ("xiaohong", "7 chars", "密码至少需要8个字符"), ("xiaohong", "password1", "密码过于常见，请换一个"),
        ):
            with self.subTest(name):
                answer = account(self.server, name, password=password)
                self.assertEqual(answer, {"code": -1, "message": text, "data": ""})

    def test_A02_logging_in_returns_the_same_token_every_time(self):
        """A02.token A02.expiry A02.again"""
        first = account(self.server, "denglu")["data"]["auth_token"]
        for _ in range(2):
            login = account(self.server, "denglu", "/mobileLogin")
            self.assertEqual((login["code"], login["message"], login["data"]["auth_token"]), (1, "登录成功", first))
            days = (login["data"]["auth_date"] / 1000 - time.time()) / 86400
            self.assertTrue(55 < days < 65, days)
        for name, password, text in (
            ("denglu", "wrong", "用户名或密码错误"), ("nobody_", "p", "用户名或密码错误"), ("", "p", "用户名不能为空"),
            ("denglu", "", "密码不能为空"),
        ):
            answer = account(self.server, name, "/mobileLogin", password)
            self.assertEqual(answer, {"code": -1, "message": text, "data": ""})

    def test_A01_json_does_as_well_as_a_form(self):
        answer = ask_http(self.server, "POST", "/register", {"userName": "json_1", "password": "g00d-p4ssphrase"})
        self.assertEqual(answer.json["code"], 1)

    def test_A05_the_token_is_demanded_at_connect(self):
        """A05.without A05.bad"""
        for token in (None, "nonsense", "00000000-0000-4000-8000-000000000000"):
            for platform in ("ios", "android"):
                with self.subTest(token=token, platform=platform), self.assertRaises(ConnectionRefusedError) as refused:
                    phone = Phone(self.server, token, platform, stays_polling=True)
                    self.addCleanup(phone.close)
                    phone.expect("never")
                self.assertEqual(str(refused.exception), '44"Not authorized"')

    def test_C01_all_users_are_listed_with_those_online(self):
        def users():
            answer = ask_http(self.server, "GET", "/allUsers").json
            self.assertEqual((answer["code"], answer["message"]), (1, "查询数据成功"))
            return answer["data"]

        self.token("contact")
        self.assertIn("contact", [user["name"] for user in users()["allUser"]])
        self.assertNotIn("contact", users()["onLineUsers"])
        # The node that is asked hears of it a moment later where the old apps are on another one; a server that is alone knows at once.
        within = TIMEOUT if companions_wanted() else 0
        phone = self.phone("contact")
        eventually(lambda: "contact" in users()["onLineUsers"], "all see who is online", within)
        watcher = self.phone("watcher")
        phone.close()
        watcher.expect("offLine", user="contact")
        eventually(lambda: "contact" not in users()["onLineUsers"], "all see who has gone", within)


@unittest.skipIf(os.environ.get("STORE"), "it writes users into SQLite's file")
class ManyUsers(unittest.TestCase):
    def test_users_that_a_phone_is_shown(self):
        """All of them, however many pages of the store that are, up to ten thousand."""
        with Server(testing=False) as server:
            server.end()
            with contextlib.closing(sqlite3.connect(f"{server.data}/parley.db")) as store, store:
                users = [(f"id{number}", f"user{number:05}", number) for number in range(2_500)]
                store.executemany("INSERT INTO users (id, name, created) VALUES (?, ?, ?)", users)
            server.begin()
            names = [user["name"] for user in ask_http(server, "GET", "/allUsers").json["data"]["allUser"]]
            self.assertEqual(names, [name for _, name, _ in users])
            server.end()
            with contextlib.closing(sqlite3.connect(f"{server.data}/parley.db")) as store, store:
                more = [(f"id{number}", f"user{number:05}", number) for number in range(2_500, 10_100)]
                store.executemany("INSERT INTO users (id, name, created) VALUES (?, ?, ?)", more)
            server.begin()
            names = [user["name"] for user in ask_http(server, "GET", "/allUsers").json["data"]["allUser"]]
            self.assertEqual(len(names), 10_000)
            self.assertEqual(len(set(names)), 10_000)


class Link(Phones):
    def test_B01_the_recorded_bytes_of_an_ios_client(self):
        """B01.upgrade: Opening, connect, ping, probe, noop, upgrade, ping: as their library sends and expects it."""
        token, base = self.token("bytes1"), "/socket.io/?transport=polling&b64=1&auth_token="
        opening = ask_http(self.server, "GET", f"{base}{token}")
        packets = unpack(opening.text)
        self.assertRegex(
            packets[0], r'0\{"sid":"[\w-]{20}","upgrades":\["websocket"\],"pingInterval":5000,"pingTimeout":3000\}')
        sid = json.loads(packets[0][1:])["sid"]
        if len(packets) == 1:
            self.assertEqual(ask_http(self.server, "GET", f"{base}{token}&sid={sid}").text, "2:40")
        ping = ask_http(self.server, "POST", f"{base}{token}&sid={sid}", "1:2")
        self.assertEqual((ping.status, ping.headers["content-type"], ping.text), (200, "text/html", "ok"))
        self.assertEqual(ask_http(self.server, "GET", f"{base}{token}&sid={sid}").text, "1:3")
        phone = self.phone("bytes2")
        self.assertEqual(sorted(p for p in phone.trace if p in ("3", "40", "6"))[:3], ["3", "40", "6"])
        phone.socket.send("2")
        phone.socket.send("42" + json.dumps(["liaotian", {"neirong": "x"}]))
        self.assertEqual(phone.next(), "3")

    def test_an_app_that_connects_while_it_is_let_in_is_there_once(self):
        """A CONNECT that nobody asked for is no second member, whom nobody would ever see off."""
        line = self.eager_line("twice", b"40")
        heard = [line.recv(), line.recv()]
        line.send("420" + json.dumps(["videoChat", {"from_user": "twice", "to_user": "nobody_there"}]))
        while not heard[-1].startswith("43"):
            heard.append(line.recv())
        self.assertEqual(heard.count("40"), 1, heard)
        room = "00000000-0000-4000-8000-000000000001"
        line.send("42" + json.dumps(["__join", {"room": room}]))
        while "_peers" not in heard[-1]:
            heard.append(line.recv())
        line.sock.close()
        eventually(lambda: room not in self.server.get("/v1/rooms", admin=True)[1], "nobody is in the room any more")

    def eager_line(self, name: str, packet: bytes) -> websocket.WebSocket:
        """Its first packet comes with the request itself, so the server has it before it knows who this is."""
        line = websocket.WebSocket()
        line.sock, line.connected = self.server.connect(), True
        line.sock.sendall(
            f"GET /socket.io/?EIO=3&transport=websocket&auth_token={self.token(name)} HTTP/1.1\r\nHost: parley\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
            + bytes([0x81, 0x80 | len(packet), 0, 0, 0, 0]) + packet)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += line.sock.recv(1)
        self.assertIn(b" 101 ", head)
        return line

    def test_B02_polling_alone_and_websocket_alone(self):
        """B02.polling B02.websocket"""
        for platform in ("ios", "android"):
            poller = self.phone("poller", platform, stays_polling=True)
            direct = self.phone("direct", platform, starts_on_socket=True)
            self.assertEqual(direct.opening["upgrades"], [])
            direct.emit("liaotian", {"neirong": "to a poller"})
            self.assertEqual(poller.expect("liaotian"), {"neirong": "to a poller"})
            poller.emit("liaotian", {"neirong": "from a poller"})
            self.assertEqual(direct.expect("liaotian"), {"neirong": "from a poller"})

    def test_B01_nothing_is_lost_or_doubled_on_the_way_to_the_websocket(self):
        """B01.whole"""
        sender = self.phone("sender")
        for platform in ("ios", "android"):
            with self.subTest(platform):
                phone = self.phone(f"mover_{platform}"[:12], platform, stays_polling=True)
                sender.emit("liaotian", {"n": 1})
                phone._open_socket()
                sender.emit("liaotian", {"n": 2})
                phone.socket, socket = None, phone.socket
                self.assertEqual(phone.expect("liaotian"), {"n": 1})
                phone.emit("liaotian", {"n": "a"})
                phone.expect("liaotian", n=2)
                phone.begin_poll()
                socket.send("2probe")
                self.assertEqual(socket.recv(), "3probe")
                phone._take(phone.end_poll())
                sender.emit("liaotian", {"n": 3})
                sender.heard("")
                socket.send("5")
                socket.send("6")  # their library swallows its own noop or sends it here
                phone.socket = socket
                sender.emit("liaotian", {"n": 4})
                phone.emit("liaotian", {"n": "b"})
                self.assertEqual([phone.expect("liaotian")["n"] for _ in range(2)], [3, 4])
                self.assertEqual([sender.expect("liaotian")["n"] for _ in range(2)], ["a", "b"])
                self.assertEqual(phone.heard("liaotian") + sender.heard("liaotian"), [])
                phone.close()

    def test_B06_every_text_survives_every_transport(self):
        texts = ("long " * 20_000, "中文消息，全角标点。", "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \U00020000", "\u2028\ufeff\x7f")
        phones = [
            self.phone("texts1"), self.phone("texts2", "android"), self.phone("texts3", stays_polling=True),
            self.phone("texts4", "android", stays_polling=True)]
        for text in texts:
            for sender in phones:
                sender.emit("liaotian", {"neirong": text})
                for receiver in phones:
                    receiver.stay_alive()
                    if receiver is not sender:
                        self.assertEqual(receiver.expect("liaotian"), {"neirong": text})

    def test_B05_a_silent_phone_is_offline_within_eight_seconds(self):
        # The watcher comes second: while a process starts, nobody would ping for it.
        child = self.process("frozen")
        self.assertEqual(child.stdout.readline(), "here\n")
        watcher = self.phone("patient")
        suspend(child)
        began = time.monotonic()
        watcher.expect("offLine", user="frozen", within=10)
        self.assertLess(time.monotonic() - began, 8.2)

    def test_C04_a_killed_phone_is_offline_at_once(self):
        watcher = self.phone("patient")
        child = self.process("killed")
        watcher.expect("onLine", user="killed")
        self.assertEqual(child.stdout.readline(), "here\n")
        child.kill()
        began = time.monotonic()
        watcher.expect("offLine", user="killed")
        self.assertLess(time.monotonic() - began, 1)

    def process(self, name: str) -> subprocess.Popen:
        host, port = self.server.address
        child = subprocess.Popen([sys.executable, __file__, host, str(port), self.token(name)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (child.kill(), child.wait(), child.stdout.close()))
        return child

    def test_the_answer_and_the_opening_come_in_two_segments(self):
        """Old clients begin to listen between the two."""
        host, port = self.server.address
        with self.server.connect() as raw:
            raw.sendall((
                f"GET /socket.io/?EIO=3&transport=websocket&auth_token={self.token('segment')} HTTP/1.1\r\n"
                f"Host: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
            came = b""
            while b'"sid"' not in came:
                self.assertTrue(part := raw.recv(65536), came)
                came += part
            self.assertTrue(came.startswith(b"HTTP/1.1 101"), came)
            self.assertGreaterEqual(data_segments_in(raw), 2)  # one read may bring both: the kernel counts

    def test_what_makes_no_sense_is_refused_in_the_words_they_know(self):
        for query, code, message in (
            ("transport=jsonp&b64=1", 0, "Transport unknown"), ("transport=polling&b64=1&sid=nobody", 1, "Session ID unknown"),
        ):
            answer = ask_http(self.server, "GET", f"/socket.io/?{query}")
            self.assertEqual((answer.status, answer.json), (400, {"code": code, "message": message}))
        answer = ask_http(self.server, "POST", "/socket.io/?transport=polling&b64=1", "1:2")
        self.assertEqual((answer.status, answer.json), (400, {"code": 2, "message": "Bad handshake method"}))
        for query in ("transport=polling", "EIO=2&transport=polling", "EIO=5&transport=polling&b64=1"):
            self.assertEqual(ask_http(self.server, "GET", f"/socket.io/?{query}").status, 400, query)

    def test_a_payload_of_the_wrong_length_ends_the_session(self):
        for body in ("3:40", "1:22", "x", "2:", "99999999999999999999:2", "1:\U0001f600"):
            with self.subTest(body):
                phone = self.phone("lengths", stays_polling=True)
                self.assertEqual(phone.post(body).status, 400)
                self.assertEqual(phone.post(pack(["2"])).status, 400)


class Parts(unittest.TestCase):
    def test_B07_binary_parts_travel_both_ways(self):
        picture = random.Random(7).randbytes(1 << 20)
        with Server("--conformance") as server:
            for platform in ("ios", "android"):
                for options in ({"stays_polling": True}, {"starts_on_socket": True}, {}):
                    with self.subTest(platform=platform, **options):
                        phone = Phone(server, "anything", platform, **options)
                        message = {"msg": "图片", "fileData": picture, "more": [b"", b"\x00"]}
                        phone.emit("message", message)
                        self.assertEqual(phone.expect("message-back"), message)
                        self.assertEqual(phone.ask("message-with-ack", message), [message])
                        phone.close()


class LongMessages(Phones):
    # Their clients give a server little time.
    runs_alone = True

    def test_B06_B07_a_mebibyte_passes_between_phones_on_every_transport(self):
        """As much as a picture weighs; in Base64 it is a third more. Beyond two million bytes nobody listens."""
        listeners = [self.phone("long0", stays_polling=True), self.phone("long1", "android")]
        for platform in ("ios", "android"):
            for options in ({"stays_polling": True}, {"starts_on_socket": True}):
                with self.subTest(platform=platform, **options):
                    phone = self.phone(f"{platform}{len(options)}", platform, **options)
                    message = {"neirong": random.Random(7).randbytes(1 << 20).hex()[: 1_400_000], "ren": platform}
                    phone.emit("liaotian", message)
                    for listener in listeners:
                        self.assertEqual(listener.expect("liaotian", ren=platform), message)
                    phone.close()

    def test_what_a_phone_may_send_at_once(self):
        phone = self.phone("much", stays_polling=True)
        self.assertEqual(phone.post("9" * 28_100_000).status, 413)
        phone = self.phone("much", stays_polling=True)
        self.assertEqual(phone.post(pack(["4" * 2_000_001])).status, 400)
        phone = self.phone("much", starts_on_socket=True)
        with self.assertRaises((ConnectionError, OSError)):
            phone.socket.send("4" * 2_000_002)
            phone.expect("never")


class Presence(Phones):
    def test_C02_coming_and_going_is_told_once_whatever_the_number_of_phones(self):
        a = self.phone("aaaa")
        first = self.phone("bbbb")
        a.expect("onLine", user="bbbb")
        second = self.phone("bbbb", "android")
        self.assertEqual(a.heard("onLine"), [])
        first.close()
        second.heard("")
        self.assertEqual(a.heard("offLine"), [])
        second.socket.send("41")
        a.expect("offLine", user="bbbb")
        self.assertEqual(a.heard("onLine") + a.heard("offLine"), [])

    def test_C02_people_of_both_worlds_see_each_other(self):
        phone = self.phone("cccc")
        native = self.person("Ada")
        phone.expect("onLine", user="Ada")
        users = {user.get("name"): user for user in native.ask("presence.watch", everybody=True)["users"]}
        self.assertTrue(users["cccc"]["online"])
        native.link.close()
        phone.expect("offLine", user="Ada")


class Reconnecting(unittest.TestCase):
    def test_B03_a_phone_is_back_after_a_restart_of_the_server(self):
        with Server(testing=False) as server:
            tokens = [account(server, name)["data"]["auth_token"] for name in ("back1", "back2")]
            phone = Phone(server, tokens[0])
            phone.close()
            server.end()
            with self.assertRaises((ConnectionError, OSError)):
                Phone(server, tokens[0])
            server.begin()
            phone, other = Phone(server, tokens[0]), Phone(server, tokens[1], "android")
            phone.expect("onLine", user="back2")
            other.emit("liaotian", {"neirong": "back"})
            self.assertEqual(phone.expect("liaotian"), {"neirong": "back"})
            phone.close(), other.close()


def stay(host: str, port: str, token: str) -> None:
    class Elsewhere:
        address = (host, int(port))

    phone = Phone(Elsewhere(), token)
    print("here", flush=True)
    phone.expect("never", within=60)


if __name__ == "__main__":
    stay(*sys.argv[1:]) if len(sys.argv) == 4 else unittest.main()
