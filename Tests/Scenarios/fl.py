"""FLSocketIM's own clients, as their libraries speak: Engine.IO 3 and Socket.IO 4, with all their habits.

The iOS library sends no `EIO` and no cache buster, asks for base64 while it polls, opens its WebSocket with an
`Origin` of `ws://…` and pings at once; the Android one says `EIO=3`, and prefixes binary frames like the former.
"""

import base64
import contextlib
import http.client
import json
import time
from collections import deque

import websocket
from background import repeated
from server import TIMEOUT, Server
from wire import Answer, Packet, ask_http, read_answer, take_parts


def units(text: str) -> int:
    """Old payloads are measured in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def pack(packets: list[str]) -> str:
    return "".join(f"{units(packet)}:{packet}" for packet in packets)


def unpack(payload: str) -> list[str]:
    packets = []
    while payload:
        length, _, rest = payload.partition(":")
        packet = rest.encode("utf-16-le")[: int(length) * 2].decode("utf-16-le")
        assert units(packet) == int(length), payload[:80]
        packets.append(packet)
        payload = rest[len(packet) :]
    return packets


def unpack_binary(body: bytes) -> list[str | bytes]:
    packets: list[str | bytes] = []
    while body:
        end = body.index(255)
        length = int("".join(str(digit) for digit in body[1:end]))
        data = body[end + 1 : end + 1 + length]
        assert len(data) == length
        packets.append(data.decode() if body[0] == 0 else data)
        body = body[end + 1 + length :]
    return packets


class Phone:
    """One app on one phone. `trace` has every packet that came, in order."""

    def __init__(self, server: Server, token: str | None, platform: str = "ios", stays_polling: bool = False,
                 starts_on_socket: bool = False):
        self.server, self.platform = server, platform
        self.auth = f"&auth_token={token}" if token else ""
        self.trace: list[str | bytes] = []
        self.pending: list[tuple[str, list, int | None]] = []
        self.acks: dict[int, list] = {}
        self.incoming: deque[str | bytes] = deque()
        self.socket: websocket.WebSocket | None = None
        self.number = 0
        self.pinged = time.monotonic()
        self.polls = http.client.HTTPConnection(*server.address, timeout=TIMEOUT)
        self.sid = ""
        if starts_on_socket:
            self._open_socket()
        else:
            self._take(self.poll())
        self.opening = json.loads(self.next()[1:])
        self.sid = self.opening["sid"]
        if platform == "ios":
            self.send_packets(["2"])
        if starts_on_socket:
            while "40" not in self.trace:
                self.next()
        elif not stays_polling:
            self.upgrade()

    # Requests.

    @property
    def target(self) -> str:
        sid = f"&sid={self.sid}" if self.sid else ""
        if self.platform == "ios":
            return f"/socket.io/?transport=polling&b64=1{self.auth}{sid}"
        return f"/socket.io/?EIO=3&transport=polling{self.auth}{sid}&t=abc"

    def poll(self) -> Answer:
        self.begin_poll()
        return self.end_poll()

    def begin_poll(self) -> None:
        self.polls.request("GET", self.target)

    def end_poll(self) -> Answer:
        return read_answer(self.polls)

    def _take(self, answer: Answer) -> None:
        assert answer.status == 200, answer
        if answer.headers["content-type"] == "application/octet-stream":
            return self.incoming.extend(unpack_binary(answer.body))
        assert answer.headers["content-type"] == "text/plain; charset=UTF-8", answer.headers
        self.incoming.extend(unpack(answer.text))

    def post(self, body: str | bytes, kind: str = "text/plain; charset=UTF-8") -> Answer:
        return ask_http(self.server, "POST", self.target, body, {"Content-Type": kind})

    def _open_socket(self) -> None:
        host, port = self.server.address
        sid = f"&sid={self.sid}" if self.sid else ""
        version = "" if self.platform == "ios" else "EIO=3&"
        self.socket = websocket.create_connection(
            f"ws://{host}:{port}/socket.io/?{version}transport=websocket{self.auth}{sid}", timeout=TIMEOUT,
            origin=f"ws://{host}:{port}")

    def upgrade(self) -> None:
        """The probe beside a waiting poll, which a noop lets go; then the upgrade itself."""
        while not self._read_waiting("40"):
            self._take(self.poll())
        self._open_socket()
        self.begin_poll()
        self.socket.send("2probe")
        assert self.socket.recv() == "3probe"
        self._take(self.end_poll())
        self.socket.send("5")

    def _read_waiting(self, packet: str) -> bool:
        return packet in self.incoming or any(str(p).startswith("44") for p in self.incoming)

    # Packets.

    def stay_alive(self) -> None:
        """Both apps ping every five seconds; the server waits for eight."""
        if time.monotonic() - self.pinged > 3:
            self.pinged = time.monotonic()
            self.send_packets(["2"])

    def staying_alive(self) -> contextlib.AbstractContextManager[None]:
        """Pings in the background: nobody reads for longer than the server's ping timeout, or a poll waits."""
        return repeated(self.stay_alive, every=1)

    def send_packets(self, packets: list[str | bytes]) -> None:
        if not self.socket:
            texts = [p if isinstance(p, str) else "b4" + base64.b64encode(p).decode() for p in packets]
            answer = self.post(pack(texts))
            assert (answer.status, answer.body, answer.headers["content-type"]) == (200, b"ok", "text/html"), answer
            return
        for packet in packets:
            if isinstance(packet, bytes):
                self.socket.send_binary(b"\x04" + packet)
            else:
                self.socket.send(packet)

    def next(self, within: float = TIMEOUT) -> str | bytes:
        """The next packet; pings on time while it waits."""
        deadline = time.monotonic() + within
        while not self.incoming:
            if not self.socket:
                with self.staying_alive():
                    self._take(self.poll())
                continue
            self.stay_alive()
            self.socket.settimeout(max(0.01, min(1, deadline - time.monotonic())))
            try:
                opcode, data = self.socket.recv_data()
            except websocket.WebSocketTimeoutException:
                if time.monotonic() > deadline:
                    raise AssertionError(f"nothing came; before: {self.trace[-5:]}") from None
                continue
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                raise ConnectionError("closed")
            self.incoming.append(data.decode() if opcode == websocket.ABNF.OPCODE_TEXT else data)
        packet = self.incoming.popleft()
        self.trace.append(packet)
        return packet

    def _next_part(self) -> bytes:
        packet = self.next()
        if isinstance(packet, str):
            assert packet.startswith("b4"), packet[:20]
            return base64.b64decode(packet[2:])
        assert packet[0] == 4, packet[:4]
        return packet[1:]

    def _step(self, within: float) -> None:
        packet = self.next(within)
        if packet in ("3", "6", "40"):
            return
        assert isinstance(packet, str) and packet[0] == "4", packet
        if packet.startswith("44"):
            raise ConnectionRefusedError(packet)
        read = Packet.read(packet, self._next_part)
        if read.kind == Packet.EVENT:
            name, *arguments = read.payload
            self.pending.append((name, arguments, read.number))
        elif read.kind == Packet.ACK:
            self.acks[read.number] = read.payload

    # Events.

    def emit(self, event: str, *arguments, number: int | None = None) -> None:
        parts: list[bytes] = []
        body = json.dumps(take_parts([event, *arguments], parts), ensure_ascii=False).replace("/", "\\/")
        head = f"45{len(parts)}-" if parts else "42"
        self.send_packets([f"{head}{'' if number is None else number}{body}", *parts])

    def ask(self, event: str, *arguments, within: float = TIMEOUT):
        number, self.number = self.number, self.number + 1
        self.emit(event, *arguments, number=number)
        deadline = time.monotonic() + within
        while number not in self.acks:
            assert time.monotonic() < deadline, f"no answer to {event}; before: {self.trace[-5:]}"
            self._step(within)
        return self.acks.pop(number)

    def expect(self, event: str, within: float = TIMEOUT, **fields) -> dict:
        deadline = time.monotonic() + within
        while True:
            for index, (name, arguments, _) in enumerate(self.pending):
                if name == event and fields.items() <= (arguments[0] if arguments else {}).items():
                    return self.pending.pop(index)[1][0]
            self._step(max(0.01, deadline - time.monotonic()))

    def heard(self, event: str) -> list:
        """What came up to now: a call to nobody is answered behind it."""
        self.ask("videoChat", {"from_user": "x", "to_user": "nobody_there"})
        return [arguments for name, arguments, _ in self.pending if name == event]

    def close(self) -> None:
        if self.socket:
            self.socket.close(timeout=1)
        self.polls.close()


def account(server: Server, name: str, path: str = "/register", password: str = "g00d-p4ssphrase") -> dict:
    """As both apps do it: a form, and 200 whatever happens."""
    answer = ask_http(
        server, "POST", path, f"userName={name}&password={password}",
        {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status == 200, answer
    return answer.json
