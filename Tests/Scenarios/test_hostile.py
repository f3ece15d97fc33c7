"""What strangers do to a server, and what is left of it afterwards."""

import base64
import os
import random
import socket
import struct
import unittest
import zlib

from server import Server, eventually

HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"
UPLOAD = b"POST /test/upload HTTP/1.1\r\nHost: a\r\n"
UPGRADE = (
    b"GET /test/echo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + base64.b64encode(bytes(16)) + b"\r\n"
)
DEFLATE = b"Sec-WebSocket-Extensions: permessage-deflate\r\n"


def frame(opcode: int, payload: bytes, first: int = 0x80) -> bytes:
    """A client's frame; its mask is zero, which changes nothing."""
    if len(payload) < 126:
        length = bytes([0x80 | len(payload)])
    elif len(payload) < 1 << 16:
        length = b"\xfe" + struct.pack(">H", len(payload))
    else:
        length = b"\xff" + struct.pack(">Q", len(payload))
    return bytes([first | opcode]) + length + bytes(4) + payload


def read_all(peer: socket.socket) -> bytes:
    """Everything until the other side ends or cuts the connection."""
    received = b""
    try:
        while piece := peer.recv(1 << 16):
            received += piece
    except ConnectionResetError:
        pass
    return received


def reset(peer: socket.socket) -> None:
    """Closes with a reset instead of a goodbye."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def send_all(peer: socket.socket, data: bytes) -> None:
    """Sends as much as the other side lets us."""
    try:
        peer.sendall(data)
    except (ConnectionResetError, BrokenPipeError):
        pass


class Hostile(unittest.TestCase):
    """One server endures it all; after each attack it has to be as it was before."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        for _ in range(20):
            cls.server.get("/")
        cls.baseline = cls.server.descriptors()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server has ended")
        self.assertEqual(self.server.get("/")[0], 200)
        eventually(lambda: self.server.descriptors() <= self.baseline, "descriptors are back at the baseline")
        eventually(lambda: self.server.metric("parley_connections") == 0, "no connection is counted as open")
        self.assertLess(self.server.memory("VmRSS"), 300 << 10)

    def answer_to(self, data: bytes) -> bytes:
        with self.server.connect() as peer:
            send_all(peer, data)
            return read_all(peer)

    def test_ten_thousand_connects_and_resets(self):
        beginnings = [b"", HEAD, HEAD + b"\r\n", UPLOAD + b"Content-Length: 100\r\n\r\nx", UPGRADE + b"\r\n"]
        for index in range(10_000):
            peer = self.server.connect()
            if data := beginnings[index % len(beginnings)]:
                peer.send(data)
            reset(peer)

    def test_half_closed_connections_do_not_pile_up(self):
        beginnings = [b"", b"GET", HEAD, UPLOAD + b"Content-Length: 9\r\n\r\nx", UPGRADE + b"\r\n" + b"\x81"]
        peers = [self.server.connect() for _ in range(300)]
        for index, peer in enumerate(peers):
            peer.sendall(beginnings[index % len(beginnings)])
            peer.shutdown(socket.SHUT_WR)
        for peer in peers:
            read_all(peer)
            peer.close()

    def test_a_whole_request_before_the_half_close_is_answered(self):
        with self.server.connect() as peer:
            peer.sendall(HEAD + b"\r\n" + HEAD + b"\r\n")
            peer.shutdown(socket.SHUT_WR)
            self.assertEqual(read_all(peer).count(b"HTTP/1.1 200 OK"), 2)

    def test_senders_that_drip_byte_by_byte_hold_nobody_up(self):
        beginnings = [HEAD + b"X-A: b", UPLOAD + b"Content-Length: 1000\r\n\r\n", UPGRADE + b"\r\n\x81\xfe\x03\xe8"]
        peers = [self.server.connect() for _ in range(600)]
        for index, peer in enumerate(peers):
            peer.sendall(beginnings[index % len(beginnings)])
        for _ in range(5):
            for peer in peers:
                peer.send(b"x")
            self.assertEqual(self.server.get("/")[0], 200)
        for peer in peers:
            peer.close()

    def test_headers_of_64_kib_are_refused(self):
        for value in [b"x" * 65536, b"x: y\r\n" * 11_000]:
            self.assertTrue(self.answer_to(HEAD + b"X-Big: " + value + b"\r\n\r\n").startswith(b"HTTP/1.1 431 "))
        self.assertTrue(self.answer_to(b"GET /" + b"x" * 65536 + b" HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 414 "))

    def test_chunk_sizes_that_overflow_are_refused(self):
        for size in [b"f" * 16, b"f" * 17, b"8" + b"0" * 15, b"7" + b"f" * 15, b"f" * 1000, b"-1", b"0x10", b"1" * 500]:
            answer = self.answer_to(UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\nx")
            self.assertRegex(answer, rb"^HTTP/1\.1 4(00|13) ", size)
        for length in [b"9" * 30, b"18446744073709551616", b"-1", b"+1", b"1e3", b"1,1"]:
            answer = self.answer_to(UPLOAD + b"Content-Length: " + length + b"\r\n\r\nx")
            self.assertRegex(answer, rb"^HTTP/1\.1 4(00|13) ", length)

    def test_compression_bombs_are_refused_in_flat_memory(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(512)) + packer.flush(zlib.Z_SYNC_FLUSH)
        self.assertLess(len(bomb), 1 << 20)
        before = self.server.memory("VmRSS")
        self.server.forget_peak()
        for opcode in (1, 2):
            answer = self.answer_to(UPGRADE + DEFLATE + b"\r\n" + frame(opcode, bomb[:-4], first=0xC0))
            # 1009: the message is too big.
            self.assertIn(b"\x03\xf1", answer.split(b"\r\n\r\n", 1)[1])
        self.assertLess(self.server.memory("VmHWM") - before, 100 << 10)

    def test_frames_that_announce_too_much(self):
        for length in [b"\xff" + b"\xff" * 8, b"\xff\x7f" + b"\xff" * 7, b"\xff" + struct.pack(">Q", 1 << 40)]:
            answer = self.answer_to(UPGRADE + b"\r\n\x82" + length + bytes(4))
            self.assertRegex(answer.split(b"\r\n\r\n", 1)[1], rb"^\x88.\x03(\xea|\xf1)")

    def test_what_comes_back_is_what_was_sent_and_not_a_byte_more(self):
        """CVE-2026-45736 of others: bytes of somebody else's memory in a control frame."""
        for length in range(0, 124, 3):
            payload = os.urandom(length)
            goodbye = b"\x03\xe8" + b"x" * length
            answer = self.answer_to(UPGRADE + b"\r\n" + frame(9, payload) + frame(8, goodbye))
            frames = answer.split(b"\r\n\r\n", 1)[1]
            self.assertEqual(frames, bytes([0x8A, length]) + payload + b"\x88\x02\x03\xe8")

    def test_cut_at_every_byte(self):
        upload = UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Note: x\r\n\r\n"
        session = UPGRADE + DEFLATE + b"\r\n" + frame(1, b"hello") + frame(9, b"there") + frame(8, b"\x03\xe8bye")
        for data in (upload, session):
            for cut in range(len(data)):
                peer = self.server.connect()
                peer.sendall(data[:cut])
                peer.close() if cut % 2 else reset(peer)
            # And whole, but torn in two.
            for cut in range(0, len(data), 5):
                with self.server.connect() as peer:
                    peer.sendall(data[:cut])
                    peer.sendall(data[cut:])
                    peer.shutdown(socket.SHUT_WR)
                    self.assertRegex(read_all(peer), rb"^HTTP/1\.1 (200|101) ")

    def test_noise_on_a_connection_stops_nothing(self):
        chance = random.Random(2026)
        beginnings = [b"", HEAD, UPLOAD + b"Transfer-Encoding: chunked\r\n\r\n", UPGRADE + DEFLATE + b"\r\n"]
        for index in range(800):
            peer = self.server.connect()
            send_all(peer, beginnings[index % len(beginnings)] + chance.randbytes(chance.randrange(4000)))
            peer.close() if index % 3 else reset(peer)

    def test_noise_in_the_middle_of_sense(self):
        chance = random.Random(7)
        sense = HEAD + b"Accept: */*\r\n\r\n" + UPGRADE + DEFLATE + b"\r\n" + frame(1, b"hello") * 20
        for _ in range(500):
            data = bytearray(sense)
            for _ in range(chance.randrange(1, 6)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            peer = self.server.connect()
            send_all(peer, bytes(data))
            peer.close()

    def test_readers_that_do_not_read_are_cut(self):
        before = self.server.metric("parley_slow_readers_total")
        message = frame(2, os.urandom(1 << 20))
        for _ in range(3):
            with self.server.connect() as peer, self.assertRaises((ConnectionResetError, BrokenPipeError)):
                peer.sendall(UPGRADE + b"\r\n")
                # What comes back is never read, so it piles up until the server has enough.
                for _ in range(200):
                    peer.sendall(message)
        # A client may see the end before the server has counted it.
        counted = lambda: self.server.metric("parley_slow_readers_total") == before + 3  # noqa: E731
        eventually(counted, "three slow readers are counted")


class Uploads(unittest.TestCase):
    def test_a_gigabyte_uses_flat_memory(self):
        size = 1 << 30
        piece = bytes(1 << 20)
        with Server() as server, server.connect() as peer:
            server.get("/")
            before = server.memory("VmRSS")
            server.forget_peak()
            peer.sendall(UPLOAD + f"Content-Length: {size}\r\nConnection: close\r\n\r\n".encode())
            for _ in range(size // len(piece)):
                peer.sendall(piece)
            self.assertTrue(read_all(peer).endswith(f"\r\n\r\n{size}\n".encode()))
            growth = server.memory("VmHWM") - before
            print(f"\n1 GiB uploaded: {before} KiB before, at most {growth} KiB more", flush=True)
            self.assertLess(growth, 20 << 10)


if __name__ == "__main__":
    unittest.main()
