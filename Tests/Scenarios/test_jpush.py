"""The official client of JPush's interface, unmodified, pushes to devices of this server."""

import os
import tempfile
import unittest
from base64 import b64encode

import jpush
from jpush import common

from people import VOUCHED, Person
from push_service import Device
from server import eventually
from test_push import Pushed
from wire import ask_http

KEY, SECRET = "0123456789abcdef01234567", "76543210fedcba9876543210"


def keys_file() -> str:
    handle, path = tempfile.mkstemp()
    with os.fdopen(handle, "w") as file:
        file.write(f"# One program.\n{KEY}:{SECRET}\n")
    return path


class Door(Pushed):
    @classmethod
    def setUpClass(cls) -> None:
        path = keys_file()
        cls.addClassCleanup(os.remove, path)
        cls.more = ("--doors", "jpush", "--jpush-keys", path)
        super().setUpClass()
        root = f"http://127.0.0.1:{cls.server.address[1]}/v3/"
        common.ZONES["PARLEY"] = {
            "PUSH": root, "REPORT": root, "DEVICE": f"{root}devices/", "ALIAS": f"{root}aliases/", "TAG": f"{root}tags/",
            "SCHEDULE": f"{root}schedules/",
        }  # fmt: skip

    def client(self, key: str = KEY, secret: str = SECRET) -> jpush.JPush:
        return jpush.JPush(key, secret, zone="parley")

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


class Audiences(Door):
    def test_H04_a_push_reaches_whom_it_is_for(self):
        """H04.audience"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        self.assertGreater(int(self.push(jpush.audience(jpush.alias(self.known(b)["alias"])))["msg_id"]), 0)
        self.assertEqual(self.wait_for(device)[0]["text"], "tea is ready")
        self.assertEqual(other.pushes, [])
        self.push(jpush.audience(jpush.registration_id(self.known(c)["registration"])))
        self.wait_for(other)
        self.push(jpush.all_)
        self.wait_for(device, 2), self.wait_for(other, 2)

    def test_H04_tags_choose_any_all_or_none(self):
        """H04.audience"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        registrations = [self.known(one)["registration"] for one in (b, c)]
        devices = self.client().create_device()
        devices.set_deviceinfo(registrations[0], jpush.device_tag(jpush.add("tea", "茶")))
        devices.set_deviceinfo(registrations[1], jpush.device_tag(jpush.add("tea")))
        self.push(jpush.audience(jpush.tag_and("tea", "茶")), "both")
        self.assertEqual(self.wait_for(device)[0]["text"], "both")
        self.push(jpush.audience(jpush.tag("tea"), jpush.tag_not("茶")), "one")
        self.assertEqual(self.wait_for(other)[0]["text"], "one")
        self.assertEqual(len(device.pushes), 1)

    def test_H04_a_push_to_nobody_is_refused_with_1011(self):
        """H04.refused"""
        body = {"platform": "all", "audience": {"alias": ["nobody"]}, "notification": {"alert": "x"}}
        self.expect(1011, 400, body)

    def test_H04_what_is_wrong_has_its_code(self):
        """H04.refused"""
        right = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        for code, status, more in [
            (1002, 400, {"platform": None}), (1002, 400, {"audience": None}), (1002, 400, {"notification": None}),
            (1002, 400, {"message": {"title": "x"}}), (1003, 400, {"platform": "moon"}),
            (1003, 400, {"audience": {"alias": ["a-b"]}}), (1003, 400, {"audience": {"tag": ["a" * 41]}}),
            (1003, 400, {"audience": {"tag": []}}), (1003, 400, {"audience": {"tag": [""]}}),
            (1003, 400, {"audience": {"tag": ["a"] * 21}}), (1003, 400, {"options": {"time_to_live": 864001}}),
            (1003, 400, {"options": {"sendno": 0}}), (1009, 400, {"surprise": 1}),
            (1009, 400, {"notification": {"android": {"alert": "x", "content_available": True}}}),
            (2007, 403, {"audience": {"segment": ["a"]}}), (2007, 403, {"sms_message": {}}),
        ]:  # fmt: skip
            with self.subTest(more):
                self.expect(code, status, right | more)
        self.expect(1004, 401, right, secret=SECRET[::-1])
        self.expect(1008, 400, right, key=KEY[::-1])
        self.assertEqual(self.ask("GET", "/v3/push", b"").json["error"]["code"], 1001)

    def test_H04_a_cid_that_is_said_twice_is_answered_as_at_first_and_sent_once(self):
        """H04.once"""
        b, device = self.sleeper()
        [cid] = self.client().create_push().get_cid(1).payload["cidlist"]
        self.assertTrue(cid.startswith(f"{KEY}-"), cid)
        body = {"platform": "all", "audience": {"alias": [self.known(b)["alias"]]}, "notification": {"alert": "once"}, "cid": cid}
        body["options"] = {"sendno": 7}
        first = self.ask("POST", "/v3/push", body)
        self.assertEqual((first.status, first.json["sendno"]), (200, "7"), first.body)
        self.wait_for(device)
        for path in ("/v3/push", "/v3/push/validate"):
            self.assertEqual(self.ask("POST", path, body | {"options": {"sendno": 8}}).json, first.json)
        answer = self.ask("POST", "/v3/push", body | {"cid": f"{cid}2", "notification": {"alert": "twice"}})
        self.assertNotEqual(answer.json["msg_id"], first.json["msg_id"])
        self.assertEqual([message["text"] for message in self.wait_for(device, 2)], ["once", "twice"])

    def test_H04_a_push_takes_the_place_of_an_earlier_one(self):
        """H04.instead"""
        b, device = self.sleeper()
        audience = {"alias": [self.known(b)["alias"]]}
        body = {"platform": "all", "audience": audience, "notification": {"alert": "tea"}}
        first = self.ask("POST", "/v3/push", body).json["msg_id"]
        self.wait_for(device)
        body["options"] = {"override_msg_id": int(first)}
        self.assertEqual(self.ask("POST", "/v3/push", body).status, 200)
        self.wait_for(device, 2)
        self.assertEqual(device.pushes[0].headers["Topic"], device.pushes[1].headers["Topic"])
        body["options"] = {"override_msg_id": 1}
        self.expect(1003, 400, body)

    def test_H04_what_is_for_those_who_are_there_is_kept_by_nobody(self):
        """H04.instant"""
        b, device = self.sleeper()
        body = {"platform": "all", "audience": {"alias": [self.known(b)["alias"]]}, "notification": {"alert": "now"}}
        self.ask("POST", "/v3/push", body | {"options": {"time_to_live": 0}})
        self.wait_for(device)
        self.assertEqual(device.pushes[0].headers["TTL"], "0")
        self.ask("POST", "/v3/push", body | {"options": {"time_to_live": 60}})
        self.wait_for(device, 2)
        self.assertLessEqual(58, int(device.pushes[1].headers["TTL"]))
        self.assertLessEqual(int(device.pushes[1].headers["TTL"]), 61)


class Sizes(Door):
    def test_H08_what_is_too_large_is_1005(self):
        right = {"platform": "all", "audience": "all"}
        self.expect(1005, 400, right | {"notification": {"alert": "a" * 4001}})
        self.expect(1005, 400, right | {"notification": {"ios": {"alert": "a" * 2000}}})
        self.expect(1005, 400, right | {"message": {"msg_content": "a" * 4000}})


class Keys(Door):
    def test_H04_who_shows_wrong_keys_again_and_again_has_to_wait(self):
        """H04.refused"""
        body = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        self.assertNotEqual(self.ask("POST", "/v3/push", body).status, 429)
        answers = [self.ask("POST", "/v3/push", body, secret=SECRET[::-1]) for _ in range(40)]
        self.assertEqual({answer.status for answer in answers}, {401, 429})
        self.assertEqual(answers[-1].json["error"]["code"], 2002)
        self.assertGreater(int(answers[-1].headers["retry-after"]), 0)
        self.assertEqual(self.ask("POST", "/v3/push", body).status, 429, "also with the right one, until then")


class Kills(Door):
    def test_H04_an_answered_push_outlives_a_kill(self):
        """H04.kept"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        device.answer = lambda attempt: (503, {}) if attempt < 1 else (201, {})
        self.push(jpush.all_, "kept")
        eventually(lambda: device.attempts, "it was tried")
        self.wait_for(other)
        self.server.restart()
        self.assertEqual(self.wait_for(device, within=20)[0]["text"], "kept")
        self.push(jpush.all_, "next")
        self.assertEqual(self.wait_for(device, 2)[1]["text"], "next")
        self.assertEqual([message["text"] for message in self.wait_for(other, 2)][-1], "next")

    def test_H04_pushes_that_are_answered_while_the_server_is_killed_again_and_again_all_come(self):
        """H04.kept"""
        b, device = self.sleeper()
        audience = jpush.audience(jpush.alias(self.known(b)["alias"]))
        for text in ("one", "two", "three"):
            self.push(audience, text)
            self.server.restart()
        eventually(lambda: {push.message["text"] for push in device.pushes} == {"one", "two", "three"}, "all came", within=20)


if __name__ == "__main__":
    unittest.main()
