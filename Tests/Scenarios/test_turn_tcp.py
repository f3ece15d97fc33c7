"""Peers by TCP (RFC 6062), with a client that is written here."""

import hashlib
import hmac
import os
import socket
import struct
import threading
import unittest

from server import TIMEOUT, eventually
from test_turn import Relayed, credentials

ALLOCATE, CREATE_PERMISSION, CONNECT, CONNECTION_BIND, CONNECTION_ATTEMPT = 0x003, 0x008, 0x00A, 0x00B, 0x00C
USERNAME, INTEGRITY, ERROR_CODE, PEER, REALM, NONCE, RELAYED, TRANSPORT, CONNECTION_ID = (
    0x06, 0x08, 0x09, 0x12, 0x14, 0x15, 0x16, 0x19, 0x2A)
INDICATION = 0x0010
COOKIE = 0x2112A442
MEBIBYTE = 1 << 20


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack(">HH", kind, len(value)) + value + bytes(-len(value) % 4)


def xor_address(address: tuple[str, int]) -> bytes:
    ip = struct.unpack(">I", socket.inet_aton(address[0]))[0] ^ COOKIE
    return struct.pack(">BBHI", 0, 1, address[1] ^ COOKIE >> 16, ip)


def plain_address(value: bytes) -> tuple[str, int]:
    _, _, port, ip = struct.unpack(">BBHI", value)
    return socket.inet_ntoa(struct.pack(">I", ip ^ COOKIE)), port ^ COOKIE >> 16


class Message:
    def __init__(self, data: bytes):
        self.type = struct.unpack_from(">H", data)[0]
        self.values: dict[int, bytes] = {}
        offset = 20
        while offset < len(data):
            kind, length = struct.unpack_from(">HH", data, offset)
            self.values.setdefault(kind, data[offset + 4:offset + 4 + length])
            offset += 4 + length + -length % 4

    @property
    def code(self) -> int:
        """Of the error; 0 when there was none."""
        found = self.values.get(ERROR_CODE)
        return found[2] * 100 + found[3] if found else 0


class Client:
    """One connection with the server, which asks and waits for the answer."""

    def __init__(self, port: int, name: str, password: str):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        self.name, self.password = name, password
        self.challenge: dict[int, bytes] = {}

    def ask(self, method: int, *attributes: bytes) -> Message:
        reply = self._ask_once(method, attributes)
        if reply.code != 401:
            return reply
        self.challenge = {kind: reply.values[kind] for kind in (REALM, NONCE)}
        return self._ask_once(method, attributes)

    def _ask_once(self, method: int, attributes: tuple[bytes, ...]) -> Message:
        body, transaction = b"".join(attributes), os.urandom(12)
        if self.challenge:
            body += attribute(USERNAME, self.name.encode())
            body += b"".join(attribute(kind, value) for kind, value in self.challenge.items())
            signed = struct.pack(">HHI", method, len(body) + 24, COOKIE) + transaction + body
            key = hashlib.md5(f"{self.name}:{self.challenge[REALM].decode()}:{self.password}".encode()).digest()
            body += attribute(INTEGRITY, hmac.digest(key, signed, "sha1"))
        self.socket.sendall(struct.pack(">HHI", method, len(body), COOKIE) + transaction + body)
        return self.read()

    def read(self) -> Message:
        head = exactly(self.socket, 20)
        return Message(head + exactly(self.socket, struct.unpack_from(">H", head, 2)[0]))


def exactly(stream: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = stream.recv(min(count - len(data), MEBIBYTE))
        if not part:
            raise EOFError(f"{len(data)} of {count} bytes")
        data += part
    return bytes(data)


class Streams(Relayed):
    def setUp(self) -> None:
        super().setUp()
        self.account = credentials("anna")
        self.control = self.client()
        self.relayed = plain_address(self.control.ask(ALLOCATE, attribute(TRANSPORT, b"\6\0\0\0")).values[RELAYED])
        # Not the relay's own address: that leads to other relays only.
        self.peer = socket.create_server(("127.0.0.2", 0))
        self.peer.settimeout(TIMEOUT)
        self.addCleanup(self.peer.close)

    def client(self) -> Client:
        client = Client(self.port, *self.account)
        self.addCleanup(client.socket.close)
        return client

    def take(self, connection: bytes) -> socket.socket:
        """What the client says and hears there is the peer's."""
        client = self.client()
        self.assertEqual(client.ask(CONNECTION_BIND, attribute(CONNECTION_ID, connection)).code, 0)
        return client.socket

    def connect(self) -> tuple[socket.socket, socket.socket]:
        """Both ends of a connection that the client wanted."""
        reply = self.control.ask(CONNECT, attribute(PEER, xor_address(self.peer.getsockname())))
        self.assertEqual(reply.code, 0)
        theirs, address = self.peer.accept()
        self.addCleanup(theirs.close)
        self.assertEqual(address, self.relayed)
        return self.take(reply.values[CONNECTION_ID]), theirs

    def assert_carries(self, one: socket.socket, other: socket.socket, count: int) -> None:
        sent = os.urandom(count)
        sender = threading.Thread(target=one.sendall, args=[sent])
        sender.start()
        self.assertTrue(exactly(other, count) == sent)
        sender.join()


class PeerTests(Streams):
    def test_Q13_what_the_two_ends_say_passes_both_ways_and_ends_together(self):
        """Q13.both"""
        ours, theirs = self.connect()
        theirs.settimeout(TIMEOUT)
        for one, other in ((ours, theirs), (theirs, ours)):
            self.assert_carries(one, other, 2 * MEBIBYTE)
        ours.close()
        self.assertEqual(theirs.recv(1), b"")
        eventually(lambda: self.metric("parley_turn_peer_connections ") == 0, "it is forgotten")

    def test_Q13_a_peer_with_permission_connects_and_what_it_said_before_is_heard(self):
        """Q13.incoming"""
        self.control.ask(CREATE_PERMISSION, attribute(PEER, xor_address(("127.0.0.2", 1))))
        with socket.create_connection(self.relayed, timeout=TIMEOUT, source_address=("127.0.0.2", 0)) as theirs:
            theirs.sendall(b"hello")
            told = self.control.read()
            self.assertEqual(told.type, CONNECTION_ATTEMPT | INDICATION)
            self.assertEqual(plain_address(told.values[PEER]), theirs.getsockname())
            self.assertEqual(exactly(self.take(told.values[CONNECTION_ID]), 5), b"hello")

    def test_Q13_a_peer_without_permission_is_turned_away(self):
        """Q13.refused"""
        with socket.create_connection(self.relayed, timeout=TIMEOUT, source_address=("127.0.0.3", 0)) as theirs:
            self.assertEqual(theirs.recv(1), b"")

    def test_Q13_a_peer_that_is_not_there_and_one_that_is_not_allowed_are_told_apart(self):
        """Q13.refused"""
        address = self.peer.getsockname()
        self.peer.close()
        self.assertEqual(self.control.ask(CONNECT, attribute(PEER, xor_address(address))).code, 447)
        self.assertEqual(self.control.ask(CONNECT, attribute(PEER, xor_address(("10.0.0.1", 80)))).code, 403)

    def test_Q13_connections_end_with_the_one_that_asked_for_them(self):
        """Q13.ends"""
        ours, theirs = self.connect()
        self.control.socket.close()
        self.assertEqual((ours.recv(1), theirs.recv(1)), (b"", b""))
        eventually(lambda: self.metric("parley_turn_allocations ") == 0, "nothing is left open")


class SlowTests(Streams):
    """A user may have 100 kB a second and twice that at once."""

    options = (*Streams.options, "--turn-rate", "100000")

    def test_Q13_nothing_is_lost_where_a_user_sends_more_than_is_relayed_in_a_second(self):
        """Q13.rate"""
        ours, theirs = self.connect()
        theirs.settimeout(TIMEOUT)
        self.assert_carries(ours, theirs, 500_000)


if __name__ == "__main__":
    unittest.main()
