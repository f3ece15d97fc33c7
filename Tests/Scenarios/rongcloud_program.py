"""A program on another server that calls RongCloud's Server API; for a test with a server and people."""

import hashlib
import itertools
import json
import os
import tempfile
import time
from urllib.parse import urlencode

from people import Person
from server import Server
from wire import Answer, ask_http

KEY, SECRET = "n19jmcy59f1q9", "CuhqdZMeuLsKj"
_nonces = itertools.count(1)


def keys_file() -> str:
    handle, path = tempfile.mkstemp()
    with os.fdopen(handle, "w") as file:
        file.write(f"# One program.\n{KEY}:{SECRET}\n")
    return path


def sign(nonce: str, timestamp: str, secret: str = SECRET) -> str:
    return hashlib.sha1(f"{secret}{nonce}{timestamp}".encode()).hexdigest()


def signed(prefix: str = "", key: str = KEY, secret: str = SECRET, nonce: str | None = None, at: str | None = None) -> dict:
    nonce = nonce or f"{next(_nonces)}{os.getpid()}"
    at = at or str(int(time.time() * 1000))
    return {
        f"{prefix}App-Key": key, f"{prefix}Nonce": nonce, f"{prefix}Timestamp": at,
        f"{prefix}Signature": sign(nonce, at, secret),
    }  # fmt: skip


class Program:
    """For a test case that has a server with the door open."""

    server: Server

    @classmethod
    def options_of_door(cls) -> tuple[str, ...]:
        path = keys_file()
        cls.addClassCleanup(os.remove, path)
        return ("--doors", "rongcloud", "--rongcloud-keys", path)

    def post(self, name: str, fields: dict | list | str | None = None, headers: dict | None = None) -> Answer:
        """What a program asks: a list of pairs for a name that comes more than once, a text that is escaped already."""
        body = fields if isinstance(fields, str) else urlencode(fields or {}, doseq=True)
        headers = {"Content-Type": "application/x-www-form-urlencoded"} | (signed() if headers is None else headers)
        return ask_http(self.server, "POST", f"/{name}.json", body, headers)

    def call(self, name: str, /, fields: dict | list | str | None = None, **more) -> dict:
        """One that is granted."""
        if isinstance(fields, dict) or fields is None:
            fields = (fields or {}) | more
        answer = self.post(name, fields)
        self.assertEqual((answer.status, answer.json["code"]), (200, 200), answer.text)
        return answer.json

    def expect(self, code: int, status: int, name: str, fields: dict | list | str | None = None, headers: dict | None = None) -> dict:
        answer = self.post(name, fields, headers)
        self.assertEqual((answer.status, answer.json["code"]), (status, code), answer.text)
        self.assertEqual(answer.json["url"], f"/{name}.json")
        return answer.json

    def guest(self, user: str, name: str | None = None, **more) -> Person:
        """Somebody who came in with a token that the program asked for."""
        token = self.call("user/getToken", userId=user, name=name or user)["token"]
        person = Person(self.server, token=token, **more)
        self.addCleanup(person.link.close)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def say(self, sender: str, to: str | list[str], text: str, name: str = "private", /, **more) -> list[str]:
        """A text; the ids of the messages."""
        target = {"private": "toUserId", "system": "toUserId", "group": "toGroupId", "chatroom": "toChatroomId"}[name]
        fields = {"fromUserId": sender, target: to, "objectName": "RC:TxtMsg", "content": json.dumps({"content": text})}
        return [uid["messageUID"] for uid in self.call(f"message/{name}/publish", fields | more)["messageUIDs"]]
