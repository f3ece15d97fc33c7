"""Apple's devices are woken by its push service: a model of it that checks whatever it is sent."""

import asyncio
import json
import os
import ssl
import subprocess
import tempfile
import time
import unittest
from email.utils import formatdate
from unittest import mock

import apns_service
from aioapns import NotificationRequest, PushType
from aioapns.connection import APNsKeyConnectionPool, APNsProductionClientProtocol
from apns_service import ATTACK, ATTACKS, KEY, TEAM, TOPIC, APNsAccount, APNsService, Installation, refusal
from people import Person
from push_service import Device
from pushed import bearer
from server import TIMEOUT, binary, eventually, of_one_process
from talk import Talk
from wire import ask_http


def options(account: APNsAccount, *services: APNsService) -> tuple[str, ...]:
    names = ("--apns-url", "--apns-development-url")
    return (
        "--apns-key", str(account.file), "--apns-key-id", KEY, "--apns-team", TEAM, "--apns-topic", TOPIC,
        *(word for name, service in zip(names, services) for word in (name, service.origin)))


class APNs(Talk):
    account: APNsAccount
    service: APNsService
    development: APNsService
    trusts = True
    more: tuple[str, ...] = ()
    protocol = "h2"

    @classmethod
    def setUpClass(cls) -> None:
        cls.account = APNsAccount()
        cls.addClassCleanup(cls.account.close)
        cls.service, cls.development = (APNsService(cls.account, cls.protocol) for _ in range(2))
        for service in (cls.service, cls.development):
            cls.addClassCleanup(service.close)
        cls.options = (*options(cls.account, cls.service, cls.development), *cls.more)
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(cls.account.trust)} if cls.trusts else {}):
            super().setUpClass()

    def tearDown(self) -> None:
        self.assertEqual(self.service.faults + self.development.faults, [])

    def put(self, person: Person, registration: dict, name: str = "phone"):
        return ask_http(self.server, "PUT", f"/v1/push/devices/{name}", registration, bearer(person.token))

    def sleeper(self, name: str = "Bob", service: APNsService | None = None, **more) -> tuple[Person, Installation]:
        person, installation = self.person(name), (service or self.service).installation()
        answer = self.put(person, installation.registration | more)
        self.assertEqual(answer.status, 200, answer.body)
        return person, installation

    def devices(self, person: Person) -> list[dict]:
        return ask_http(self.server, "GET", "/v1/push/devices", headers=bearer(person.token)).json["devices"]

    def wake(self, *people: Person) -> None:
        for person in people:
            self.assertEqual(ask_http(self.server, "POST", "/v1/push/test", headers=bearer(person.token)).status, 202)

    def trouble(self, person: Person) -> str:
        eventually(lambda: "lastPush" in self.devices(person)[0], "what became of it is noted")
        return self.devices(person)[0].get("trouble", "")


class Messages(APNs):
    def test_H01_a_message_reaches_a_device_of_APNs(self):
        """H01.apns"""
        a, (b, installation) = self.listener("Ann"), self.sleeper(language="en")
        b.link.close()
        answer = self.say(a, "are you there? 在吗", user=b.user)
        eventually(lambda: installation.pushes, "it came", within=15)
        push = installation.pushes[0]
        self.assertEqual(push.aps["alert"], {"title": "Ann", "body": "are you there? 在吗"})
        self.assertEqual(
            (push.aps["badge"], push.aps["sound"], push.aps["thread-id"]), (1, "default", push.headers["apns-collapse-id"]))
        self.assertEqual(
            {name: push.message[name] for name in ("type", "conversation", "number", "sender", "text")},
            {"type": "message", "sender": a.user, "text": "are you there? 在吗", "number": answer["number"],
             "conversation": answer["conversation"]})
        self.assertEqual((push.headers["apns-push-type"], push.headers["apns-priority"]), ("alert", "10"))
        self.assertGreater(int(push.headers["apns-expiration"]), time.time() + 86_000)

    def test_H16_what_was_read_elsewhere_comes_to_a_device_of_APNs_without_a_word(self):
        a, (b, installation) = self.listener("Ann"), self.sleeper()
        b.link.close()
        answer = self.say(a, "hello", user=b.user)
        eventually(lambda: installation.pushes, "it came", within=15)
        other = self.device(b)
        other.ask("chat.read", conversation=answer["conversation"], number=answer["number"])
        eventually(lambda: installation.pushes[1:], "it is cleared")
        push = installation.pushes[1]
        self.assertEqual((push.message["type"], push.headers["apns-push-type"]), ("read", "background"))

    def test_H15_a_call_that_rings_a_device_of_APNs_is_not_kept_for_long(self):
        a, (b, installation) = self.listener("Ann"), self.sleeper(language="zh-CN")
        b.link.close()
        call = a.ask("call.invite", user=b.user)["call"]
        eventually(lambda: installation.pushes, "it came", within=15)
        push = installation.pushes[0]
        self.assertEqual((push.message["call"], push.aps["alert"]), (call, {"title": "Ann", "body": "视频来电"}))
        self.assertEqual(push.aps["interruption-level"], "time-sensitive")
        self.assertLess(int(push.headers["apns-expiration"]), time.time() + 120)
        a.ask("call.hangup", call=call)
        kinds = lambda: {push.message["type"]: push.headers["apns-push-type"] for push in installation.pushes}  # noqa: E731
        eventually(lambda: kinds().get("callOver") == "background", "it is taken back")

    def test_H17_a_device_of_APNs_makes_no_sound_in_its_quiet_hours(self):
        minute = (time.gmtime().tm_hour * 60 + time.gmtime().tm_min + 720) % 1440
        start, end = (f"{at // 60:02}:{at % 60:02}" for at in ((minute + 1) % 1440, minute))
        a, (b, installation) = self.listener("Ann"), self.sleeper(quiet={"from": start, "to": end})
        b.link.close()
        self.say(a, "sleep well", user=b.user)
        eventually(lambda: installation.pushes, "it came", within=15)
        push = installation.pushes[0]
        self.assertEqual((push.aps["interruption-level"], push.headers["apns-priority"]), ("passive", "5"))
        self.assertNotIn("sound", push.aps)

    def test_H01_a_device_with_keys_gets_what_apple_cannot_read(self):
        keys = Device("")
        b, installation = self.sleeper(keys=keys.subscription["keys"])
        self.wake(b)
        eventually(lambda: installation.pushes, "it came")
        message = installation.pushes[0].message
        self.assertEqual(set(message), {"aps", "sealed"})
        self.assertEqual(keys.open(apns_service.opened(message["sealed"]))["type"], "test")

    def test_H07_a_device_in_development_is_woken_in_its_own_environment(self):
        """H07.apns"""
        b, installation = self.sleeper(service=self.development, environment="development")
        self.assertEqual({name: self.devices(b)[0][name] for name in ("kind", "service", "environment")},
                         {"kind": "apns", "service": "apns", "environment": "development"})
        self.wake(b)
        eventually(lambda: installation.pushes, "it came")
        b, installation = self.sleeper()
        self.assertEqual(self.devices(b)[0]["environment"], "production")
        self.wake(b)
        eventually(lambda: installation.pushes, "it came")

    def test_H03_a_token_of_APNs_belongs_to_whoever_is_signed_in_on_its_device(self):
        (b, installation), c = self.sleeper(), self.person("Carol")
        upper = installation.registration | {"token": installation.token.upper()}
        self.assertEqual(self.put(c, upper).status, 200)
        self.assertEqual((self.devices(b), len(self.devices(c))), ([], 1))

    def test_a_registration_for_APNs_that_is_none_is_refused(self):
        person, good = self.person("Bob"), self.service.installation().registration
        bad = [
            {"kind": "apns"}, good | {"kind": "fcm"}, good | {"token": ""}, good | {"token": "ab" * 201},
            good | {"token": "g" * 64}, good | {"keys": {}}, good | {"token": 1}, good | {"environment": "sandbox"},
        ]
        for registration in bad:
            with self.subTest(registration):
                answer = self.put(person, registration)
                self.assertEqual((answer.status, answer.json["code"]), (400, "bad_request"))
        answer = ask_http(self.server, "GET", "/v1/push", headers=bearer(person.token))
        self.assertEqual(answer.json["kinds"], ["webpush", "apns"])


class Reasons(APNs):
    TOLD = {
        400: (
            "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DeviceTokenNotForTopic",
            "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty",
            "TopicDisallowed"),
        403: (
            "BadCertificate", "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken", "Forbidden",
            "MissingProviderToken", "UnrelatedKeyIdInToken"),
        404: ("BadPath",), 405: ("MethodNotAllowed",), 418: ("Teapot",),
    }
    LATER = {
        429: ("TooManyRequests", "TooManyProviderTokenUpdates"), 500: ("InternalServerError",),
        503: ("ServiceUnavailable", "Shutdown"),
    }

    def each(self, *answers: tuple, attempts: int = 1_000) -> list[tuple]:
        """A sleeper for each status, reason and answer, who is refused so often with it."""
        found = []
        for status, reason, answer in answers:
            b, installation = self.sleeper()
            installation.answer = lambda attempt, answer=answer: answer() if attempt < attempts else None
            found.append((status, reason, b, installation))
        self.wake(*(b for _, _, b, _ in found))
        return found

    def answers(self, reasons: dict[int, tuple[str, ...]]) -> list[tuple]:
        return [(status, reason, lambda status=status, reason=reason: refusal(status, reason, **{"Retry-After": "1"}))
                for status, words in reasons.items() for reason in words]

    def test_H13_a_reason_of_APNs_that_is_about_us_drops_no_device_and_is_told(self):
        for status, reason, b, installation in self.each(*self.answers(self.TOLD)):
            with self.subTest(reason):
                self.assertEqual(self.trouble(b), f"APNs answered {status} {reason}")
                self.assertEqual((len(self.devices(b)), len(installation.attempts)), (1, 1))
        self.assertIn("APNs answered 403", self.server.event("push.apns_refused")["reason"])

    def test_H13_a_reason_of_APNs_that_may_pass_waits_as_long_as_it_says(self):
        date = lambda: refusal(  # noqa: E731
            503, "ServiceUnavailable", **{"Retry-After": formatdate(time.time() + 3, usegmt=True)})
        for _, reason, _, installation in self.each(*self.answers(self.LATER), (503, "a date", date), attempts=1):
            with self.subTest(reason):
                eventually(lambda installation=installation: installation.pushes, "it came", within=20)
                self.assertEqual(len(installation.attempts), 2)
                self.assertGreaterEqual(installation.attempts[1] - installation.attempts[0], 0.9)

    def test_H13_a_device_that_APNs_says_is_gone_is_dropped(self):
        """H13.apns"""
        end = time.time() + 3600
        found = self.each(
            (400, "BadDeviceToken", lambda: refusal(400, "BadDeviceToken")),
            (410, "no time", lambda: refusal(410, "Unregistered")),
            (410, "Unregistered", lambda: refusal(410, "Unregistered", end)),
            (410, "ExpiredToken", lambda: refusal(410, "ExpiredToken", end)))
        for _, reason, b, _ in found:
            with self.subTest(reason):
                eventually(lambda b=b: self.devices(b) == [], "the dead device is dropped")

    def test_H13_a_device_that_was_registered_after_its_end_at_APNs_stays(self):
        (_, _, b, _), = self.each((410, "", lambda: refusal(410, "Unregistered", time.time() - 3600)))
        self.assertEqual((self.trouble(b), len(self.devices(b))), ("APNs answered 410 Unregistered", 1))

    def test_H13_what_is_too_large_for_APNs_is_sent_with_the_ids_alone(self):
        a, (b, installation) = self.listener("Ann"), self.sleeper()
        installation.answer = lambda attempt: refusal(413, "PayloadTooLarge") if attempt < 1 else None
        b.link.close()
        self.say(a, "hello", user=b.user)
        eventually(lambda: installation.pushes, "it came", within=15)
        self.assertNotIn("text", installation.pushes[0].message)
        self.assertEqual(installation.pushes[0].aps["alert"]["body"], "New message")


class SecondOpinion(APNs):
    """`aioapns`, by which other programs push, beside ours: the model takes from it what it takes from us, and no other thing."""

    def test_H13_another_program_says_the_same_to_APNs_and_hears_the_same(self):
        """H13.apns"""
        a, (b, installation) = self.listener("Ann"), self.sleeper()
        b.link.close()
        self.say(a, "are you there?", user=b.user)
        eventually(lambda: installation.pushes, "ours came")
        ours = installation.pushes[0]
        taken, gone = asyncio.run(self.send(ours, installation.token, "f" * 64))
        theirs = installation.pushes[1]
        self.assertEqual((taken.status, gone.status, gone.description), ("200", "400", "BadDeviceToken"))
        self.assertEqual(theirs.message, ours.message)
        self.assertEqual({name for name in ours.headers if name.startswith("apns")}, {name for name in theirs.headers if name.startswith("apns")})
        for name in (":method", ":path", "apns-topic", "apns-priority", "apns-push-type", "apns-collapse-id"):
            self.assertEqual(theirs.headers[name], ours.headers[name])
        self.assertAlmostEqual(int(theirs.headers["apns-expiration"]), int(ours.headers["apns-expiration"]), delta=30)

    async def send(self, push, *tokens: str) -> list:
        """The same as ours, to devices of these tokens."""
        address = self.service.listener.getsockname()
        protocol = type("Local", (APNsProductionClientProtocol,), {"APNS_SERVER": "localhost", "APNS_PORT": address[1]})
        trust = ssl.create_default_context(cafile=self.account.trust)
        trust.set_alpn_protocols(["h2"])
        pool = APNsKeyConnectionPool(self.account.file.read_text(), KEY, TEAM, TOPIC, max_connection_attempts=1, ssl_context=trust)
        pool.protocol_class = protocol
        life = int(push.headers["apns-expiration"]) - int(time.time())
        try:
            return [
                await pool.send_notification(NotificationRequest(
                    token, push.message, time_to_live=life, priority=int(push.headers["apns-priority"]),
                    collapse_key=push.headers["apns-collapse-id"], push_type=PushType(push.headers["apns-push-type"])))
                for token in tokens]
        finally:
            pool.close()


@of_one_process
class Access(APNs):
    def test_H13_a_token_that_APNs_refuses_is_replaced_once(self):
        b, installation = self.sleeper()
        self.wake(b)
        eventually(lambda: installation.pushes, "it came")
        self.service.bad_tokens.update(self.service.tokens)
        self.wake(b)
        eventually(lambda: len(installation.pushes) == 2, "it came with a fresh token")
        self.assertEqual(len(self.service.tokens), 2)
        with self.subTest("again so soon it is not"):
            self.service.bad_tokens.update(self.service.tokens)
            self.wake(b)
            self.assertEqual(self.server.event("push.apns_refused")["reason"], "APNs answered 403 ExpiredProviderToken")
            self.assertEqual((len(self.devices(b)), len(self.service.tokens)), (1, 2))
        said = json.dumps(self.server.log)
        for secret in (self.account.file.read_text().splitlines()[1], *self.service.tokens, installation.token):
            self.assertNotIn(secret, said)


@of_one_process
class Connections(APNs):
    def test_many_pushes_by_APNs_share_one_connection(self):
        sleepers = [self.sleeper() for _ in range(12)]
        self.wake(sleepers[0][0])
        eventually(lambda: sleepers[0][1].pushes, "the first one came")
        self.assertEqual((self.service.most_at_once, self.service.connections), (1, 1))
        self.service.gate = 11
        self.wake(*(b for b, _ in sleepers[1:]))
        eventually(lambda: all(installation.pushes for _, installation in sleepers), "all came")
        self.assertEqual((self.service.most_at_once, self.service.connections), (11, 1))
        self.assertEqual(len(self.service.tokens), 1)


@of_one_process
class Losses(APNs):
    def lost(self, fate: str, connections: int) -> None:
        """What happens to the second request of two on one connection; and how many more are opened."""
        (b, first), (c, second) = self.sleeper(), self.sleeper("Carol")
        self.wake(b)
        eventually(lambda: first.pushes, "the first one came")
        number, before = self.service.requests, self.service.connections
        self.service.fate = lambda request: fate if request == number else None
        self.wake(c)
        eventually(lambda: second.pushes, "the other one came, too")
        self.assertEqual((len(second.attempts), len(second.pushes)), (1, 1))
        self.assertEqual((self.service.requests, self.service.connections), (number + 2, before + connections))

    def test_H13_a_push_that_APNs_did_not_look_at_goes_again_at_once(self):
        self.lost("refuse", 0)

    def test_H13_a_push_goes_over_a_new_connection_when_APNs_leaves_the_old_one(self):
        self.lost("leave", 1)

    def test_H13_a_push_goes_again_when_its_connection_to_APNs_is_lost(self):
        self.lost("hang up", 1)


class Attacks(APNs):
    def test_H13_a_push_goes_again_when_APNs_attacks_instead_of_answering(self):
        """H13.apns"""
        b, installation = self.sleeper()
        self.wake(b)
        eventually(lambda: installation.pushes, "the first one came")
        for attack in ATTACKS:
            with self.subTest(attack):
                number, came = self.service.requests, len(installation.pushes)
                self.service.fate = lambda request: attack if request == number else None  # noqa: B023
                answer = ask_http(self.server, "POST", "/v1/push/test", headers=bearer(b.token))
                eventually(lambda: len(installation.pushes) > came, "it came by another connection", within=20)  # noqa: B023
                steps = ask_http(self.server, "GET", "/v1/push/trace", headers=bearer(b.token)).json["events"]
                failed = [step for step in steps if step["push"] == answer.json["push"] and step["event"] == "failed"]
                self.assertEqual(len(failed), 1)
                self.assertRegex(failed[0]["reason"], "HTTP/2|too long|gave the request up|closed the connection")
                self.assertLess(self.service.attacks[attack], ATTACK, "it was left soon")
        self.assertEqual(len(self.devices(b)), 1)


class Unvouched(APNs):
    trusts = False
    words = "certificate"

    def test_no_push_goes_to_a_server_that_does_not_prove_to_be_APNs(self):
        self.refused()

    def refused(self) -> None:
        b, installation = self.sleeper()
        self.wake(b)
        self.assertIn(self.words, self.trouble(b))
        self.assertEqual((installation.attempts, len(self.devices(b))), ([], 1))


class OldProtocol(Unvouched):
    trusts, protocol = True, "http/1.1"
    words = "speaks no HTTP/2"

    def test_no_push_goes_to_a_server_that_does_not_prove_to_be_APNs(self):
        """One that proves it and speaks no HTTP/2 is no better."""
        self.refused()


class Keys(unittest.TestCase):
    def test_a_key_for_APNs_that_is_none_is_refused_at_the_start(self):
        account = APNsAccount()
        self.addCleanup(account.close)
        good = {"--apns-key": str(account.file), "--apns-key-id": KEY, "--apns-team": TEAM, "--apns-topic": TOPIC}
        bad = [
            good | {"--apns-key": "/nowhere"}, good | {"--apns-key": str(account.trust)}, good | {"--apns-key-id": "short"},
            good | {"--apns-team": "TEAM-56789"}, good | {"--apns-topic": "a b"},
            good | {"--apns-url": "http://push.example.org"}, {"--apns-key": str(account.file)},
        ]
        with tempfile.TemporaryDirectory() as folder:
            for given in bad:
                with self.subTest(given):
                    words = [word for pair in given.items() for word in pair]
                    told = subprocess.run(
                        [binary(), "check", "config", "--data", f"{folder}/data", *words],
                        capture_output=True, text=True, timeout=TIMEOUT)
                    said = told.stdout + told.stderr
                    self.assertEqual(told.returncode, 64, said)
                    self.assertIn("--apns-", said)
                    self.assertNotIn(account.file.read_text().splitlines()[1], said)
