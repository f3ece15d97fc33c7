"""Everybody who takes part in a benchmark of signalling, vouched for by an application."""

import base64
import hashlib
import hmac
import json
import secrets
import time

APP, SECRET = "bench", secrets.token_hex(32)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(number):
    """What an application signs for one of its users."""
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT", "kid": APP}).encode())
    now = int(time.time())
    claims = {"iss": APP, "aud": "parley", "sub": f"user-{number}", "iat": now, "exp": now + 3600, "jti": f"t{number}"}
    body = f"{head}.{encoded(json.dumps(claims).encode())}"
    return f"{body}.{encoded(hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).digest())}"


def write_tokens(path, count, first=0):
    path.write_text("".join(token(first + i) + "\n" for i in range(count)))
    return path
