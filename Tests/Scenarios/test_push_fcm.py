"""Devices with Google's services are woken by Firebase Cloud Messaging: a model of it that checks whatever it is sent."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import fcm_service
from fcm_service import FCMService, Installation, refusal
from people import Person
from push_service import Device
from pushed import bearer
from server import TIMEOUT, binary, eventually, of_one_process
from talk import Talk
from wire import ask_http


class FCM(Talk):
    service: FCMService
    more: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = FCMService()
        cls.addClassCleanup(cls.service.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        path = Path(folder.name) / "account.json"
        path.write_text(json.dumps(cls.service.credentials))
        cls.options = ("--fcm-credentials", str(path), "--fcm-url", cls.service.origin, *cls.more)
        super().setUpClass()

    def tearDown(self) -> None:
        self.assertEqual(self.service.faults, [])

    def put(self, person: Person, registration: dict, name: str = "phone"):
        return ask_http(self.server, "PUT", f"/v1/push/devices/{name}", registration, bearer(person.token))

    def sleeper(self, name: str = "Bob", **more) -> tuple[Person, Installation]:
        person, installation = self.person(name), self.service.installation()
        answer = self.put(person, installation.registration | more)
        self.assertEqual(answer.status, 200, answer.body)
        return person, installation

    def devices(self, person: Person) -> list[dict]:
        return ask_http(self.server, "GET", "/v1/push/devices", headers=bearer(person.token)).json["devices"]

    def wake(self, person: Person) -> None:
        self.assertEqual(ask_http(self.server, "POST", "/v1/push/test", headers=bearer(person.token)).status, 202)

    def trouble(self, person: Person) -> str:
        eventually(lambda: "lastPush" in self.devices(person)[0], "what became of it is noted")
        return self.devices(person)[0].get("trouble", "")


class Messages(FCM):
    def test_H01_a_message_reaches_a_device_of_FCM(self):
        """H01.fcm"""
        a, (b, installation) = self.listener("Ann"), self.sleeper(language="en")
        b.link.close()
        answer = self.say(a, "are you there? 在吗", user=b.user)
        eventually(lambda: installation.messages, "it came", within=15)
        message = installation.messages[0]
        data = message["data"]
        self.assertEqual(
            (data["type"], data["conversation"], data["number"], data["sender"], data["name"], data["text"], data["badge"]),
            ("message", answer["conversation"], str(answer["number"]), a.user, "Ann", "are you there? 在吗", "1"))
        self.assertNotIn("notification", message)
        self.assertEqual(message["android"]["priority"], "HIGH")
        self.assertTrue(86_000 < int(message["android"]["ttl"][:-1]) <= 86_401, message)

    def test_H01_a_device_with_keys_gets_what_google_cannot_read(self):
        keys = Device("")
        b, installation = self.sleeper(keys=keys.subscription["keys"])
        self.wake(b)
        eventually(lambda: installation.messages, "it came")
        data = installation.messages[0]["data"]
        self.assertEqual(list(data), ["sealed"])
        self.assertEqual(keys.open(fcm_service.opened(data["sealed"]))["type"], "test")

    def test_H03_a_token_belongs_to_whoever_is_signed_in_on_its_device(self):
        (b, installation), c = self.sleeper(), self.person("Carol")
        self.assertEqual(self.devices(b)[0]["kind"], "fcm")
        self.assertEqual(self.put(c, installation.registration).status, 200)
        self.assertEqual((self.devices(b), len(self.devices(c))), ([], 1))

    def test_a_registration_for_FCM_that_is_none_is_refused(self):
        person, good = self.person("Bob"), self.service.installation().registration
        bad = [
            {"kind": "fcm"}, good | {"kind": "apns"}, good | {"token": ""}, good | {"token": "x" * 1001},
            good | {"token": "a b"}, good | {"keys": {}}, good | {"token": 1},
        ]
        for registration in bad:
            with self.subTest(registration):
                answer = self.put(person, registration)
                self.assertEqual((answer.status, answer.json["code"]), (400, "bad_request"))
        answer = ask_http(self.server, "GET", "/v1/push", headers=bearer(person.token))
        self.assertEqual(answer.json["kinds"], ["webpush", "fcm"])


class Reasons(FCM):
    def refused(self, status: int, word: str, code: str | None, attempts: int = 1) -> None:
        """Told, and not dropped."""
        b, installation = self.sleeper()
        installation.answer = lambda attempt: refusal(status, word, code)
        self.wake(b)
        self.assertEqual(self.trouble(b), f"FCM answered {status} {code or word}")
        self.assertEqual((len(self.devices(b)), len(installation.attempts)), (1, attempts))

    def later(self, *refused: tuple) -> None:
        """Tried again when the service says."""
        b, installation = self.sleeper()
        installation.answer = lambda attempt: refused[attempt] if attempt < len(refused) else None
        self.wake(b)
        eventually(lambda: installation.messages, "it came", within=20)
        self.assertEqual(len(installation.attempts), len(refused) + 1)
        self.assertGreaterEqual(installation.attempts[1] - installation.attempts[0], 1)

    def test_H13_a_token_that_is_unregistered_is_dropped(self):
        """H13.fcm"""
        (b, installation), c = self.sleeper(), self.person("Carol")
        installation.answer = lambda attempt: refusal(404, "NOT_FOUND", "UNREGISTERED")
        self.wake(b)
        eventually(lambda: self.devices(b) == [], "the dead device is dropped")
        self.assertEqual(self.put(c, {"kind": "fcm", "token": "nobody"}).status, 200)
        self.wake(c)
        eventually(lambda: self.devices(c) == [], "one that never was, too")

    def test_H13_a_project_that_is_not_found_drops_no_device(self):
        self.refused(404, "NOT_FOUND", None)

    def test_H13_INVALID_ARGUMENT_drops_no_device(self):
        self.refused(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT")

    def test_H13_SENDER_ID_MISMATCH_drops_no_device(self):
        self.refused(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH")

    def test_H13_PERMISSION_DENIED_drops_no_device(self):
        self.refused(403, "PERMISSION_DENIED", None)

    def test_H13_THIRD_PARTY_AUTH_ERROR_is_tried_with_a_fresh_token_and_drops_no_device(self):
        self.refused(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", attempts=2)

    def test_H13_an_unknown_code_drops_no_device(self):
        self.refused(418, "TEAPOT", "UNSPECIFIED_ERROR")

    def test_H13_QUOTA_EXCEEDED_waits_as_long_as_it_says(self):
        self.later(refusal(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", **{"Retry-After": "1"}))

    def test_H13_UNAVAILABLE_waits_as_long_as_it_says(self):
        self.later(refusal(503, "UNAVAILABLE", "UNAVAILABLE", **{"Retry-After": "1"}))

    def test_H13_INTERNAL_waits_as_long_as_it_says(self):
        self.later(refusal(500, "INTERNAL", "INTERNAL", **{"Retry-After": "1"}))


class Access(FCM):
    @of_one_process
    def test_the_access_token_for_FCM_is_asked_for_once_although_many_wait(self):
        before, self.service.pause = self.service.given, 0.3
        sleepers = [self.sleeper() for _ in range(5)]
        for b, _ in sleepers:
            self.wake(b)
        eventually(lambda: all(installation.messages for _, installation in sleepers), "all came")
        self.wake(sleepers[0][0])
        eventually(lambda: len(sleepers[0][1].messages) == 2, "one more came")
        self.assertEqual((before, self.service.given), (0, 1))
        self.service.pause = 0
        with self.subTest("one that was withdrawn is replaced"):
            self.service.valid.clear()
            self.wake(sleepers[0][0])
            eventually(lambda: len(sleepers[0][1].messages) == 3, "one more came")
            self.assertEqual(self.service.given, 2)


class Renewal(FCM):
    def test_the_access_token_for_FCM_is_renewed_a_minute_before_its_end(self):
        self.service.life = 60
        b, installation = self.sleeper()
        for count in (1, 2):
            self.wake(b)
            eventually(lambda count=count: len(installation.messages) == count, "it came")
        self.assertEqual(self.service.given, 2)


class Refusal(FCM):
    def test_H13_a_push_waits_while_there_is_no_access_token_for_FCM(self):
        self.service.access = lambda attempt: (
            (400, {}, {"error": "invalid_grant", "error_description": "secret words"}) if attempt < 1 else None)
        b, installation = self.sleeper()
        self.wake(b)
        eventually(lambda: installation.messages, "it came", within=20)
        self.assertEqual(self.service.given, 2)
        key = self.service.credentials["private_key"].splitlines()[3]
        self.assertIn("it answered 400", self.server.event("push.fcm_access_refused")["reason"])
        said = json.dumps(self.server.log)
        for secret in (key, "secret words", "ya29.", installation.token):
            self.assertNotIn(secret, said)


class Shown(FCM):
    more = ("--fcm-style", "notification")

    def test_H12_the_system_shows_a_message_where_the_operator_wants_that(self):
        a, (b, installation), (c, chinese) = self.listener("Ann"), self.sleeper(), self.sleeper("Carol", language="zh-CN")
        for person in (b, c):
            person.link.close()
        self.say(a, "hello", user=b.user)
        eventually(lambda: installation.messages, "it came", within=15)
        message = installation.messages[0]
        self.assertEqual(message["notification"], {"title": "Ann", "body": "hello"})
        self.assertEqual(message["android"]["notification"]["tag"], message["android"]["collapse_key"])
        self.assertEqual(message["data"]["text"], "hello")
        self.wake(c)
        eventually(lambda: chinese.messages, "it came")
        self.assertEqual(chinese.messages[0]["notification"]["title"], "通知可以送达。")


class Credentials(unittest.TestCase):
    def test_credentials_for_FCM_that_are_none_are_refused_at_the_start(self):
        service = FCMService()
        self.addCleanup(service.close)
        good = service.credentials
        bad = [
            "nonsense", {}, good | {"type": "authorized_user"}, good | {"private_key": "-----BEGIN"},
            good | {"token_uri": "http://example.org/token"}, good | {"project_id": "a/b"}, good | {"client_email": ""},
        ]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "account.json"
            for content in bad:
                with self.subTest(content):
                    path.write_text(json.dumps(content))
                    told = subprocess.run(
                        [binary(), "check", "config", "--data", f"{folder}/data", "--fcm-credentials", str(path)],
                        capture_output=True, text=True, timeout=TIMEOUT)
                    said = told.stdout + told.stderr
                    self.assertEqual(told.returncode, 64, said)
                    self.assertIn("--fcm-credentials", said)
                    self.assertNotIn(good["private_key"].splitlines()[3], said)
