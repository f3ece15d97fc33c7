"""A push service and the devices behind it: what a browser's vendor runs, and what a browser keeps."""

import base64
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode


def letters(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@dataclass
class Push:
    headers: dict[str, str]
    message: dict
    time: float


@dataclass
class Device:
    """A browser's subscription, with the half of its keys that never leaves it."""

    endpoint: str
    private: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    secret: bytes = field(default_factory=lambda: os.urandom(16))
    pushes: list[Push] = field(default_factory=list)
    # Answers the status of an attempt, and more fields; by number from 0.
    answer: Callable[[int], tuple[int, dict]] = lambda attempt: (201, {})
    attempts: list[float] = field(default_factory=list)

    @property
    def subscription(self) -> dict:
        point = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "expirationTime": None,
                "keys": {"p256dh": letters(point), "auth": letters(self.secret)}}

    def open(self, body: bytes) -> dict:
        return json.loads(http_ece.decrypt(body, private_key=self.private, auth_secret=self.secret, version="aes128gcm"))


class PushService:
    """Refuses whatever a real one would refuse."""

    def __init__(self):
        self.devices: dict[str, Device] = {}
        self.key = ""
        self.faults: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, fields = service.take(self.path, dict(self.headers), body)
                self.send_response(status)
                for name, value in ({"Content-Length": "0"} | fields).items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def device(self) -> Device:
        path = f"/push/{letters(os.urandom(20))}"
        device = self.devices[path] = Device(self.origin + path)
        return device

    def take(self, path: str, headers: dict, body: bytes) -> tuple[int, dict]:
        device = self.devices.get(path)
        if not device:
            return 404, {}
        # Taken before the signature is verified, which is slow where many come together.
        came = time.monotonic()
        device.attempts.append(came)
        status, fields = device.answer(len(device.attempts) - 1)
        if status == 201:
            try:
                self.check(headers)
                device.pushes.append(Push(headers, device.open(body), came))
            except Exception as error:
                self.faults.append(repr(error))
                return 400, {}
        return status, fields

    def check(self, headers: dict) -> None:
        assert int(headers["TTL"]) >= 0, headers
        assert headers["Content-Encoding"] == "aes128gcm", headers
        assert headers["Urgency"] in ("very-low", "low", "normal", "high"), headers
        assert len(headers["Topic"]) <= 32, headers
        token, key = (part.split("=", 1)[1].strip() for part in headers["Authorization"].removeprefix("vapid ").split(","))
        assert key == self.key, "another key than the page was given"
        assert Vapid02.verify(headers["Authorization"]), "the signature is wrong"
        claims = json.loads(b64urldecode(token.split(".")[1].encode()))
        assert claims["aud"] == self.origin, claims
        assert time.time() < claims["exp"] <= time.time() + 86_400, claims
        assert claims["sub"].startswith(("mailto:", "https:")), claims

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
