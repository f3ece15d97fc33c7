"""Ways to reach a server that hide nothing: every request and every frame is the test's own."""

import base64
import contextlib
import http.client
import json
import os
import re
import select
import time
import unittest
from collections import deque
from dataclasses import dataclass

import websocket
from server import TIMEOUT, Server


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


def ask_http(
    server: Server, method: str, target: str, body: bytes | str | dict = b"", headers: dict | None = None
) -> Answer:
    """One request on a connection of its own; a dict goes as JSON."""
    headers = dict(headers or {})
    if isinstance(body, dict):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    if isinstance(body, str):
        body = body.encode()
    connection = http.client.HTTPConnection(*server.address, timeout=TIMEOUT)
    try:
        connection.request(method, target, body, headers)
        return read_answer(connection)
    finally:
        connection.close()


def read_answer(connection: http.client.HTTPConnection) -> Answer:
    answer = connection.getresponse()
    return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())


class Closed(Exception):
    """The other side has closed, with this code if it said one."""

    def __init__(self, code: int | None):
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocketLink:
    """Packets as WebSocket messages: text is `str`, binary is `bytes`."""

    #: The code of a session that ends by a protocol error.
    PROTOCOL_ERROR = 1002

    def __init__(self, server: Server, query: str, headers: dict | None = None, origin: str | None = None):
        host, port = server.address
        self.socket = websocket.create_connection(
            f"ws://{host}:{port}/socket.io/?{query}&transport=websocket", timeout=TIMEOUT,
            header=[f"{name}: {value}" for name, value in (headers or {}).items()],
            origin=origin, suppress_origin=origin is None, skip_utf8_validation=True)

    def send(self, packet: str | bytes) -> None:
        if isinstance(packet, bytes):
            self.socket.send_binary(packet)
        else:
            self.socket.send(packet)

    def receive(self, within: float = TIMEOUT) -> str | bytes:
        self.socket.settimeout(within)
        try:
            opcode, data = self.socket.recv_data()
        except websocket.WebSocketTimeoutException as error:
            raise TimeoutError("nothing came") from error
        except (websocket.WebSocketConnectionClosedException, ConnectionError) as error:
            self.socket.shutdown()
            raise Closed(None) from error
        if opcode == websocket.ABNF.OPCODE_CLOSE:
            self.socket.shutdown()
            raise Closed(int.from_bytes(data[:2]) if len(data) >= 2 else None)
        return data.decode() if opcode == websocket.ABNF.OPCODE_TEXT else data

    def cut(self) -> None:
        """As when a cable is pulled: nobody says goodbye."""
        self.socket.sock.close()

    def close(self) -> None:
        if self.socket.connected:
            self.socket.close(timeout=1)


class PollingLink:
    """Packets of version 4 over HTTP."""

    PROTOCOL_ERROR = 400

    def __init__(self, server: Server, query: str, headers: dict | None = None):
        self.server = server
        self.headers = headers or {}
        self.target = f"/socket.io/?{query}&transport=polling"
        self.waiting: deque[str | bytes] = deque()
        self.polls = http.client.HTTPConnection(*server.address, timeout=TIMEOUT)
        self.is_polling = False
        self.refusal: Closed | None = None
        self._poll(TIMEOUT)
        self.sid = json.loads(self.waiting[0][1:])["sid"]
        self.target += f"&sid={self.sid}"

    def _poll(self, within: float) -> None:
        """A request that is not answered in time stays asked."""
        if not self.is_polling:
            self.polls.request("GET", self.target, headers=self.headers)
            self.is_polling = True
        if not select.select([self.polls.sock], [], [], within)[0]:
            raise TimeoutError("nothing came")
        self.is_polling = False
        self._take(read_answer(self.polls))

    def _take(self, answer: Answer) -> None:
        if answer.status != 200:
            raise Closed(answer.status)
        for packet in answer.text.split("\x1e"):
            self.waiting.append(base64.b64decode(packet[1:]) if packet.startswith("b") else packet)

    def send(self, packet: str | bytes) -> None:
        self.send_all([packet])

    def send_all(self, packets: list[str | bytes]) -> None:
        texts = [p if isinstance(p, str) else "b" + base64.b64encode(p).decode() for p in packets]
        answer = ask_http(self.server, "POST", self.target, "\x1e".join(texts), self.headers)
        # As on a WebSocket, who sends what ends the session learns of it where they read.
        if answer.status != 200:
            self.refusal = self.refusal or Closed(answer.status)

    def receive(self, within: float = TIMEOUT) -> str | bytes:
        deadline = time.monotonic() + within
        while not self.waiting:
            if self.refusal:
                raise self.refusal
            self._poll(max(0, deadline - time.monotonic()))
        return self.waiting.popleft()

    def cut(self) -> None:
        """As when a cable is pulled. The server cannot notice between two polls."""
        need_websockets("a line that breaks is noticed at once where it is a WebSocket")
        self.polls.close()

    def close(self) -> None:
        if self.polls.sock is not None:
            with contextlib.suppress(Closed, OSError, http.client.HTTPException):
                self.send("1")
        self.polls.close()


def usual_link() -> type:
    """How people come in where a test does not say: TRANSPORT in the environment may say `polling`."""
    return PollingLink if os.environ.get("TRANSPORT") == "polling" else WebSocketLink


def need_websockets(why: str) -> None:
    """Skips the test where all clients use polling."""
    if usual_link() is PollingLink:
        raise unittest.SkipTest(why)


def become_websocket(link: PollingLink, server: Server) -> WebSocketLink:
    """The session of a polling link goes on as a WebSocket, asked for at any server of those that share it."""
    upgraded = WebSocketLink(server, f"EIO=4&sid={link.sid}")
    upgraded.send("2probe")
    if (answer := upgraded.receive()) != "3probe":
        raise AssertionError(f"the probe was answered with {answer!r}")
    upgraded.send("5")
    link.polls.close()
    return upgraded


@dataclass
class Packet:
    """One packet of Socket.IO, with its attachments put in place of their placeholders."""

    kind: str
    namespace: str
    number: int | None
    payload: object

    CONNECT, DISCONNECT, EVENT, ACK, ERROR = "0", "1", "2", "3", "4"
    _FORM = re.compile(r"4([0-6])(?:(\d+)-)?(?:(/[^,]*),)?(\d+)?(.*)", re.DOTALL)

    @classmethod
    def read(cls, first: str, next_packet) -> "Packet":
        match = cls._FORM.fullmatch(first)
        if not match:
            raise AssertionError(f"no packet of Socket.IO: {first[:80]!r}")
        kind, attachments, namespace, number, payload = match.groups()
        parts = [next_packet() for _ in range(int(attachments or 0))]
        value = _with_parts(json.loads(payload), parts) if payload else None
        kind = {"5": "2", "6": "3"}.get(kind, kind)
        return cls(kind, namespace or "/", int(number) if number else None, value)


def _with_parts(value, parts: list[bytes]):
    if isinstance(value, dict):
        if value.get("_placeholder"):
            return parts[value["num"]]
        return {name: _with_parts(field, parts) for name, field in value.items()}
    if isinstance(value, list):
        return [_with_parts(element, parts) for element in value]
    return value


def take_parts(value, parts: list[bytes]):
    """The other way: bytes become placeholders, and are collected."""
    if isinstance(value, (bytes, bytearray)):
        parts.append(bytes(value))
        return {"_placeholder": True, "num": len(parts) - 1}
    if isinstance(value, dict):
        return {name: take_parts(field, parts) for name, field in value.items()}
    if isinstance(value, list):
        return [take_parts(element, parts) for element in value]
    return value
