"""What was found in servers like this one, tried here: each test is named after the published number."""

import json
import unittest

from people import VOUCHED, Person, sign_in
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


if __name__ == "__main__":
    unittest.main()
