"""Google's side of Firebase Cloud Messaging: the token endpoint and `messages:send`, and the installations behind it."""

import base64
import json
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

SCOPE = "https://www.googleapis.com/auth/firebase.messaging"
DETAIL = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
PROJECT, KEY = "model-project", "a1b2c3d4"
RESERVED = ("from", "message_type", "google.", "gcm.")


def opened(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def refusal(status: int, word: str, code: str | None = None, **fields: str) -> tuple[int, dict, dict]:
    """As Google says it: the HTTP status, its name, and FCM's own code among the details."""
    details = [{"@type": DETAIL, "errorCode": code}] if code else []
    return status, fields, {"error": {"code": status, "message": "no", "status": word, "details": details}}


@dataclass
class Installation:
    token: str
    messages: list[dict] = field(default_factory=list)
    attempts: list[float] = field(default_factory=list)
    # What an attempt is refused with, by number from 0; None when it is taken.
    answer: Callable[[int], tuple[int, dict, dict] | None] = lambda attempt: None

    @property
    def registration(self) -> dict:
        return {"kind": "fcm", "token": self.token}


class FCMService:
    """Refuses whatever the real one would refuse."""

    def __init__(self):
        self.key = rsa.generate_private_key(65537, 2048)
        self.installations: dict[str, Installation] = {}
        self.faults: list[str] = []
        self.life = 3600
        self.pause = 0.0
        self.valid: set[str] = set()
        self.given = 0
        # What the token endpoint refuses with, by number from 0.
        self.access: Callable[[int], tuple[int, dict, dict] | None] = lambda attempt: None
        self.lock = threading.Lock()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, fields, answer = service.take(self.path, self.headers, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(data))} | fields).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def credentials(self) -> dict:
        """The file that the console gives out."""
        pem = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return {
            "type": "service_account", "project_id": PROJECT, "private_key_id": KEY, "private_key": pem.decode(),
            "client_email": f"parley@{PROJECT}.iam.gserviceaccount.com", "client_id": "1",
            "token_uri": f"{self.origin}/token",
        }

    def installation(self) -> Installation:
        token = f"installation{len(self.installations)}:APA91b-{'x' * 120}"
        found = self.installations[token] = Installation(token)
        return found

    def take(self, path: str, headers, body: bytes) -> tuple[int, dict, dict]:
        try:
            if path == "/token":
                return self.give_token(headers, body)
            assert path == f"/v1/projects/{PROJECT}/messages:send", path
            return self.send(headers, json.loads(body))
        except Exception as error:
            self.faults.append(repr(error))
            return refusal(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT")

    def give_token(self, headers, body: bytes) -> tuple[int, dict, dict]:
        with self.lock:
            number = self.given
            self.given += 1
        if refused := self.access(number):
            return refused
        assert headers["Content-Type"] == "application/x-www-form-urlencoded", headers
        form = urllib.parse.parse_qs(body.decode(), strict_parsing=True)
        assert form.pop("grant_type") == ["urn:ietf:params:oauth:grant-type:jwt-bearer"], form
        assertion, = form.pop("assertion")
        assert not form, form
        head, claims, signature = assertion.split(".")
        self.key.public_key().verify(
            opened(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
        assert json.loads(opened(head)) == {"alg": "RS256", "typ": "JWT", "kid": KEY}, head
        said, now = json.loads(opened(claims)), time.time()
        assert (said["iss"], said["scope"], said["aud"]) == (
            self.credentials["client_email"], SCOPE, f"{self.origin}/token"), said
        assert now - 60 < said["iat"] <= now + 1 and said["iat"] < said["exp"] <= said["iat"] + 3600, said
        time.sleep(self.pause)
        token = f"ya29.token-{number}"
        self.valid.add(token)
        return 200, {}, {"access_token": token, "expires_in": self.life, "token_type": "Bearer"}

    def send(self, headers, request: dict) -> tuple[int, dict, dict]:
        if headers["Authorization"].removeprefix("Bearer ") not in self.valid:
            return refusal(401, "UNAUTHENTICATED")
        assert headers["Content-Type"].startswith("application/json"), headers
        message = request.pop("message")
        assert not request, request
        self.check(message)
        installation = self.installations.get(message["token"])
        if not installation:
            return refusal(404, "NOT_FOUND", "UNREGISTERED")
        installation.attempts.append(time.monotonic())
        if refused := installation.answer(len(installation.attempts) - 1):
            return refused
        installation.messages.append(message)
        return 200, {}, {"name": f"projects/{PROJECT}/messages/{len(installation.messages)}"}

    def check(self, message: dict) -> None:
        data, shown = message["data"], message.get("notification", {})
        assert set(message) <= {"token", "data", "notification", "android"}, message
        assert all(isinstance(value, str) for value in data.values()), data
        assert not any(name.startswith(RESERVED) for name in data), data
        assert sum(len(part.encode()) for pair in (data | shown).items() for part in pair) <= 4096, "too large"
        android = message["android"]
        assert android["priority"] in ("HIGH", "NORMAL"), android
        assert android["ttl"].endswith("s") and 0 <= int(android["ttl"][:-1]) <= 2_419_200, android
        assert 0 < len(android["collapse_key"]) <= 64, android

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
