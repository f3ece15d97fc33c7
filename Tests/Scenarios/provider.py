"""A provider of OpenID Connect that can lie in every place, and the one that others made."""

import base64
import hashlib
import json
import logging
import secrets
import ssl
import threading
import time
import urllib.parse
import warnings
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

CLIENT, SECRET = "parley", "a secret & more"


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value: int, length: int) -> str:
    return encode(value.to_bytes(length, "big"))


class Key:
    """One that tokens are signed with."""

    def __init__(self, algorithm: str = "ES256", name: str = ""):
        self.algorithm = algorithm
        self.name = name or secrets.token_hex(4)
        self.pair = (
            ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else rsa.generate_private_key(65537, 2048))

    def jwk(self) -> dict:
        numbers = self.pair.public_key().public_numbers()
        if self.algorithm == "ES256":
            more = {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32)}
        else:
            more = {"kty": "RSA", "n": number(numbers.n, 256), "e": number(numbers.e, 3)}
        return {"kid": self.name, "use": "sig", "alg": self.algorithm, **more}

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == "RS256":
            return self.pair.sign(data, padding.PKCS1v15(), hashes.SHA256())
        r, s = utils.decode_dss_signature(self.pair.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


class Provider:
    """Vouches for whoever comes as `subject`. What is put into `claims`, `header` and `description` stands over the truth."""

    def __init__(self, certificate: ssl.SSLContext | None = None) -> None:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_) -> None:
                pass

            def do_GET(self) -> None:
                provider.answer(self, b"")

            def do_POST(self) -> None:
                provider.answer(self, self.rfile.read(int(self.headers["Content-Length"])))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            self.server.socket = certificate.wrap_socket(self.server.socket, server_side=True)
        place = "https://localhost" if certificate else "http://127.0.0.1"
        self.issuer = f"{place}:{self.server.server_port}"
        self.key = Key()
        self.codes: dict[str, dict] = {}
        self.asked: list[str] = []
        self.tell_truth()
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def tell_truth(self) -> None:
        self.subject, self.name = "user-1", "Anna Example"
        self.claims: dict = {}
        self.header: dict = {}
        self.description: dict = {}
        self.signer = None
        self.raw: dict[str, tuple[int, bytes]] = {}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def options(self) -> tuple[str, ...]:
        return ("--oidc", self.issuer, "--oidc-client-id", CLIENT, "--oidc-client-secret", SECRET)

    # What it answers.

    def answer(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        path, _, query = request.path.partition("?")
        self.asked.append(path)
        if path in self.raw:
            return self.send(request, *self.raw[path])
        if path == "/authorize":
            return self.authorize(request, dict(urllib.parse.parse_qsl(query)))
        answers = {"/.well-known/openid-configuration": self.describe, "/keys": lambda: {"keys": [self.key.jwk()]}}
        if path == "/token":
            status, found = self.exchange(request.headers.get("Authorization", ""), dict(urllib.parse.parse_qsl(body.decode())))
        else:
            status, found = (200, answers[path]()) if path in answers else (404, {})
        self.send(request, status, json.dumps(found).encode())

    @staticmethod
    def send(request: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
        request.send_response(status)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def describe(self) -> dict:
        return {
            "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
            "end_session_endpoint": f"{self.issuer}/end", **self.description,
        }

    def authorize(self, request: BaseHTTPRequestHandler, asked: dict) -> None:
        code = secrets.token_urlsafe(12)
        self.codes[code] = asked
        query = urllib.parse.urlencode({"code": code, "state": asked["state"]})
        request.send_response(302)
        request.send_header("Location", f"{asked['redirect_uri']}?{query}")
        request.send_header("Content-Length", "0")
        request.end_headers()

    def exchange(self, authorization: str, form: dict) -> tuple[int, dict]:
        pair = f"{CLIENT}:{urllib.parse.quote(SECRET, safe='')}".encode()
        asked = self.codes.pop(form.get("code", ""), None)
        verifier = form.get("code_verifier", "").encode()
        is_good = asked is not None and asked["redirect_uri"] == form["redirect_uri"]
        is_good = is_good and encode(hashlib.sha256(verifier).digest()) == asked["code_challenge"]
        if authorization != f"Basic {base64.b64encode(pair).decode()}" or not is_good:
            return 400, {"error": "invalid_grant", "error_description": "no such code"}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.token(asked["nonce"])}

    def token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT, "sub": self.subject, "name": self.name, "nonce": nonce, "iat": now,
            "exp": now + 300, **self.claims,
        }
        signer = self.signer or self.key
        header = {"alg": signer.algorithm, "kid": signer.name, "typ": "JWT", **self.header}
        parts = [encode(json.dumps(part).encode()) for part in (header, claims)]
        return ".".join([*parts, "" if header["alg"] == "none" else encode(signer.sign(".".join(parts).encode()))])


@contextmanager
def others_provider():
    """The one of `oidc-provider-mock`, which somebody else wrote: its address."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import oidc_provider_mock

        users = [oidc_provider_mock.User(sub="anna", claims={"name": "Anna Elsewhere"})]
        with oidc_provider_mock.run_server_in_thread(user_claims=users) as server:
            yield f"http://localhost:{server.server_port}"
