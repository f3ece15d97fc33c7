"""What users do with their accounts as a whole: they take what is theirs along, and delete them."""

import http.client
import json
import socket
import subprocess
import time
import unittest

from fl import Phone, account
from house import House
from people import APP, APP_SECRET, VOUCHED, Person, Refused, post, sign_in, vouch
from server import TIMEOUT, Server, binary, eventually
from wire import Answer, ask_http, read_answer

PASSWORD = "g00d-p4ssphrase"


def bearer(sign_in: dict) -> dict:
    return {"Authorization": f"Bearer {sign_in['accessToken']}"}


def delete(server: Server, who: dict, password: str | None = PASSWORD) -> Answer:
    return ask_http(server, "DELETE", "/v1/auth/account", {"password": password} if password else b"", bearer(who))


def upload(server: Server, token: str, content: bytes) -> str:
    """A file's id."""
    body = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + content + b"\r\n--x--\r\n"
    answer = ask_http(server, "POST", "/v1/files", body, {
        "Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=x"})
    assert answer.status == 201, answer.text
    return answer.json["file"]


class Deletion(House):
    def member(self, name: str, shown: str = "") -> dict:
        answer = post(self.server, "register", userName=name, password=PASSWORD, name=shown)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def admin(self, method: str, path: str) -> Answer:
        connection = http.client.HTTPConnection(*self.server.admin, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        connection.request(method, path)
        return read_answer(connection)

    def assert_gone(self, line: Person) -> None:
        ending = line.expect("session.ending")["error"]
        self.assertEqual((ending["code"], ending["message"]), ("kicked", "this account was deleted"))
        line.wait_for_end()

    def test_A16_an_account_is_deleted_with_its_password_and_every_device_is_signed_out(self):
        """A16.sessions"""
        first = self.member("leaver")
        second = post(self.server, "login", userName="leaver", password=PASSWORD).json
        lines = [self.person(token=who["accessToken"]) for who in (first, second)]
        self.assertEqual(delete(self.server, first, "not-this-one").status, 401)
        self.assertEqual(delete(self.server, first, None).status, 400)
        done = delete(self.server, first)
        self.assertEqual((done.status, done.json), (200, {}))
        for line in lines:
            self.assert_gone(line)
        for who in (first, second):
            with self.assertRaises(Refused) as refused:
                Person(self.server, token=who["accessToken"])
            self.assertEqual(refused.exception.code, "kicked")
            self.assertEqual(post(self.server, "refresh", refreshToken=who["refreshToken"]).status, 401)
            self.assertEqual(ask_http(self.server, "GET", "/v1/me", headers=bearer(who)).status, 401)
        self.assertEqual(post(self.server, "login", userName="leaver", password=PASSWORD).status, 401)

    def test_A16_who_has_no_password_shows_a_token_that_was_issued_just_now(self):
        guest = sign_in(self.server, "guest")
        self.assertEqual(delete(self.server, guest, None).status, 200)
        now = int(time.time())
        old = {"accessToken": vouch(APP, APP_SECRET, "old-token", iat=now - 301)}
        refused = delete(self.server, old, None)
        self.assertEqual((refused.status, refused.json["error"]["code"]), (401, "unauthorized"))
        self.assertIn("refresh", refused.json["error"]["message"])

    def test_A16_long_lived_tokens_of_old_apps_end_as_well(self):
        """A16.doors"""
        token = account(self.server, "oldleaver")["data"]["auth_token"]
        phone = Phone(self.server, token)
        who = post(self.server, "login", userName="oldleaver", password=PASSWORD).json
        self.assertEqual(delete(self.server, who).status, 200)
        with self.assertRaises(ConnectionError):
            phone.expect("never", within=5)
        phone.close()
        with self.assertRaises(ConnectionRefusedError):
            Phone(self.server, token, stays_polling=True).expect("never")
        self.assertNotIn("oldleaver", ask_http(self.server, "GET", "/allUsers").text)

    def test_A16_what_was_said_stays_with_the_others_without_the_name(self):
        """A16.others"""
        who = self.member("teller", "Tell Tale")
        teller, friend = self.person(token=who["accessToken"]), self.person("friend")
        sent = teller.ask("chat.send", user=friend.user, body={"text": "between us"})
        group = teller.ask("chat.create", title="club", users=[friend.user])["conversation"]
        room = teller.ask("chat.create", kind="room", title="plaza")["conversation"]
        for place in (group, room):
            teller.ask("chat.send", conversation=place, body={"text": f"in {place}"})
        friend.ask("chat.join", conversation=room)
        friend.ask("chat.sync")
        self.assertEqual(delete(self.server, who).status, 200)
        told = friend.expect("profile", user=who["user"])
        self.assertEqual((told["name"], told["deleted"]), ("Deleted user", True))
        friend.expect("chat.entry", conversation=sent["conversation"], type="dissolved")
        for place in (group, room):
            left = friend.expect("chat.entry", conversation=place, type="left")
            self.assertEqual(left["body"], {"user": friend.user, "role": "owner"})
            self.assertEqual(
                [member["user"] for member in friend.ask("chat.members", conversation=place)["members"]], [friend.user])
        view = friend.ask("chat.conversation", conversation=sent["conversation"])
        self.assertTrue(view["dissolved"])
        self.assertEqual(view["peer"] | {"delivered": 0, "read": 0}, {
            "user": who["user"], "name": "Deleted user", "deleted": True, "delivered": 0, "read": 0})
        said = friend.ask("chat.history", conversation=sent["conversation"])["entries"][0]
        self.assertEqual((said["body"], said["from"]), ({"text": "between us"}, who["user"]))
        self.assertEqual(friend.error("chat.send", user=who["user"], body={"text": "still there?"}), "conflict")
        self.assertEqual(friend.error("chat.create", title="anew", users=[who["user"]]), "blocked")
        stranger = self.person("stranger")
        self.assertEqual(stranger.error("chat.send", user=who["user"], body={"text": "hello"}), "not_found")
        self.assertEqual(friend.error("profile.of", user="teller"), "not_found")

    def test_A16_files_that_nobody_else_refers_to_go(self):
        """A16.files"""
        who = self.member("uploader")
        uploader, friend = self.person(token=who["accessToken"]), self.person("friend")
        shown, own, draft = (upload(self.server, who["accessToken"], text) for text in (b"shown", b"own", b"draft"))
        uploader.ask("chat.send", user=friend.user, kind="file", body={"file": shown})
        uploader.ask("chat.send", user=who["user"], kind="file", body={"file": own})
        self.assertEqual(delete(self.server, who).status, 200)
        other = {"Authorization": f"Bearer {friend.token}"}
        self.assertEqual(ask_http(self.server, "GET", f"/v1/files/{shown}", headers=other).status, 200)

        for file in (own, draft):
            self.assertEqual(ask_http(self.server, "GET", f"/v1/files/{file}", headers=other).status, 404)

    def test_A16_neither_the_id_nor_the_name_is_given_to_another_person(self):
        """A16.id"""
        who = self.member("unique_1")
        self.assertEqual(delete(self.server, who).status, 200)
        for name in ("unique_1", "UNIQUE_1"):
            self.assertEqual(post(self.server, "register", userName=name, password=PASSWORD).status, 409)
        user = "vouched-leaver"
        self.person(token=vouch(APP, APP_SECRET, user, "Vouched"))
        self.assertEqual(delete(self.server, {"accessToken": vouch(APP, APP_SECRET, user)}, None).status, 200)
        with self.assertRaises(Refused) as refused:
            Person(self.server, token=vouch(APP, APP_SECRET, user, "Somebody else"))
        self.assertEqual(refused.exception.code, "kicked")
        form = {"application": APP, "secret": APP_SECRET, "user": user}
        answer = post(self.server, "token", **form)
        self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "forbidden"))

    def test_A16_an_operator_deletes_an_account(self):
        """A16.operator"""
        who = self.member("doomed")
        line = self.person(token=who["accessToken"])
        address = "{}:{}".format(*self.server.admin)
        done = subprocess.run(
            [binary(), "users", "--admin", address, "delete", "--", who["user"]], capture_output=True, text=True,
            timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_gone(line)
        self.assertEqual(self.admin("DELETE", f"/v1/users/{who['user']}").status, 200, "twice is once")
        self.assertEqual(self.admin("DELETE", "/v1/users/never-seen").status, 404)


class Export(House):
    def export(self, token: str) -> list[dict]:
        answer = ask_http(self.server, "GET", "/v1/auth/export", headers={"Authorization": f"Bearer {token}"})
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(answer.headers["content-type"], "application/x-ndjson")
        self.assertIn("attachment", answer.headers["content-disposition"])
        return [json.loads(line) for line in answer.text.splitlines()]

    def test_A17_a_user_gets_everything_they_have_here_and_nothing_of_the_others(self):
        """A17.own"""
        who = post(self.server, "register", userName="exporter", password=PASSWORD, name="Ex Porter").json
        exporter, friend = self.person(token=who["accessToken"]), self.person("friend")
        file = upload(self.server, who["accessToken"], b"mine")
        sent = exporter.ask("chat.send", user=friend.user, body={"text": "my words"})
        friend.ask("chat.send", user=exporter.user, body={"text": "their words"})
        exporter.ask("chat.send", user=friend.user, kind="file", body={"file": file})
        exporter.ask("chat.read", conversation=sent["conversation"], number=2)
        exporter.ask("chat.create", title="club")
        exporter.ask("chat.block", user="somebody-bad")
        lines = self.export(who["accessToken"])
        by_type = {line["type"]: [one for one in lines if one["type"] == line["type"]] for line in lines}
        account = by_type["account"][0]
        self.assertEqual(
            (account["user"], account["userName"], account["name"]), (who["user"], "exporter", "Ex Porter"))
        self.assertEqual(len(by_type["devices"][0]["devices"]), 1)
        self.assertEqual(by_type["blocked"][0]["users"], ["somebody-bad"])
        conversations = {one["conversation"]: one for one in by_type["conversation"]}
        self.assertEqual(len(conversations), 2)
        direct = conversations[sent["conversation"]]
        self.assertEqual((direct["peer"], direct["read"], direct["delivered"]), (friend.user, 3, 3))
        entries = [one["entry"] for one in by_type["entry"]]
        self.assertEqual({entry["from"] for entry in entries}, {who["user"]})
        bodies = [entry["body"] for entry in entries if entry["type"] == "message"]
        self.assertEqual(bodies, [{"text": "my words"}, {"file": file}])
        self.assertNotIn("their words", json.dumps(lines))
        shown = by_type["file"][0]["file"]
        self.assertEqual(ask_http(self.server, "GET", shown["url"]).text, "mine")
        self.assertEqual(lines[-1], {"type": "end"})

    def test_A17_much_is_told_portion_by_portion_and_another_export_waits(self):
        """A17.bounded"""
        exporter = self.person("much")
        for number in range(200):
            exporter.send("chat.send", {"user": exporter.user, "body": {"text": "x" * 60_000}}, number=1000 + number)
        for number in range(200):
            exporter.answer(1000 + number)
        slow = socket.socket()
        self.addCleanup(slow.close)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(self.server.address)
        slow.sendall(f"GET /v1/auth/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {exporter.token}\r\n\r\n".encode())
        self.assertTrue(slow.recv(100).startswith(b"HTTP/1.1 200"))
        before = self.server.memory("VmRSS")
        headers = {"Authorization": f"Bearer {exporter.token}"}
        second = ask_http(self.server, "GET", "/v1/auth/export", headers=headers)
        self.assertEqual((second.status, second.json["code"]), (429, "rate_limited"))
        exporter.listen(0.5)
        self.assertLess(self.server.memory("VmRSS") - before, 8 << 20)
        slow.close()
        eventually(
            lambda: ask_http(self.server, "GET", "/v1/auth/export", headers=headers).status == 200, "a place for another")
        self.assertEqual(len([line for line in self.export(exporter.token) if line["type"] == "entry"]), 200)
        self.assertEqual(ask_http(self.server, "GET", "/v1/auth/export").status, 401)


class DeletionOverRestarts(unittest.TestCase):
    def test_A16_what_was_deleted_stays_deleted_and_what_was_interrupted_goes_on(self):
        """A16.restarted"""
        with Server(*VOUCHED, testing=False) as server:
            who = post(server, "register", userName="restarter", password=PASSWORD).json
            groups = []
            with Person(server, token=who["accessToken"]) as leaver, Person(server, "friend") as friend:
                token = friend.token
                friend.ask("chat.send", user=leaver.user, body={"text": "bring me along"})
                for number in range(25):
                    groups.append(leaver.ask("chat.create", title=f"g{number}", users=[friend.user])["conversation"])
                self.assertEqual(delete(server, who).status, 200)
            server.end()
            server.restart()
            with self.assertRaises(Refused) as refused:
                Person(server, token=who["accessToken"])
            self.assertEqual(refused.exception.code, "kicked")
            with Person(server, token=token) as friend:
                for group in groups:
                    def is_alone() -> bool:
                        return friend.ask("chat.conversation", conversation=group)["members"] == 1

                    eventually(is_alone, f"one member in {group}")


if __name__ == "__main__":
    unittest.main()
