"""What was found in servers like this one, tried here: each test is named after the published number."""

import contextlib
import json
import socket
import struct
import unittest
from concurrent.futures import ThreadPoolExecutor

from people import VOUCHED, Person, sign_in
from ports import free_port
from server import Server
from test_hostile import read_all
from wire import Closed, PollingLink, WebSocketLink, ask_http

POLLING = "/socket.io/?EIO=4&transport=polling"


class Known(unittest.TestCase):
    """The server has to live through all of it, and to be of use afterwards."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server(*VOUCHED, testing=False))

    def tearDown(self) -> None:
        with Person(self.server, "After") as person:
            self.assertIn("number", person.ask("chat.send", user=person.user, body={"text": "still here"}))

    def ends(self, link: WebSocketLink) -> None:
        """The session is closed, after whatever else was still to be said."""
        with self.assertRaises(Closed):
            while True:
                link.receive()

    def test_CVE_2020_36048_a_large_polling_body_is_refused_by_its_length(self):
        sid = json.loads(ask_http(self.server, "GET", POLLING).text[1:])["sid"]
        with self.server.connect() as peer:
            peer.sendall(f"POST {POLLING}&sid={sid} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n".encode())
            self.assertIn(b" 413 ", read_all(peer).split(b"\r\n")[0])

    def test_CVE_2020_36049_parts_of_a_packet_are_not_put_together_without_an_end(self):
        person = Person(self.server, "Parts")
        person.link.send('451000000-["x"]')
        self.ends(person.link)

    def test_CVE_2022_2421_a_placeholder_has_a_number_that_exists(self):
        for number in ("1", "-1", '"splice"', "0.5", "null", "{}"):
            with self.subTest(number):
                person = Person(self.server, "Placeholder")
                person.link.send(f'451-["chat.send",{{"_placeholder":true,"num":{number}}}]')
                person.link.send(b"part")
                with self.assertRaises((Closed, AssertionError)):
                    self.assertNotIn("error", person.ask("chat.send", user=person.user, body={"text": "x"}))
                    self.fail("a placeholder without its part was read")

    def test_CVE_2022_41940_malformed_upgrades_are_refused(self):
        for request in (
            "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
            "GET /socket.io/?EIO=4&transport=websocket&sid=x HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: a\r\nSec-WebSocket-Version: 13\r\n\r\n",
        ):
            with self.server.connect() as peer:
                peer.sendall(request.encode())
                self.assertRegex(peer.recv(1 << 16), rb"^HTTP/1.1 4[0-9][0-9] ")

    def test_CVE_2023_31125_names_of_objects_are_no_transports(self):
        for name in ("constructor", "__proto__", "toString", "hasOwnProperty"):
            answer = ask_http(self.server, "GET", f"/socket.io/?EIO=4&transport={name}")
            self.assertEqual((answer.status, answer.json["code"]), (400, 0), name)

    def test_CVE_2023_32695_the_name_of_an_event_is_a_text(self):
        for name in ('{"toString":"x"}', "true", "null", "[]", "{}"):
            with self.subTest(name):
                person = Person(self.server, "Name")
                person.link.send(f"42[{name}]")
                self.ends(person.link)
        with Person(self.server, "Number") as person:
            self.assertEqual(person.ask_raw("[1]")["error"]["code"], "unknown_event")
            self.assertEqual(person.ask_raw('[""]')["error"]["code"], "unknown_event")

    def test_CVE_2024_38355_an_event_called_error_is_an_unknown_event(self):
        with Person(self.server, "Error") as person:
            self.assertEqual(person.error("error"), "unknown_event")
        for name in ("connect", "disconnect", "connect_error", "newListener"):
            person = Person(self.server, "Reserved")
            person.send(name)
            self.ends(person.link)

    def test_CVE_2020_28481_pages_from_elsewhere_are_refused_by_default(self):
        answer = ask_http(self.server, "GET", POLLING, headers={"Origin": "https://evil.example"})
        self.assertEqual(answer.status, 403)
        self.assertNotIn("access-control-allow-origin", answer.headers)

    def test_CVE_2017_16031_ids_of_sockets_cannot_be_guessed(self):
        ids = set()
        for _ in range(50):
            link = PollingLink(self.server, "EIO=4")
            ids.add(link.sid)
            link.close()
        self.assertEqual(len(ids), 50)
        self.assertEqual({len(id) for id in ids}, {20})
        # Ids that were counted or came from a clock would share most of their letters.
        common = max(sum(a == b for a, b in zip(first, second)) for first in ids for second in ids if first != second)
        self.assertLess(common, 10)

    def test_CVE_2021_32640_a_long_list_of_subprotocols_is_read_at_once(self):
        with self.server.connect() as peer:
            peer.sendall(b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                         b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                         b"Sec-WebSocket-Protocol: b" + b" " * 6000 + b"x\r\n\r\n")
            self.assertRegex(peer.recv(1 << 16), rb"^HTTP/1.1 (101|400) ")

    def test_CVE_2024_37890_a_request_with_many_header_lines_is_refused(self):
        with self.server.connect() as peer:
            peer.sendall(b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\n"
                         + b"".join(b"X-%d: y\r\n" % number for number in range(2000))
                         + b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            self.assertIn(b" 431 ", read_all(peer).split(b"\r\n")[0])

    def test_CVE_2021_22911_a_query_is_no_user_name(self):
        for value in ({"$ne": None}, {"$regex": ".*"}, ["a"], 1, True):
            answer = ask_http(self.server, "POST", "/v1/auth/login", {"userName": value, "password": value})
            self.assertEqual(answer.status, 400, value)

    def test_CVE_2024_52805_a_form_is_not_read_where_json_is_due(self):
        boundary = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n" + "x" * 10_000 + "\r\n"
        answer = ask_http(self.server, "POST", "/v1/auth/login", boundary + "--b--\r\n",
                          {"Content-Type": "multipart/form-data; boundary=b"})
        self.assertEqual(answer.status, 400)

    def test_CVE_2023_42453_receipts_come_from_members_only(self):
        a, b, stranger = (self.enterContext(Person(self.server, name)) for name in ("A", "B", "Stranger"))
        place = a.ask("chat.send", user=b.user, body={"text": "hello"})
        fields = {"conversation": place["conversation"], "number": place["number"]}
        for event in ("chat.read", "chat.delivered"):
            self.assertIn(stranger.error(event, fields), ("not_found", "not_member"))
        self.assertEqual(a.heard("chat.receipt"), [])

    def test_CVE_2024_24988_a_reaction_is_not_a_message(self):
        a, b = (self.enterContext(Person(self.server, name)) for name in ("A", "B"))
        place = a.ask("chat.send", user=b.user, body={"text": "hello"})
        fields = {"conversation": place["conversation"], "number": place["number"], "reaction": ":x:" * 10_000}
        self.assertEqual(b.error("chat.react", fields), "bad_request")

    def test_CVE_2021_41281_names_of_media_lead_to_no_other_place(self):
        token = sign_in(self.server)["accessToken"]
        for name in ("../secret", "..%2fsecret", "%2e%2e%2fsecret", "..%5csecret", "/etc/passwd", "%2fetc%2fpasswd", "%00", "a/../../secret"):
            for place in ("/v1/files/", "/v1/uploads/", "/images/", "/v1/avatars/"):
                answer = ask_http(self.server, "GET", place + name, headers={"Authorization": f"Bearer {token}"})
                self.assertIn(answer.status, (400, 403, 404, 405, 412), place + name)

    def test_CVE_2024_37302_CVE_2024_37303_a_stranger_writes_no_media(self):
        for method, place, headers in (
            ("POST", "/v1/files?name=x", {"Content-Type": "image/png"}), ("POST", "/v1/uploads", {"Upload-Length": "5", "Tus-Resumable": "1.0.0"}),
        ):
            self.assertEqual(ask_http(self.server, method, place, b"x" * 1_000, headers).status, 401, place)
        # Nor does the server fetch any from elsewhere.
        self.assertEqual(ask_http(self.server, "GET", "/_matrix/media/v3/download/elsewhere.example/x").status, 404)


class Relaying(unittest.TestCase):
    """What answers for STUN reads a stranger's every datagram."""

    def setUp(self) -> None:
        self.place = ("127.0.0.1", free_port())
        self.enterContext(Server("--stun", f"127.0.0.1:{self.place[1]}", testing=False))
        self.socket = self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self.socket.settimeout(5)

    def ask(self, *attributes: bytes, length: int | None = None) -> None:
        body = b"".join(attributes)
        self.socket.sendto(struct.pack(">HHI", 1, len(body) if length is None else length, 0x2112_A442) + b"t" * 12 + body, self.place)

    def test_CVE_2020_4067_nothing_of_others_stands_in_the_padding(self):
        for _ in range(20):
            # What may lie in a buffer afterwards.
            self.ask(b"\x80\x22\x00\x10" + b"S" * 16)
            self.socket.recv(2_000)
            # One attribute that nobody knows: its name in the answer is two bytes, and two more fill them up.
            self.ask(b"\x77\x77\x00\x00")
            answer = self.socket.recv(2_000)
            place, found = 20, 0
            while place < len(answer):
                kind, size = struct.unpack_from(">HH", answer, place)
                padding = answer[place + 4 + size:place + 4 + size + -size % 4]
                self.assertEqual(padding.strip(b"\0"), b"", hex(kind))
                found += len(padding)
                place += 4 + size + -size % 4
            self.assertGreater(found, 0, "nothing was filled up")

    def test_CVE_2026_40613_attributes_at_uneven_places_end_nothing(self):
        for attributes, length in (
            ((b"\x00\x06\x00\x01a\x00\x20\x00\x08" + bytes(8),), None), ((b"\x00",), None), ((b"\x80\x22\x00\x03abc",), None),
            ((b"\x80\x22\xff\xff",), None), ((b"\x80\x22\x00\x04abcd",), 7), ((), 0xFFFF), ((b"\x00\x08\x00\x13" + bytes(19),), None),
        ):
            self.ask(*attributes, length=length)
        self.socket.settimeout(0.5)
        with contextlib.suppress(TimeoutError):
            while True:
                self.socket.recv(2_000)
        self.socket.settimeout(5)
        self.ask()
        self.assertEqual(self.socket.recv(2_000)[:2], b"\x01\x01")


class Pictures(unittest.TestCase):
    """Files that claim to be pictures: the child that draws the small ones knows four formats and no other."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server(*VOUCHED, testing=False))

    def bring(self, content: bytes, kind: str) -> dict:
        token = sign_in(self.server)["accessToken"]
        answer = ask_http(self.server, "POST", "/v1/files?name=picture", content,
                          {"Authorization": f"Bearer {token}", "Content-Type": kind})
        return {"token": token, "status": answer.status} | (answer.json if answer.status in (200, 201) else {})

    def thumbnail(self, content: bytes, kind: str) -> int:
        brought = self.bring(content, kind)
        if "file" not in brought:
            return brought["status"]
        return ask_http(self.server, "GET", f"/v1/files/{brought['file']}/thumbnail",
                        headers={"Authorization": f"Bearer {brought['token']}"}).status

    def test_CVE_2024_53863_formats_with_decoders_of_their_own_get_no_small_picture(self):
        samples = {
            "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n", "svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "tiff": b"II*\x00\x08\x00\x00\x00", "jpeg 2000": b"\x00\x00\x00\x0cjP  \r\n\x87\n", "pdf": b"%PDF-1.4\n",
            "fits": b"SIMPLE  =                    T", "psd": b"8BPS\x00\x01",
        }
        for name, content in samples.items():
            self.assertIn(self.thumbnail(content + bytes(100), "image/png"), (400, 404, 415), name)

    def test_CVE_2022_3257_a_crafted_GIF_leaves_the_server_alive(self):
        head = b"GIF89a" + (65535).to_bytes(2, "little") * 2 + b"\x00\x00\x00"
        frames = b"\x2c" + bytes(4) + (65535).to_bytes(2, "little") * 2 + b"\x00\x08" + b"\x01\x00\x00"
        self.assertIn(self.thumbnail(head + frames * 50 + b"\x3b", "image/gif"), (400, 404, 415, 422))
        with Person(self.server, "After") as person:
            self.assertIn("number", person.ask("chat.send", user=person.user, body={"text": "still here"}))

    def test_CVE_2022_3147_pictures_brought_at_once_are_not_drawn_at_once(self):
        """Each would be 400 megabytes when unfolded."""
        frame = b"\xff\xc0\x00\x11\x08" + (10_000).to_bytes(2) * 2 + b"\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"
        picture = b"\xff\xd8" + frame + b"\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x3f\x00" + bytes(50_000) + b"\xff\xd9"
        with ThreadPoolExecutor(8) as pool:
            for brought in pool.map(lambda _: self.bring(picture, "image/jpeg"), range(16)):
                self.assertIn(brought["status"], (200, 201, 400, 415, 422, 429))
        self.assertLess(self.server.memory("VmHWM"), 256 << 10)

    def test_CVE_2026_26246_a_PSD_is_not_unfolded(self):
        content = b"8BPS\x00\x01" + bytes(6) + b"\x00\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x00\x08\x00\x03" + b"\xff" * 1_000
        self.assertIn(self.thumbnail(content, "image/vnd.adobe.photoshop"), (400, 404, 415))


if __name__ == "__main__":
    unittest.main()
