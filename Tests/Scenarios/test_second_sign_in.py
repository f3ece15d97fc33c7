"""Who may connect twice, tokens that open one connection, and applications that sign by ES256."""

import base64
import unittest

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from people import APP, APP_SECRET, VOUCHED, Person, Refused, vouch
from server import Server, eventually
from wire import WebSocketLink, ask_http


class SecondSignIn(unittest.TestCase):
    def test_A20_two_devices_are_there_together_where_nothing_is_said(self):
        """A20.together"""
        with Server(*VOUCHED) as server, Person(server, "A") as first, Person(server, token=first.token) as second:
            self.assertNotIn("error", first.ask("ice.servers"))
            self.assertNotIn("error", second.ask("ice.servers"))

    def test_A20_the_later_device_takes_the_place_of_the_first(self):
        """A20.replace"""
        with Server(*VOUCHED, "--second-sign-in", "replace") as server:
            first, other = Person(server, "A"), Person(server, "B")
            with Person(server, token=first.token) as second:
                self.assertEqual(first.expect("session.ending")["error"]["code"], "kicked")
                first.wait_for_end()
                self.assertNotIn("error", second.ask("ice.servers"))
                self.assertNotIn("error", other.ask("ice.servers"))

    def test_A20_the_first_device_stays_and_the_later_is_refused(self):
        """A20.refuse"""
        with Server(*VOUCHED, "--second-sign-in", "refuse") as server:
            first = Person(server, "A")
            with self.assertRaises(Refused) as refused:
                Person(server, token=first.token)
            self.assertEqual(refused.exception.code, "conflict")
            self.assertNotIn("error", first.ask("ice.servers"))
            first.link.close()

            def comes() -> bool:
                try:
                    Person(server, token=first.token).link.close()
                    return True
                except Refused:
                    return False

            eventually(comes, "the first one is gone")

    def test_A20_a_broken_line_is_in_nobodys_way_and_comes_back(self):
        """A20.refuse"""
        with Server(*VOUCHED, "--second-sign-in", "refuse") as server:
            first = Person(server, "A", recover=True, link=WebSocketLink)
            first.link.socket.close()
            back = Person.back(first)
            self.addCleanup(back.link.close)
            self.assertTrue(back.is_recovered)
            self.assertEqual(server.metric('parley_resumes_total{outcome="resumed"}'), 1)


class OneUse(unittest.TestCase):
    def mint(self, server: Server, user: str, **more) -> dict:
        form = {"application": APP, "secret": APP_SECRET, "user": user} | more
        answer = ask_http(server, "POST", "/v1/auth/token", form)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def test_A21_a_token_opens_one_connection_also_after_a_restart(self):
        """A21.once A21.kept"""
        with Server(*VOUCHED) as server:
            token = self.mint(server, "once-a", once=True)["accessToken"]
            first = Person(server, token=token)
            with self.assertRaises(Refused) as refused:
                Person(server, token=token)
            self.assertEqual(refused.exception.code, "unauthorized")
            self.assertNotIn("error", first.ask("ice.servers"), "what it opened goes on")
            server.restart()
            with self.assertRaises(Refused):
                Person(server, token=token)

    def test_A21_it_opens_nothing_else_and_its_own_place_again(self):
        """A21.only"""
        with Server(*VOUCHED) as server:
            token = self.mint(server, "once-b", once=True)["accessToken"]
            answer = ask_http(server, "GET", "/v1/conversations", headers={"Authorization": f"Bearer {token}"})
            self.assertEqual((answer.status, answer.json["code"]), (403, "forbidden"))
            person = Person(server, token=token, recover=True, link=WebSocketLink)
            other = self.mint(server, "once-b", once=True)["accessToken"]
            self.assertEqual(person.error("session.refresh", token=other), "forbidden")
            person.link.socket.close()
            back = Person.back(person)
            self.assertTrue(back.is_recovered)
            back.link.close()

    def test_A21_an_application_signs_one_itself(self):
        """A21.once"""
        with Server(*VOUCHED) as server:
            token = vouch(APP, APP_SECRET, "once-c", use="once")
            Person(server, token=token).link.close()
            with self.assertRaises(Refused):
                Person(server, token=token)

    def test_A21_of_many_at_once_one_comes_in(self):
        """A21.once"""
        with Server(*VOUCHED) as server:
            token = self.mint(server, "once-d", once=True)["accessToken"]
            came = []
            for _ in range(8):
                try:
                    came.append(Person(server, token=token))
                except Refused:
                    pass
            self.assertEqual(len(came), 1)


class Elliptic(unittest.TestCase):
    def test_A22_an_application_signs_by_es256(self):
        """A22.es256"""
        pair = ec.generate_private_key(ec.SECP256R1())
        point = pair.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

        def sign(text: bytes, key=pair) -> bytes:
            r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")

        with Server("--app", f"curve:p256:{base64.b64encode(point).decode()}") as server:
            with Person(server, token=self.vouch("ES256", sign)) as person:
                self.assertEqual(person.user, "elliptic")
            forger = ec.generate_private_key(ec.SECP256R1())
            for algorithm, key in (("ES256", lambda text: sign(text, forger)), ("EdDSA", sign), ("HS256", sign), ("none", lambda _: b"")):
                with self.subTest(algorithm=algorithm), self.assertRaises(Refused):
                    Person(server, token=self.vouch(algorithm, key))

    @staticmethod
    def vouch(algorithm: str, key) -> str:
        import json

        def part(value: dict) -> str:
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

        head, *_ = vouch("curve", lambda text: b"", "elliptic").split(".")
        header = json.loads(base64.urlsafe_b64decode(head + "==")) | {"alg": algorithm}
        body = vouch("curve", lambda text: b"", "elliptic").split(".")[1]
        text = f"{part(header)}.{body}"
        return f"{text}.{base64.urlsafe_b64encode(key(text.encode())).rstrip(b'=').decode()}"


class Series(unittest.TestCase):
    def test_P14_lines_that_break_come_back_or_begin_anew_and_are_counted(self):
        """P14.series"""
        with Server(*VOUCHED) as server:
            with Person(server, "A", recover=True, link=WebSocketLink) as first:
                pass_through = first.ask("ice.servers")
                self.assertNotIn("error", pass_through)
                first.link.socket.close()
                back = Person.back(first)
                self.assertTrue(back.is_recovered)
                back.link.close()
            self.assertEqual(server.metric('parley_resumes_total{outcome="resumed"}'), 1)
            self.assertGreaterEqual(server.metric('parley_lines_lost_total{how="broken"}'), 1)
            server.restart()
            anew = Person.back(first)
            self.addCleanup(anew.link.close)
            self.assertFalse(anew.is_recovered)
            self.assertEqual(server.metric('parley_resumes_total{outcome="missed"}'), 1)
            self.assertEqual(server.metric("parley_join_seconds_count"), 1)
            self.assertGreaterEqual(server.metric("parley_queued_bytes"), 0)


if __name__ == "__main__":
    unittest.main()
