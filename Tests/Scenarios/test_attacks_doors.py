"""What strangers try at the doors for other servers' apps, and at what answers without a token. Tests are named after the finding
they hold."""

import json
import os
import signal
import sqlite3
import struct
import subprocess
import unittest
import urllib.error
import urllib.request
import zlib

from fl import Phone, account
from callers import AtHome, outcome, usage
from people import Person, Refused, vouch
from server import TIMEOUT, Server, binary, eventually, of_one_process
from test_files import form
from wire import Answer, ask_http


def png(side: int, tail: bytes = b"", colour: int = 0) -> bytes:
    """A grey picture, with whatever behind it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes([colour]) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"") + tail


class Pictures(unittest.TestCase):
    """M10: `/uploadFiles`, which apps use before they have a token."""

    def setUp(self) -> None:
        self.server = self.enterContext(
            Server("--trusted-proxy", "127.0.0.1", "--files-per-user", "2M", testing=False))

    def bring(self, content: bytes, address: str = "192.0.2.1") -> dict:
        body, kind = form("me.png", content, "image")
        headers = {"Content-Type": kind, "X-Forwarded-For": address}
        return ask_http(self.server, "POST", "/uploadFiles", body, headers).json

    def fetch(self, path: str) -> Answer:
        return ask_http(self.server, "GET", f"/{path}")

    def test_finding_M10_what_stands_behind_a_picture_is_thrown_away(self):
        secret = b"what somebody wants to have given out from here " * 1000
        for content in (png(40, secret), png(700, secret), png(40)[:60] + secret):
            answer = self.bring(content)
            self.assertEqual(answer["code"], 1, answer)
            given = self.fetch(answer["data"])
            self.assertEqual((given.status, given.body[:4]), (200, b"\x89PNG"))
            self.assertFalse(secret[:40] in given.body)
        self.assertEqual(self.bring(png(40)[:30] + secret)["code"], -1, "nothing but the header of a picture")

    @of_one_process
    def test_finding_M10_one_stranger_leaves_the_others_their_room(self):
        noise = os.urandom(300_000)
        for _ in range(25):
            self.bring(png(40, noise), "192.0.2.66")
        self.assertEqual(self.bring(png(40, noise), "192.0.2.66")["code"], -1)
        self.assertEqual(self.bring(png(40, noise), "192.0.2.67")["code"], 1)

    @of_one_process
    def test_finding_M10_a_picture_nobody_registers_with_goes_after_a_day(self):
        left, taken = (self.bring(png(40, colour=colour))["data"] for colour in (50, 100))
        form = {"userName": "alice_m10", "password": "g00d-p4ssphrase", "headImageUrl": taken}
        self.assertEqual(ask_http(self.server, "POST", "/register", form).json["code"], 1)
        self.assertEqual([self.fetch(path).status for path in (left, taken)], [200, 200])
        self.server.end()
        with sqlite3.connect(f"{self.server.data}/parley.db") as data:
            data.execute("UPDATE files SET created = 1 WHERE created > 0")
        self.server.begin()
        eventually(lambda: self.fetch(left).status == 404, "what nobody uses is swept out")
        self.assertEqual(self.fetch(taken).status, 200)
        users = ask_http(self.server, "GET", "/allUsers").json["data"]["allUser"]
        self.assertEqual(users[0]["headImageUrl"], taken)


OFFER = """v=0
o=- 1 1 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m={media}
c=IN IP4 0.0.0.0
a=mid:0
a=sendrecv
a=rtcp-mux
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 {fingerprint}
a=setup:actpass
{more}
""".replace("\n", "\r\n")
SOUND = ("audio 9 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2")
UNUSABLE = (
    ("video 9 UDP/TLS/RTP/SAVPF 96", "a=rtpmap:96 VP8/90000"), ("audio 0 UDP/TLS/RTP/SAVPF 111", "a=rtpmap:111 opus/48000/2"),
    ("audio 9 RTP/AVP 111", "a=rtpmap:111 opus/48000/2"), ("application 9 UDP/DTLS/SCTP webrtc-datachannel", "a=sctp-port:5000"),
    ("audio 9 UDP/TLS/RTP/SAVPF 0", "a=rtpmap:0 PCMU/8000"),
)


class Offers(unittest.TestCase):
    """L3: `parley answer --http`, which asks nobody who they are."""

    def start(self, *options: str, address: str = "127.0.0.1:0") -> subprocess.Popen:
        command = [binary(), "answer", "--http", address, "--json", "--echo", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.terminate)
        return process

    def offer(self, url: str, media: str, more: str) -> tuple[int, str]:
        sdp = OFFER.format(media=media, more=more, fingerprint=":".join(["AB"] * 32))
        request = urllib.request.Request(url, json.dumps({"type": "offer", "sdp": sdp}).encode())
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read().decode()

    def test_L3_an_offer_without_sound_is_refused_at_once(self):
        url = json.loads(self.start().stdout.readline())["url"]
        for media, more in UNUSABLE:
            status, text = self.offer(url, media, more)
            self.assertEqual(status, 400, (media, text))
        self.assertIn("no sound", text)
        self.assertEqual(self.offer(url, *SOUND)[0], 200)

    def test_L3_one_address_has_so_many_calls_and_no_more(self):
        url = json.loads(self.start("--calls-per-address", "5").stdout.readline())["url"]
        answers = [self.offer(url, *SOUND)[0] for _ in range(8)]
        self.assertEqual(answers, [200] * 5 + [429] * 3)

    def test_L3_calls_from_the_network_are_taken_where_somebody_has_said_so(self):
        process = self.start(address="0.0.0.0:0")
        self.assertEqual(process.wait(TIMEOUT), 64)
        self.assertIn("--plain-http", process.stderr.read())
        self.assertIn("url", self.start("--plain-http", address="0.0.0.0:0").stdout.readline())


#: What is not seen, and letters that look like others in one word with them.
HIDDEN = "\u00ad\u034f\u115f\u180b\u200b\u2060\u2064\u2800\u3164\ufeff\uffa0\U000e0061"
MIXED = ("\u0430lice1", "alic\u0435", "B\u03bfb", "\u13aary")
HONEST = ("Анна Smith", "株式会社ABC", "می\u200cخواهم", "👩🏽\u200d🚀 Eva", "❤\ufe0f Ann", "José 3")


class Names(AtHome):
    """L4: who is called what, and who is rung by a name."""

    def name(self, text: str) -> int:
        return ask_http(self.server, "POST", "/v1/auth/anonymous", {"name": text}).status

    def test_L4_names_hide_nothing_and_mix_no_alphabets(self):
        for text in [f"alice{letter}1" for letter in HIDDEN] + [*MIXED]:
            self.assertEqual(self.name(text), 400, text.encode("unicode_escape"))
        for text in HONEST:
            self.assertEqual(self.name(text), 200, text)

    def test_L4_a_name_somebody_registered_rings_nobody_else(self):
        form = {"userName": "alice1", "password": "g00d-p4ssphrase"}
        alice = ask_http(self.server, "POST", "/v1/auth/register", form).json
        self.home.answer("--as", "alice1", "--echo").expect("ready")
        self.assertEqual(outcome(self.home.call("@alice1"))[0], 13, "alice1 is away")
        with Person(self.server, token=alice["accessToken"]) as person:
            call = self.home.call("@alice1")
            self.assertEqual(person.expect("call.incoming")["kind"], "audio")
            call.terminate()
            outcome(call)

    def test_L4_a_name_nobody_registered_rings_who_is_called_so(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        self.assertEqual(outcome(self.home.call("@echo", "--play", "tone:440", "--duration", "1s"))[0], 0)


class Tokens(unittest.TestCase):
    """L11: a token of sixty days in the address of requests."""

    def test_finding_L11_the_token_may_stand_in_a_field_of_the_request(self):
        with Server("--doors", "flsocketim", testing=False) as server:
            token = account(server, "alice1")["data"]["auth_token"]
            for fields in ({"Authorization": f"Bearer {token}"}, {"Cookie": f"a=b; auth_token={token}"}):
                self.assertEqual(ask_http(server, "GET", "/allUsers", headers=fields).json["code"], 1, fields)
            for fields in ({"Authorization": "Bearer x"}, {"Cookie": "auth_token=x"}, {"Cookie": f"xauth_token={token}"}):
                self.assertEqual(ask_http(server, "GET", "/allUsers", headers=fields).json["code"], -1, fields)
            fields = {"Authorization": f"Bearer {token}"}
            polling = "/socket.io/?EIO=3&transport=polling"
            opening = ask_http(server, "GET", polling, headers=fields).text
            sid = json.loads(opening[opening.index("{"):opening.index("}") + 1])["sid"]
            heard = opening + ask_http(server, "GET", f"{polling}&sid={sid}", headers=fields).text
            self.assertIn("2:40", heard)
            self.assertEqual(ask_http(server, "GET", f"{polling}&sid={sid}").status, 400)

    def test_finding_L11_the_log_has_no_token(self):
        with Server("--doors", "flsocketim", "--log-level", "debug", testing=False) as server:
            token = account(server, "alice1")["data"]["auth_token"]
            phone = Phone(server, token)
            phone.close()
            for path in ("/allUsers", "/nowhere", "/socket.io/", "/v1/me", "/v1/events"):
                ask_http(server, "GET", f"{path}?auth_token={token}&EIO=9&transport=x")
            with server.connect() as peer:
                peer.sendall(f"GET /?auth_token={token} HTTP/1.1\r\nbroken\r\n\r\n".encode())
                peer.recv(1000)
            server.tell(signal.SIGTERM)
            server.event("serve.ended")
            self.assertFalse(token in json.dumps(server.log))


class Applications(unittest.TestCase):
    """L5: of whom a program may speak that vouches for users."""

    SECRETS = {name: f"no-secret-of-{name}-but-long-enough-for-HS256" for name in ("shop", "taxi")}

    def setUp(self) -> None:
        apps = [word for name, secret in self.SECRETS.items() for word in ("--app", f"{name}:{secret}")]
        self.server = self.enterContext(Server(*apps, "--app-users", "shop:shop-", testing=False))

    def connects(self, application: str, user: str) -> bool:
        try:
            with Person(self.server, token=vouch(application, self.SECRETS[application], user)):
                return True
        except Refused:
            return False

    def ask(self, method: str, path: str, application: str, **fields) -> dict:
        form = {"application": application, "secret": self.SECRETS[application]} | fields
        return ask_http(self.server, method, path, form).json

    def test_L5_an_application_vouches_for_its_own_users(self):
        for application, user, isTrue in (
            ("shop", "shop-1", True), ("shop", "taxi-1", False), ("shop", "order:system", False),
            ("taxi", "taxi-1", True), ("taxi", "shop-1", True), ("taxi", "order:system", False),
        ):
            self.assertEqual(self.connects(application, user), isTrue, (application, user))
            answer = self.ask("POST", "/v1/auth/token", application, user=user)
            self.assertEqual("accessToken" in answer, isTrue, answer)
        self.assertEqual(self.ask("POST", "/v1/auth/token", "shop", user="x")["error"]["code"], "forbidden")

    def test_L5_an_application_speaks_of_its_own_orders(self):
        users = {"driver": "shop-1", "passenger": "shop-2"}
        for order, more, code in (
            ("shop-17", {}, 200), ("taxi-17", {}, 403), ("shop-18", {"passenger": "taxi-1"}, 403),
            ("shop-18", {"driver": "order:system"}, 403),
        ):
            answer = self.ask("PUT", f"/v1/orders/{order}", "shop", **users | more)
            self.assertEqual(answer["ret_code"], code, answer)
        self.ask("PUT", "/v1/orders/taxi-17", "taxi", driver="taxi-1", passenger="taxi-2")
        told = self.ask("POST", "/v1/orders/taxi-17/events", "shop", type="DRIVER_ARRIVE")
        self.assertEqual(told["ret_code"], 403, told)

    def test_L5_a_prefix_is_of_an_application_there_is(self):
        self.assertIn("--app-users", usage("serve", "--app-users", "shop:shop-")[1])


class Descriptions(unittest.TestCase):
    def test_L8_the_description_is_compressed_once(self):
        with Server(testing=False, doors=False) as server:
            def cost(coding: str) -> int:
                before = self.processor_time(server)
                for _ in range(400):
                    answer = ask_http(server, "GET", "/v1/openapi.json", headers={"Accept-Encoding": coding})
                    self.assertEqual(answer.status, 200)
                return self.processor_time(server) - before

            plain, packed = cost("identity"), cost("gzip")
            self.assertLess(packed, plain * 2 + 10, f"{packed} ticks compressed, {plain} ticks as it is")

    def processor_time(self, server: Server) -> int:
        with open(f"/proc/{server.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])


if __name__ == "__main__":
    unittest.main()
