"""What tests of JPush's interface begin with."""

import os
import tempfile
from base64 import b64encode

import jpush
from jpush import common

from people import Person
from pushed import Pushed
from server import Server
from wire import ask_http

KEY, SECRET = "0123456789abcdef01234567", "76543210fedcba9876543210"
GROUP, GROUP_SECRET = "abcdef012345670123456789", "0a1b2c3d4e5f60718293a4b5"


def keys_file() -> str:
    handle, path = tempfile.mkstemp()
    with os.fdopen(handle, "w") as file:
        file.write(f"# One program.\n{KEY}:{SECRET}\n# A group of programs.\ngroup-{GROUP}:{GROUP_SECRET}\n")
    return path


class Program:
    """What a program on another server says by JPush's interface; for a test with a server and devices."""

    server: Server

    @classmethod
    def options_of_door(cls) -> tuple[str, ...]:
        path = keys_file()
        cls.addClassCleanup(os.remove, path)
        return ("--doors", "jpush", "--jpush-keys", path)

    @classmethod
    def meet(cls) -> None:
        root = f"http://127.0.0.1:{cls.server.address[1]}/v3/"
        common.ZONES["PARLEY"] = {
            "PUSH": root, "REPORT": root, "DEVICE": f"{root}devices/", "ALIAS": f"{root}aliases/", "TAG": f"{root}tags/",
            "SCHEDULE": f"{root}schedules/",
        }  # fmt: skip
        # The other layout that clients know.
        common.ZONES["PARLEY-2"] = {
            "PUSH": root, "REPORT": f"{root}report/", "DEVICE": f"{root}device/", "ALIAS": f"{root}device/aliases/",
            "TAG": f"{root}device/tags/", "SCHEDULE": f"{root}push/schedules/",
        }  # fmt: skip

    def client(self, key: str = KEY, secret: str = SECRET, zone: str = "parley") -> jpush.JPush:
        return jpush.JPush(key, secret, zone=zone)

    def push(self, audience: object, text: str = "tea is ready") -> dict:
        push = self.client().create_push()
        push.audience, push.platform = audience, jpush.all_
        push.notification = jpush.notification(alert=text)
        return push.send().payload

    def known(self, person: Person) -> dict:
        return self.devices(person)[0]

    def expect(self, code: int, status: int, body: object, path: str = "/v3/push", key: str = KEY, secret: str = SECRET) -> None:
        answer = self.ask("POST", path, body, key, secret)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), answer.body)

    def ask(self, method: str, path: str, body: object, key: str = KEY, secret: str = SECRET):
        proof = b64encode(f"{key}:{secret}".encode()).decode()
        return ask_http(self.server, method, path, body, {"Authorization": f"Basic {proof}"})


class Door(Program, Pushed):
    @classmethod
    def setUpClass(cls) -> None:
        cls.more = cls.options_of_door()
        super().setUpClass()
        cls.meet()
