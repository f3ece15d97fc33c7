"""Apple's side of its push service: HTTP/2 over TLS with an authority of the test's own, and the installations behind it."""

import base64
import json
import re
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import hpack
from authority import certificate, pem
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from h2.settings import SettingCodes
from hyperframe.frame import (
    ContinuationFrame, DataFrame, GoAwayFrame, HeadersFrame, PingFrame, PushPromiseFrame, RstStreamFrame, SettingsFrame,
    WindowUpdateFrame)

KEY, TEAM, TOPIC = "KEY4567890", "TEAM567890", "org.example.app"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
REFUSED_STREAM = 7
# So many bytes of an attack nobody has to take, however much waits on the way.
ATTACK = 64 << 20


def opened(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def refusal(status: int, reason: str, timestamp: float | None = None, **fields: str) -> tuple[int, dict, dict]:
    """As Apple says it: the HTTP status, and a word; `timestamp` is when a token ended."""
    more = {} if timestamp is None else {"timestamp": int(timestamp * 1000)}
    return status, fields, {"reason": reason} | more


@dataclass
class Push:
    headers: dict[str, str]
    message: dict
    connection: int

    @property
    def aps(self) -> dict:
        return self.message["aps"]


@dataclass
class Installation:
    token: str
    pushes: list[Push] = field(default_factory=list)
    attempts: list[float] = field(default_factory=list)
    # What an attempt is refused with, by number from 0; None when it is taken.
    answer: Callable[[int], tuple[int, dict, dict] | None] = lambda attempt: None

    @property
    def registration(self) -> dict:
        return {"kind": "apns", "token": self.token}


class APNsAccount:
    """What its owner was given: the key of a team. And the authority that all of the model's servers are vouched for by."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.root = certificate(["Test root"], (-1, 2), more=[x509.BasicConstraints(True, None)])
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        self.file, self.trust, self.own = folder / "key.p8", folder / "root.pem", folder / "own.pem"
        self.file.write_bytes(self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.trust.write_bytes(self.root[1].public_bytes(serialization.Encoding.PEM))
        self.own.write_bytes(pem(*certificate(["localhost"], (-1, 2), issuer=self.root)))

    def check(self, token: str) -> None:
        head, claims, signature = token.split(".")
        raw = opened(signature)
        encoded = utils.encode_dss_signature(*(int.from_bytes(half, "big") for half in (raw[:32], raw[32:])))
        assert len(raw) == 64, raw
        self.key.public_key().verify(encoded, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        assert json.loads(opened(head)) | {"typ": "JWT"} == {"alg": "ES256", "kid": KEY, "typ": "JWT"}, head
        said = json.loads(opened(claims))
        assert said["iss"] == TEAM and time.time() - 3600 < said["iat"] <= time.time() + 1, said

    def close(self) -> None:
        self.folder.cleanup()


class APNsService:
    """One environment. Refuses whatever the real one would refuse."""

    def __init__(self, account: APNsAccount, protocol: str = "h2"):
        self.account = account
        self.installations: dict[str, Installation] = {}
        self.faults: list[str] = []
        self.tokens: list[str] = []
        self.bad_tokens: set[str] = set()
        self.connections = 0
        # How many requests have to wait for an answer together before all of them get theirs.
        self.gate = 1
        self.most_at_once = 0
        # What happens to a request instead of an answer, by its number from 0: "refuse", "leave", "hang up", or the name of an attack.
        self.fate: Callable[[int], str | None] = lambda number: None
        # How many bytes were sent of each attack.
        self.attacks: dict[str, int] = {}
        self.requests = 0
        self.lock = threading.Lock()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(account.own)
        self.context.set_alpn_protocols([protocol])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.origin = f"https://localhost:{self.listener.getsockname()[1]}"
        self.lines: list[socket.socket] = []
        threading.Thread(target=self.accept, daemon=True).start()

    def installation(self) -> Installation:
        token = f"{len(self.installations):064x}"
        found = self.installations[token] = Installation(token)
        return found

    def accept(self) -> None:
        while True:
            try:
                line, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
                self.lines.append(line)
                number = self.connections
            threading.Thread(target=self.serve, args=[line, number], daemon=True).start()

    def serve(self, line: socket.socket, number: int) -> None:
        try:
            with self.context.wrap_socket(line, server_side=True) as secure:
                self.lines.append(secure)
                Connection(self, secure, number).run()
        except (OSError, ssl.SSLError):
            pass

    def take(self, headers: dict[str, str], body: bytes, connection: int) -> tuple[int, dict, dict]:
        try:
            return self.send(headers, body, connection)
        except Exception as error:
            self.faults.append(repr(error))
            return refusal(400, "BadMessageId")

    def send(self, headers: dict[str, str], body: bytes, connection: int) -> tuple[int, dict, dict]:
        assert headers[":method"] == "POST" and headers[":scheme"] == "https", headers
        # RFC 9113 §8.3.1: who names no authority names a host.
        assert headers[":authority"] == self.origin.removeprefix("https://") if ":authority" in headers else headers["host"] == "localhost", headers
        token = headers["authorization"].removeprefix("bearer ")
        if token in self.bad_tokens:
            return refusal(403, "ExpiredProviderToken")
        self.account.check(token)
        if token not in self.tokens:
            self.tokens.append(token)
        path = re.fullmatch(r"/3/device/([0-9a-f]+)", headers[":path"])
        assert path, headers
        installation = self.installations.get(path[1])
        if not installation:
            return refusal(400, "BadDeviceToken")
        installation.attempts.append(time.monotonic())
        if refused := installation.answer(len(installation.attempts) - 1):
            return refused
        message = json.loads(body)
        self.check(headers, message, body)
        installation.pushes.append(Push(headers, message, connection))
        return 200, {}, {}

    def check(self, headers: dict[str, str], message: dict, body: bytes) -> None:
        assert headers["apns-topic"] == TOPIC, headers
        assert len(body) <= 4096, "too large"
        assert 0 < len(headers["apns-collapse-id"]) <= 64, headers
        assert UUID.fullmatch(headers["apns-id"]), headers
        expiration = int(headers["apns-expiration"])
        assert expiration == 0 or time.time() - 1 <= expiration <= time.time() + 86_500, headers
        aps = message["aps"]
        if headers["apns-push-type"] == "background":
            assert headers["apns-priority"] == "5" and aps == {"content-available": 1}, message
        else:
            assert headers["apns-push-type"] == "alert" and headers["apns-priority"] in ("5", "10"), headers
            alert = aps["alert"]
            assert alert if isinstance(alert, str) else alert["title"] and alert["body"], message

    def close(self) -> None:
        self.listener.close()
        for line in self.lines:
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def attack_frames(name: str, stream: int) -> tuple[bytes, bytes]:
    """What it begins with, and what comes again and again (RFC 9113 §10.5)."""
    fields = lambda count: hpack.Encoder().encode([(f"field-{number}", "x" * 100) for number in range(count)], huffman=False)  # noqa: E731
    head = HeadersFrame(stream, b"\x88", flags=["END_HEADERS"]).serialize()
    match name:
        case "settings":
            return b"", SettingsFrame(0, {3: 100}).serialize()
        case "pings":
            return b"", PingFrame(0, b"8 bytes.").serialize()
        case "resets":
            return b"", RstStreamFrame(stream, 8).serialize()
        case "windows":
            return b"", WindowUpdateFrame(0, 2**31 - 1).serialize()
        case "fields":
            return HeadersFrame(stream, b"\x88").serialize(), ContinuationFrame(stream, fields(100)).serialize()
        case "empty fields":
            return HeadersFrame(stream, b"\x88").serialize(), ContinuationFrame(stream, b"").serialize()
        case "body":
            return head, DataFrame(stream, b"x" * 8192).serialize()
        case "empty body":
            return head, DataFrame(stream, b"").serialize()
        case "long frames":
            return head, DataFrame(stream, b"x" * 16_385).serialize()
        case "unknown frames":
            return b"", b"\x00\x20\x00\x0b\x00\x00\x00\x00\x00" + b"x" * 8192
        case "promises":
            return b"", PushPromiseFrame(stream, 2, b"\x82", flags=["END_HEADERS"]).serialize()
    raise ValueError(name)


ATTACKS = ("settings", "pings", "resets", "windows", "fields", "empty fields", "body", "empty body", "long frames", "unknown frames",
           "promises")


class Connection:
    """Takes one request at a time until a token was good, as Apple's does."""

    def __init__(self, service: APNsService, line: ssl.SSLSocket, number: int):
        self.service, self.line, self.number = service, line, number
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        self.h2.local_settings[SettingCodes.MAX_CONCURRENT_STREAMS] = 1
        self.h2.local_settings.acknowledge()
        self.requests: dict[int, tuple[dict, bytearray]] = {}
        self.waiting: list[int] = []
        self.is_trusting = False

    def run(self) -> None:
        self.h2.initiate_connection()
        self.flush()
        while data := self.line.recv(65_536):
            for event in self.h2.receive_data(data):
                self.hear(event)
            self.flush()

    def flush(self) -> None:
        self.line.sendall(self.h2.data_to_send())

    def hear(self, event: h2.events.Event) -> None:
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = (dict(event.headers), bytearray())
        elif isinstance(event, h2.events.DataReceived):
            self.requests[event.stream_id][1].extend(event.data)
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.decide(event.stream_id)

    def decide(self, stream: int) -> None:
        with self.service.lock:
            number = self.service.requests
            self.service.requests += 1
        match self.service.fate(number):
            case "refuse":
                self.h2.reset_stream(stream, REFUSED_STREAM)
            case "hang up":
                raise OSError("hung up")
            case "leave":
                # Whatever began before this one is answered still.
                self.flush()
                self.line.sendall(GoAwayFrame(0, last_stream_id=stream - 2).serialize())
            case str() as attack:
                self.flush()
                self.attack(attack, stream)
            case None:
                self.waiting.append(stream)
                self.service.most_at_once = max(self.service.most_at_once, len(self.waiting))
        if len(self.waiting) >= self.service.gate:
            waiting, self.waiting = self.waiting, []
            for each in waiting:
                self.answer(each)

    def attack(self, name: str, stream: int) -> None:
        """Goes on until the other side hangs up, or there is enough of it."""
        first, again = attack_frames(name, stream)
        block = again * max(1, 65_536 // len(again))
        self.service.attacks[name] = 0
        try:
            self.line.sendall(first)
            while self.service.attacks[name] < ATTACK:
                self.line.sendall(block)
                self.service.attacks[name] += len(block)
        finally:
            self.line.close()

    def answer(self, stream: int) -> None:
        headers, body = self.requests.pop(stream)
        status, fields, said = self.service.take(headers, bytes(body), self.number)
        known = {name: value for name, value in headers.items() if name == "apns-id"}
        lower = {name.lower(): value for name, value in fields.items()}
        self.h2.send_headers(stream, [(":status", str(status)), *(known | lower).items()], end_stream=not said)
        if said:
            self.h2.send_data(stream, json.dumps(said).encode(), end_stream=True)
        if status == 200 and not self.is_trusting:
            self.is_trusting = True
            self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: 1000})
