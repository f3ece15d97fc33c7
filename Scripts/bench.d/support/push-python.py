"""What a push costs with pywebpush, whose parts are http-ece and py-vapid: microseconds of CPU for each."""

import json
import os
import time

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

COUNT = 1000
DEVICE = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
SECRET, MESSAGE = bytes([7]) * 16, b" " * 300
VAPID = Vapid02()
VAPID.generate_keys()


def encrypt():
    # As pywebpush does it: a key pair for each push.
    sender = ec.generate_private_key(ec.SECP256R1())
    http_ece.encrypt(
        MESSAGE, salt=os.urandom(16), private_key=sender, dh=DEVICE, auth_secret=SECRET, version="aes128gcm")


def sign():
    VAPID.sign({"aud": "https://push.example.com", "sub": "mailto:somebody@example.com", "exp": 1_800_043_200})


def measured(work):
    for _ in range(50):
        work()
    start = time.process_time()
    for _ in range(COUNT):
        work()
    return (time.process_time() - start) / COUNT * 1e6


print(json.dumps({"encrypt": measured(encrypt), "sign": measured(sign)}))
