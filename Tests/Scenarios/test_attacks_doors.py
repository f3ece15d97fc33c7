"""What strangers try at the doors for other servers' apps, and at what answers without a token. Tests are named after the finding
they hold."""

import os
import sqlite3
import struct
import unittest
import zlib

from server import Server, eventually
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

    def test_M10_what_stands_behind_a_picture_is_thrown_away(self):
        secret = b"what somebody wants to have given out from here " * 1000
        for content in (png(40, secret), png(700, secret), png(40)[:60] + secret):
            answer = self.bring(content)
            self.assertEqual(answer["code"], 1, answer)
            given = self.fetch(answer["data"])
            self.assertEqual((given.status, given.body[:4]), (200, b"\x89PNG"))
            self.assertFalse(secret[:40] in given.body)
        self.assertEqual(self.bring(png(40)[:30] + secret)["code"], -1, "nothing but the header of a picture")

    def test_M10_one_stranger_leaves_the_others_their_room(self):
        noise = os.urandom(300_000)
        for _ in range(25):
            self.bring(png(40, noise), "192.0.2.66")
        self.assertEqual(self.bring(png(40, noise), "192.0.2.66")["code"], -1)
        self.assertEqual(self.bring(png(40, noise), "192.0.2.67")["code"], 1)

    def test_M10_a_picture_nobody_registers_with_goes_after_a_day(self):
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
