import base64
import http.client
import os
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from fl import Phone, account
from house import House
from people import APP, APP_SECRET, Person, Refused, post, sign_in, vouch
from server import TIMEOUT, Server, binary, of_one_process
from wire import Closed, PollingLink, WebSocketLink, ask_http, read_answer


class SignIn(House):
    """Accounts and tokens over HTTP, and what they are worth on a socket."""

    def test_A01_a_name_and_a_password_make_an_account(self):
        """A01.account"""
        answer = post(self.server, "register", userName="Ada_1", password="g00d-p4ssphrase", name="Ada")
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(set(answer.json), {"user", "name", "accessToken", "refreshToken", "expires"})
        self.assertEqual(answer.json["name"], "Ada")
        self.assertEqual(answer.headers["cache-control"], "no-store")
        self.assertLess(abs(answer.json["expires"] / 1000 - time.time() - 3600), 10)
        with Person(self.server, token=answer.json["accessToken"]) as ada:
            self.assertEqual((ada.user, ada.name), (answer.json["user"], "Ada"))

    def test_A01_each_mistake_is_named(self):
        """A01.mistakes"""
        post(self.server, "register", userName="taken", password="g00d-p4ssphrase")
        for name, password, status, code in (
            ("abc", "g00d-p4ssphrase", 400, "bad_request"), ("_abcd", "g00d-p4ssphrase", 400, "bad_request"),
            ("abcd_", "g00d-p4ssphrase", 400, "bad_request"), ("a.bcd", "g00d-p4ssphrase", 400, "bad_request"),
            ("a" * 16, "g00d-p4ssphrase", 400, "bad_request"), ("", "g00d-p4ssphrase", 400, "bad_request"),
            ("grace", "", 400, "bad_request"), ("taken", "g00d-p4ssphrase", 409, "conflict"),
        ):
            with self.subTest(name):
                answer = post(self.server, "register", userName=name, password=password)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code))
        for name in ("Ab_4", "fifteen_letters"):
            self.assertEqual(post(self.server, "register", userName=name, password="g00d-p4ssphrase").status, 200, name)

    def test_A02_logging_in_again_leaves_the_first_token_valid(self):
        """A02.token A02.expiry A02.again"""
        post(self.server, "register", userName="login", password="g00d-p4ssphrase")
        first, second = (post(self.server, "login", userName="login", password="g00d-p4ssphrase").json for _ in range(2))
        self.assertEqual(first["user"], second["user"])
        for login in (first, second):
            self.assertLess(abs(login["expires"] / 1000 - time.time() - 3600), 10)
        for login in (first, second):
            with Person(self.server, token=login["accessToken"]) as person:
                self.assertEqual(person.user, first["user"])

    def test_A06_anonymous_users_have_names_of_their_own(self):
        users = [sign_in(self.server, "guest") for _ in range(3)]
        self.assertEqual(len({user["user"] for user in users}), 3)
        with Person(self.server, token=users[0]["accessToken"]) as guest:
            self.assertEqual((guest.user, guest.name), (users[0]["user"], "guest"))

    def test_A07_the_same_user_comes_back_by_refresh_token(self):
        first = sign_in(self.server, "again")
        second = post(self.server, "refresh", refreshToken=first["refreshToken"])
        self.assertEqual((second.status, second.json["user"]), (200, first["user"]))
        self.assertNotEqual(second.json["refreshToken"], first["refreshToken"])
        with Person(self.server, token=second.json["accessToken"]) as person:
            self.assertEqual((person.user, person.name), (first["user"], "again"))

    def test_A07_a_refresh_token_that_is_used_twice_ends_the_family(self):
        first = sign_in(self.server)
        second = post(self.server, "refresh", refreshToken=first["refreshToken"]).json
        third = post(self.server, "refresh", refreshToken=second["refreshToken"])
        self.assertEqual(third.status, 200)
        self.assertEqual(post(self.server, "refresh", refreshToken=first["refreshToken"]).status, 401)
        self.assertEqual(post(self.server, "refresh", refreshToken=third.json["refreshToken"]).status, 401)

    def test_A07_who_signs_out_cannot_come_back_on_the_refresh_token(self):
        first = sign_in(self.server)
        other = sign_in(self.server)
        for token in (first["refreshToken"], first["refreshToken"], "nonsense", ""):
            answer = post(self.server, "logout", refreshToken=token)
            self.assertEqual((answer.status, answer.json), (200, {}))
        self.assertEqual(post(self.server, "refresh", refreshToken=first["refreshToken"]).status, 401)
        self.assertEqual(post(self.server, "refresh", refreshToken=other["refreshToken"]).status, 200)

    def test_A05_nobody_comes_in_without_a_token_or_with_a_bad_one(self):
        """A05.bad"""
        good = sign_in(self.server)["accessToken"]
        body = good.split(".")
        for token, code in (
            ("nonsense", "unauthorized"), (f"{body[0]}.{body[1]}.", "unauthorized"),
            (f"{body[0]}.{body[1]}.{'A' * len(body[2])}", "unauthorized"),
            (vouch("strangers", APP_SECRET, "eve"), "unauthorized"), (vouch(APP, APP_SECRET + "!", "eve"), "unauthorized"),
            (vouch(APP, APP_SECRET, "eve", lasts=-600), "token_expired"),
            (vouch(APP, APP_SECRET, "eve", aud="another"), "unauthorized"),
            (vouch(APP, APP_SECRET, "eve", nbf=time.time() + 600), "unauthorized"),
            (vouch(APP, APP_SECRET, "eve", lasts=10 * 86400), "unauthorized"),
        ):
            for link in (WebSocketLink, PollingLink):
                with self.subTest(token=token[:40], link=link), self.assertRaises(Refused) as refused:
                    Person(self.server, token=token, link=link)
                self.assertEqual(refused.exception.code, code)

    def test_A05_a_connection_without_any_auth_is_refused(self):
        """A05.without"""
        link = WebSocketLink(self.server, "EIO=4")
        link.receive()
        link.send("40")
        self.assertEqual(link.receive(), '44{"message":"unauthorized"}')
        link.close()

    def test_A08_an_application_vouches_for_a_user_and_names_it(self):
        with Person(self.server, token=vouch(APP, APP_SECRET, "user-17", "Grace")) as grace:
            self.assertEqual((grace.user, grace.name), ("user-17", "Grace"))

    def test_A08_an_application_asks_for_a_token_and_the_secret_stays_with_it(self):
        """A08.mint A08.secret"""
        form = {"application": APP, "secret": APP_SECRET, "user": "user-19", "name": "Mary", "picture": "/mary.png"}
        answer = post(self.server, "token", **form)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(set(answer.json), {"user", "name", "accessToken", "expires"})
        self.assertNotIn(APP_SECRET, answer.text)
        with Person(self.server, token=answer.json["accessToken"]) as mary:
            self.assertEqual((mary.user, mary.name), ("user-19", "Mary"))
        for change, status, code in (
            ({"secret": APP_SECRET + "!"}, 401, "unauthorized"), ({"application": "strangers"}, 401, "unauthorized"),
            ({"user": "no such id"}, 400, "bad_request"), ({"user": ""}, 400, "bad_request"),
            ({"name": "\u202e"}, 400, "bad_request"), ({"picture": "javascript:x"}, 400, "bad_request"),
        ):
            with self.subTest(change):
                answer = post(self.server, "token", **(form | change))
                self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code))

    def test_A08_an_application_may_keep_its_key_to_itself(self):
        def openssl(*arguments: str, **options) -> bytes:
            return subprocess.run(["openssl", *arguments], check=True, capture_output=True, **options).stdout

        with tempfile.TemporaryDirectory() as folder:
            pair, message = f"{folder}/pair.pem", Path(folder, "message")

            def sign(text: bytes) -> bytes:
                message.write_bytes(text)
                return openssl("pkeyutl", "-sign", "-rawin", "-inkey", pair, "-in", str(message))

            openssl("genpkey", "-algorithm", "ed25519", "-out", pair)
            public = base64.urlsafe_b64encode(openssl("pkey", "-in", pair, "-pubout", "-outform", "DER")[-32:])
            key = public.rstrip(b"=").decode()
            with Server("--app", f"shop:ed25519:{key}", testing=False) as server:
                with Person(server, token=vouch("shop", sign, "user-18", "Hedy")) as hedy:
                    self.assertEqual((hedy.user, hedy.name), ("user-18", "Hedy"))
                with self.assertRaises(Refused) as refused:
                    Person(server, token=vouch("shop", key, "user-18"))
                self.assertEqual(refused.exception.code, "unauthorized")

    def test_A12_who_is_expired_is_told_why_and_cut_off(self):
        """A12.expired"""
        for link in (WebSocketLink, PollingLink):
            with self.subTest(link=link):
                ends = time.time() + 3
                person = self.person(token=vouch(APP, APP_SECRET, "short", lasts=3), link=link)
                self.assertEqual(person.expect("session.ending")["error"]["code"], "token_expired")
                with self.assertRaises(Closed):
                    person.expect("never")
                self.assertLess(abs(time.time() - ends), 1.5)

    def test_A12_a_fresh_token_in_between_keeps_the_session(self):
        person = self.person(token=vouch(APP, APP_SECRET, "kept", lasts=4))
        answer = person.ask("session.refresh", token=vouch(APP, APP_SECRET, "kept"))
        self.assertGreater(answer["expires"] / 1000 - time.time(), 500)
        self.assertEqual(person.error("session.refresh", token=vouch(APP, APP_SECRET, "another")), "forbidden")
        person.listen(4.2)
        self.assertEqual(person.heard("session.ending"), [])

    def test_A12_the_end_is_announced_half_a_minute_before(self):
        person = self.person(token=vouch(APP, APP_SECRET, "warned", lasts=31))
        self.assertEqual(person.expect("session.ending", within=4)["error"]["code"], "token_expired")
        self.assertEqual(person.ask("ice.servers").keys(), {"iceServers"})

    def test_who_comes_back_with_a_dead_token_is_not_let_in(self):
        person = self.person(token=vouch(APP, APP_SECRET, "late", lasts=600), recover=True)
        person.link.cut()
        with self.assertRaises(Refused) as refused:
            Person.back(person, token=vouch(APP, APP_SECRET, "late", lasts=-1))
        self.assertEqual(refused.exception.code, "token_expired")

    def test_nobody_takes_up_another_users_session(self):
        person = self.person("victim", recover=True)
        person.link.cut()
        with self.assertRaises(Refused) as refused:
            Person.back(person, token=vouch(APP, APP_SECRET, "thief"))
        self.assertEqual(refused.exception.code, "forbidden")

    def test_what_is_no_form_is_refused(self):
        for body in (b"{", b"[]", b"\xff", b'{"name":"\\ud800"}', b"1"):
            with self.subTest(body):
                answer = ask_http(self.server, "POST", "/v1/auth/login", body)
                self.assertIn((answer.status, answer.json["error"]["code"]), [(400, "bad_request")])
        self.assertEqual(ask_http(self.server, "POST", "/v1/auth/login", b" " * 20_000).status, 413)
        self.assertEqual(ask_http(self.server, "GET", "/v1/auth/login").status, 405)


class SentAway(House):
    """What `parley users` does to people reaches their open lines."""

    def users(self, *arguments: str) -> subprocess.CompletedProcess:
        host, port = self.server.admin
        return subprocess.run(
            [binary(), "users", *arguments, "--admin", f"{host}:{port}"], capture_output=True, text=True, timeout=TIMEOUT)

    def assert_ended(self, person: Person, code: str) -> None:
        began = time.monotonic()
        self.assertEqual(person.expect("session.ending")["error"]["code"], code)
        with self.assertRaises(Closed):
            person.expect("never")
        self.assertLess(time.monotonic() - began, 1)

    def test_A12_who_is_kicked_is_told_so_and_may_sign_in_anew(self):
        """A12.kicked"""
        first = post(self.server, "register", userName="kicked", password="g00d-p4ssphrase").json
        lines = [self.person(token=first["accessToken"], link=link) for link in (WebSocketLink, PollingLink)]
        done = self.users("kick", first["user"])
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in lines:
            self.assert_ended(line, "kicked")
        with self.assertRaises(Refused) as refused:
            Person(self.server, token=first["accessToken"])
        self.assertEqual(refused.exception.code, "kicked")
        self.assertEqual(post(self.server, "refresh", refreshToken=first["refreshToken"]).status, 401)
        again = post(self.server, "login", userName="kicked", password="g00d-p4ssphrase").json
        self.assertEqual(self.person(token=again["accessToken"]).user, first["user"])

    def test_A12_who_is_banned_is_told_so_and_stays_out(self):
        """A12.banned"""
        first = post(self.server, "register", userName="banned", password="g00d-p4ssphrase").json
        line, away = (self.person(token=first["accessToken"], recover=True) for _ in range(2))
        away.link.cut()
        line.ask("ice.servers")
        self.assertEqual(self.users("ban", first["user"]).returncode, 0)
        self.assert_ended(line, "banned")
        for come in (lambda: Person.back(away), lambda: Person(self.server, token=first["accessToken"])):
            with self.assertRaises(Refused) as refused:
                come()
            self.assertEqual(refused.exception.code, "banned")
        login = post(self.server, "login", userName="banned", password="g00d-p4ssphrase")
        self.assertEqual((login.status, login.json["error"]["code"]), (403, "banned"))

    def test_A12_J06_nobody_waits_in_a_call_for_who_was_sent_away(self):
        for verb in ("kick", "ban"):
            with self.subTest(verb):
                a, b = self.person("A"), self.person("B")
                call = a.ask("call.invite", user=b.user, kind="audio")["call"]
                b.expect("call.incoming")
                b.ask("call.accept", call=call)
                a.expect("call.connected")
                self.assertEqual(self.users(verb, b.user).returncode, 0)
                ended = a.expect("call.ended", within=1)
                self.assertEqual((ended["outcome"], ended["by"]), ("completed", b.user))

    @of_one_process
    def test_A12_who_was_sent_away_has_no_seat_any_more(self):
        banned, friend = self.person("banned"), self.person("friend")
        for person in (banned, friend):
            person.ask("room.join", room="cellar")
        self.assertEqual(self.users("ban", banned.user).returncode, 0)
        self.assertEqual(friend.expect("room.left")["reason"], "removed")
        self.assertEqual(banned.expect("room.dismissed"), {"room": "cellar", "reason": "removed"})
        self.assert_ended(banned, "banned")

    def test_A12_no_web_page_sends_anybody_away_and_no_ban_is_a_slip(self):
        line = self.person("steady")
        host, port = self.server.admin
        for target, headers, status in (
            ("kick", {"Origin": "https://evil.example"}, 403), ("ban", {"Origin": "null"}, 403),
            ("ban", {"Host": f"evil.example:{port}"}, 403), ("ban?seconds=abc", {}, 400), ("ban?seconds=-1", {}, 400),
            ("ban?seconds=0", {}, 400), ("ban?seconds=1e3", {}, 400), ("unban", {"Host": "localhost"}, 200),
        ):
            with self.subTest(target, headers=headers):
                connection = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
                connection.request("POST", f"/v1/users/{line.user}/{target}", headers=headers)
                self.assertEqual(read_answer(connection).status, status)
                connection.close()
        self.assertIn("iceServers", line.ask("ice.servers"))

    def test_A12_a_banned_phone_of_the_old_door_is_cut_off_and_stays_out(self):
        token = account(self.server, "oldphone")["data"]["auth_token"]
        user = next(
            u["_id"] for u in ask_http(self.server, "GET", "/allUsers").json["data"]["allUser"] if u["name"] == "oldphone")
        phone = Phone(self.server, token)
        self.assertEqual(self.users("ban", user).returncode, 0)
        with self.assertRaises(ConnectionError):
            phone.expect("never", within=5)
        phone.close()
        with self.assertRaises(ConnectionRefusedError):
            Phone(self.server, token, stays_polling=True).expect("never")


class Guessing(House):
    def test_A13_a_password_is_changed_with_the_old_one(self):
        first = post(self.server, "register", userName="changer", password="g00d-p4ssphrase").json
        phone = self.enterContext(Person(self.server, token=first["accessToken"]))
        bearer = {"Authorization": f"Bearer {first['accessToken']}"}

        def change(old: str, new: str):
            return ask_http(self.server, "POST", "/v1/auth/password", {"password": old, "newPassword": new}, bearer)

        self.assertEqual(change("not this one", "another phrase").status, 401)
        self.assertEqual(change("g00d-p4ssphrase", "password").status, 400)
        changed = change("g00d-p4ssphrase", "another phrase")
        self.assertEqual(changed.status, 200, changed.text)
        self.assertEqual(phone.expect("session.ending")["error"]["code"], "kicked")
        self.assertEqual(change("another phrase", "and one more").status, 401, "the old access token has ended")
        self.assertEqual(post(self.server, "login", userName="changer", password="g00d-p4ssphrase").status, 401)
        self.assertEqual(post(self.server, "login", userName="changer", password="another phrase").status, 200)
        with Person(self.server, token=changed.json["accessToken"]) as back:
            self.assertEqual(back.user, first["user"])

    def test_A14_devices_are_listed_and_signed_out_at_once(self):
        first = post(self.server, "register", userName="devices", password="g00d-p4ssphrase").json
        second = post(self.server, "login", userName="devices", password="g00d-p4ssphrase").json
        lost = self.enterContext(Person(self.server, token=first["accessToken"]))
        stays = self.enterContext(Person(self.server, token=second["accessToken"]))
        bearer = {"Authorization": f"Bearer {second['accessToken']}"}
        devices = ask_http(self.server, "GET", "/v1/auth/devices", headers=bearer).json["devices"]
        self.assertEqual([device["current"] for device in devices], [True, False])
        other = devices[1]["device"]
        self.assertEqual(ask_http(self.server, "DELETE", f"/v1/auth/devices/{other}", headers=bearer).status, 200)
        self.assertEqual(lost.expect("session.ending")["error"]["code"], "kicked")
        self.assertEqual(ask_http(self.server, "DELETE", f"/v1/auth/devices/{other}", headers=bearer).status, 401)
        self.assertNotIn("error", stays.ask("chat.send", user=stays.user, body={"text": "still here"}))
        self.assertEqual(ask_http(self.server, "DELETE", "/v1/auth/devices", headers=bearer).status, 200)
        self.assertEqual(stays.expect("session.ending")["error"]["code"], "kicked")
        self.assertEqual(post(self.server, "refresh", refreshToken=second["refreshToken"]).status, 401)

    def test_wrong_passwords_are_slowed_down(self):
        post(self.server, "register", userName="guessed", password="g00d-p4ssphrase")
        statuses = []
        for number in range(8):
            answer = post(self.server, "login", userName="guessed", password=f"wrong{number}")
            statuses.append(answer.status)
            if answer.status == 429:
                break
        self.assertEqual(statuses[:4], [401] * 4)
        self.assertEqual(statuses[-1], 429)
        self.assertGreaterEqual(int(answer.headers["retry-after"]), 1)
        error = answer.json["error"]
        self.assertEqual(error["code"], "rate_limited")
        self.assertGreater(error["retryAfter"], 0)
        # Nor does the right one help meanwhile: else it could be told from the wrong ones.
        self.assertEqual(post(self.server, "login", userName="guessed", password="g00d-p4ssphrase").status, 429)

    def test_new_accounts_of_one_client_prefix_are_slowed_down(self):
        statuses = [post(self.server, "anonymous").status for _ in range(40)]
        self.assertIn(429, statuses)
        self.assertGreaterEqual(statuses.count(200), 20)


class Restart(unittest.TestCase):
    def test_A02_accounts_and_tokens_survive_a_restart(self):
        """A02.restart"""
        with Server(testing=False) as server:
            account = post(server, "register", userName="restart", password="g00d-p4ssphrase").json
            anonymous = sign_in(server, "anon")
            mode = stat.S_IMODE(os.stat(Path(server.data, "secret")).st_mode)
            self.assertEqual(mode, 0o600)
            server.restart()
            with Person(server, token=account["accessToken"]) as person:
                self.assertEqual(person.user, account["user"])
            login = post(server, "login", userName="restart", password="g00d-p4ssphrase")
            self.assertEqual(login.json["user"], account["user"])
            again = post(server, "refresh", refreshToken=anonymous["refreshToken"])
            self.assertEqual((again.json["user"], again.json["name"]), (anonymous["user"], "anon"))


class Secrets(unittest.TestCase):
    def refusal(self, *options: str, prepare=lambda folder: None) -> str:
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder))
            run = subprocess.run(
                [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", folder,
                 *options], capture_output=True, text=True, timeout=TIMEOUT, stdin=subprocess.DEVNULL)
        self.assertGreater(run.returncode, 0)
        self.assertLess(run.returncode, 128, run.stderr)
        return run.stderr

    def test_a_weak_secret_is_refused(self):
        for secret in ("short", "a" * 64, "changeme" * 8):
            with self.subTest(secret):
                self.assertNotEqual(self.refusal("--app", f"shop:{secret}"), "")

        def weak(folder: Path) -> None:
            (folder / "secret").write_text("secret\n")
            (folder / "secret").chmod(0o600)

        self.assertIn("secret", self.refusal(prepare=weak))

    def test_a_secret_that_others_may_read_is_refused(self):
        def open_to_all(folder: Path) -> None:
            (folder / "secret").write_text("x8Fq3ZkWv0TzLr5YpNs7QdUa2HbJm4Gc\n")
            (folder / "secret").chmod(0o644)

        self.assertIn("chmod 600", self.refusal(prepare=open_to_all))


class Origins(House):
    options = ("--allow-origin", "https://friend.example")

    def statuses(self, origin: str | None) -> tuple[int, int]:
        """Of a handshake by polling, and of one by WebSocket."""
        headers = {"Origin": origin} if origin else {}
        upgrade = headers | {
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
        poll = ask_http(self.server, "GET", "/socket.io/?EIO=4&transport=polling", headers=headers)
        with self.server.connect() as raw:
            lines = ["GET /socket.io/?EIO=4&transport=websocket HTTP/1.1", "Host: {}:{}".format(*self.server.address)]
            lines += [f"{name}: {value}" for name, value in upgrade.items()]
            raw.sendall("\r\n".join([*lines, "", ""]).encode())
            status = int(raw.recv(100).split()[1])
        return poll.status, status

    def test_a_foreign_page_is_refused_on_polling_and_on_upgrade(self):
        host, port = self.server.address
        for origin in ("https://evil.example", "null", f"http://{host}:1", f"http://{host}.evil.example:{port}"):
            with self.subTest(origin):
                self.assertEqual(self.statuses(origin), (403, 403))

    def test_own_pages_friends_and_programs_are_welcome(self):
        host, port = self.server.address
        for origin in (None, f"http://{host}:{port}", f"ws://{host}:{port}", "https://friend.example"):
            with self.subTest(origin):
                self.assertEqual(self.statuses(origin), (200, 101))

    def test_a_foreign_page_may_not_sign_in(self):
        """The CVE-2020-28481 of others: every page could use the server, because every origin was let in."""
        body = {"name": "eve"}
        foreign = ask_http(self.server, "POST", "/v1/auth/anonymous", body, {"Origin": "https://evil.example"})
        self.assertEqual(foreign.status, 403)
        self.assertNotIn("access-control-allow-origin", foreign.headers)
        friend = ask_http(self.server, "POST", "/v1/auth/anonymous", body, {"Origin": "https://friend.example"})
        self.assertEqual(friend.headers["access-control-allow-origin"], "https://friend.example")

    def test_the_answer_names_the_page_that_may_read_it(self):
        answer = ask_http(
            self.server, "GET", "/socket.io/?EIO=4&transport=polling", headers={"Origin": "https://friend.example"})
        self.assertEqual(answer.headers["access-control-allow-origin"], "https://friend.example")
        self.assertEqual(answer.headers["access-control-allow-credentials"], "true")


if __name__ == "__main__":
    unittest.main()
