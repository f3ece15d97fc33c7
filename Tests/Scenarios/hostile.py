"""Servers that lie, stall, flood and cut, and programs of ours that meet them."""

import base64
import contextlib
import hashlib
import json
import os
import pty
import re
import resource
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from server import binary, eventually

#: What a program of ours may take beside what it takes at rest, in MiB.
MEMORY = 256
#: Sets a title, clears the screen, begins a colour in the controls of eight bits, and turns the direction of what follows.
STEERING = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202e"
#: What our programs wait for at most before they give up: fifteen seconds, on a machine that is busy.
PATIENT = 40.0


class HostileServer:
    """Listens on loopback and lets `behave` do with every connection what it likes, on a thread of its own."""

    def __init__(self, behave: Callable[["Victim"], None]):
        self.behave = behave
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = self.socket.getsockname()
        self.url = f"http://127.0.0.1:{self.address[1]}"
        self.visits = 0
        self.is_over = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.visits += 1
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, EOFError):
            connection.settimeout(120)
            self.behave(Victim(connection, self))

    def __enter__(self) -> "HostileServer":
        return self

    def __exit__(self, *_) -> None:
        self.is_over.set()
        self.socket.close()


class Victim:
    """A connection of one of our programs, seen from the other side."""

    def __init__(self, connection: socket.socket, server: HostileServer):
        self.socket = connection
        self.server = server
        self.kept = b""
        self.head = b""

    # Bytes.

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def flood(self, pieces: Iterator[bytes], until: int = 1 << 32) -> None:
        """One piece after the other, until the victim goes away."""
        sent = 0
        while sent < until and not self.server.is_over.is_set():
            piece = next(pieces)
            self.send(piece)
            sent += len(piece)

    def drip(self, data: bytes) -> None:
        """One byte a second."""
        for byte in data:
            self.send(bytes([byte]))
            if self.server.is_over.wait(1):
                return

    def stall(self) -> None:
        self.server.is_over.wait(120)

    def read(self, count: int) -> bytes:
        while len(self.kept) < count:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise EOFError
            self.kept += piece
        taken, self.kept = self.kept[:count], self.kept[count:]
        return taken

    # HTTP.

    def read_request(self) -> bytes:
        """The head of a request and its body."""
        while b"\r\n\r\n" not in self.kept:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise EOFError
            self.kept += piece
        self.head, _, self.kept = self.kept.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", self.head)
        if length:
            self.read(int(length[1]))
        return self.head

    def answer(self, body: bytes | dict, status: str = "200 OK", **fields: str) -> None:
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    # WebSockets and Socket.IO.

    @property
    def wants_web_socket(self) -> bool:
        return b"upgrade: websocket" in self.head.lower()

    def accept(self, *fields: str, proof: str | None = None) -> None:
        """Takes the WebSocket that was asked for."""
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", self.head)[1]
        proof = proof or base64.b64encode(
            hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Accept: {proof}", *fields]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def frame(self, data: bytes | str, first: int = 0x81) -> None:
        self.send(frame(data, first))

    def read_frame(self) -> bytes:
        """What is in the next frame of the victim's."""
        first, length = self.read(2)
        length &= 0x7F
        if length == 126:
            length = int.from_bytes(self.read(2))
        elif length == 127:
            length = int.from_bytes(self.read(8))
        key = self.read(4)
        data = self.read(length)
        if first & 0x0F == 0x8:
            raise EOFError
        return (int.from_bytes(data) ^ int.from_bytes((key * (length // 4 + 1))[:length])).to_bytes(length) if length else b""

    def event(self, name: str, fields: dict) -> None:
        self.frame("42" + json.dumps([name, fields]))

    def open(self, **fields) -> None:
        """As an honest server begins."""
        self.accept()
        self.frame("0" + json.dumps({"sid": "AAAAAAAAAAAAAAAAAAAA", "upgrades": [], "pingInterval": 25000,
                                     "pingTimeout": 20000, "maxPayload": 1000000} | fields))

    def let_in(self, user: str = "eve") -> None:
        """A session, as an honest server would give it."""
        self.read_request()
        self.open()
        self.read_frame()
        self.frame('40{"sid":"BBBBBBBBBBBBBBBBBBBB","pid":"CCCCCCCCCCCCCCCCCCCC"}')
        self.event("welcome", {"user": user, "name": user, "expires": int(time.time() * 1000) + 3_600_000})

    def requests(self) -> Iterator[tuple[int, str, dict]]:
        """What the victim asks for: number, name, fields."""
        while True:
            text = self.read_frame().decode()
            match = re.fullmatch(r"42(\d+)(\[.*\])", text, re.DOTALL)
            if match:
                name, *fields = json.loads(match[2])
                yield int(match[1]), name, fields[0] if fields else {}

    def ack(self, number: int, fields: dict) -> None:
        self.frame(f"43{number}{json.dumps([fields])}")


def frame(data: bytes | str, first: int = 0x81) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    if len(data) < 126:
        return bytes([first, len(data)]) + data
    if len(data) < 1 << 16:
        return bytes([first, 126]) + struct.pack(">H", len(data)) + data
    return bytes([first, 127]) + struct.pack(">Q", len(data)) + data


class Screen:
    """A program of ours on a terminal, as somebody would sit before it."""

    def __init__(self, *words: object, environment: dict | None = None):
        controller, terminal = pty.openpty()
        self.process = subprocess.Popen(
            [str(binary()), *map(str, words)], stdin=terminal, stdout=terminal, stderr=terminal,
            env={**os.environ, **(environment or {})})
        os.close(terminal)
        self.controller = controller
        self.shown = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(self.controller, 1 << 16):
                self.shown += piece

    def type(self, text: str) -> None:
        os.write(self.controller, text.encode())

    def wait_for(self, text: str) -> None:
        eventually(lambda: text.encode() in self.shown, f"{text!r} on the screen, which shows {self.shown[-2000:]!r}")

    def end(self, within: float = PATIENT) -> "End":
        began = time.monotonic()
        timer = threading.Timer(within, self.process.kill)
        timer.start()
        memory = wait_for_end(self.process)
        timer.cancel()
        self._reader.join(5)
        os.close(self.controller)
        return End(self.process.returncode, self.shown, b"", time.monotonic() - began, memory)


@dataclass
class End:
    """How a program of ours ended."""

    code: int
    out: bytes
    complaints: bytes
    seconds: float
    #: In MiB.
    memory: float


def wait_for_end(process: subprocess.Popen) -> float:
    """The most memory the program had, in MiB. Looked at again and again, since what `wait4` tells counts the tests' own process,
    from which it was forked."""
    peak = 0
    while process.poll() is None:
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak = max([peak, *map(int, re.findall(r"VmHWM:\s*(\d+)", status))])
        time.sleep(0.005)
    return peak / 1024


def run(*words: object, stdin: bytes = b"", within: float = PATIENT, environment: dict | None = None) -> End:
    """Runs a program of ours to its end, and measures what it took."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        process = subprocess.Popen(
            [str(binary()), *map(str, words)], stdin=given, stdout=out, stderr=complaints,
            env={**os.environ, **(environment or {})})
        timer = threading.Timer(within, process.kill)
        timer.start()
        memory = wait_for_end(process)
        timer.cancel()
        seconds = time.monotonic() - began
        out.seek(0)
        complaints.seek(0)
        return End(process.returncode, out.read(1 << 20), complaints.read(1 << 20), seconds, memory)


class HostileCase(unittest.TestCase):
    """Every program ends in time, with a code that its help documents and one clear sentence, and stays small."""

    mostly_waits = True

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-hostile-")))
        # Nothing of ours leaves a core behind, and none is needed.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))

    def meets(self, behave: Callable[[Victim], None], *words: object, code: int | tuple[int, ...] = (), says: str = "",
              within: float = PATIENT, stdin: bytes = b"") -> End:
        """Runs `parley WORDS` against a server that behaves so."""
        with HostileServer(behave) as server:
            end = run(*words, "--server", server.url, stdin=stdin, within=within,
                      environment={"XDG_CONFIG_HOME": str(self.folder)})
        self.check(end, code, says, within)
        return end

    def check(self, end: End, code: int | tuple[int, ...], says: str, within: float = PATIENT) -> None:
        words = end.complaints.decode(errors="replace")
        self.assertLess(end.seconds, within, f"it had to be killed; it said: {words[-500:]}")
        self.assertIn(end.code, (code,) if isinstance(code, int) else code, words[-500:])
        self.assertRegex(words, says or "^")
        self.is_plain(end.complaints)
        self.assertLessEqual(len(words.splitlines()), 1, words[:500])
        self.assertLess(len(words), 1000)
        self.assertLess(end.memory, MEMORY)

    def is_plain(self, data: bytes) -> None:
        """Nothing in it steers a terminal."""
        found = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", data.decode(errors="replace"))
        self.assertIsNone(found, data[:500])
