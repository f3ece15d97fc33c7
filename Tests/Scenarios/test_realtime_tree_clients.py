"""Unmodified clients of Firebase's Realtime Database, as they come from PyPI."""

import json
import os
import shutil
import tempfile
import threading
import time
import unittest
from pathlib import Path

import firebase_admin
import pyrebase
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from authority import certificate, pem
from firebase_admin import auth, credentials, db
from server import Server, eventually
from tree_client import Refused, TreeSocket, ask, ask_http, sign_up

RULES = """
{
    // Who signed in reads all rooms and writes as themselves.
    "rules": {
        "rooms": {
            ".read": "auth != null",
            "$room": {
                "messages": {
                    "$message": {
                        ".write": "auth.uid === newData.child('senderId').val() && !data.exists()",
                        ".validate": "newData.hasChildren(['senderId', 'text']) && newData.child('text').val().length <= 20"
                    },
                    ".indexOn": ["at"]
                }
            }
        },
        "admins": { ".read": "auth.token.admin === true" },
        "open": { ".read": true, ".write": true, "name": { ".validate": "newData.val().matches(/^[a-z]{1,5}$/i)" } }
    }
}
"""


def service_account(server_url: str) -> dict:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {
        "type": "service_account", "project_id": "parley", "private_key_id": "1", "private_key": pem.decode(),
        "client_email": "program@parley.example", "client_id": "1", "token_uri": f"{server_url}/token",
    }


class Program(unittest.TestCase):
    """A program with a service account, and rules for everybody else."""

    server: Server
    account: dict

    @classmethod
    def setUpClass(cls) -> None:
        folder = Path(tempfile.mkdtemp(prefix="parley-tree-"))
        cls.addClassCleanup(shutil.rmtree, folder, ignore_errors=True)
        cls.account = service_account("http://127.0.0.1")
        (folder / "account.json").write_text(json.dumps(cls.account))
        (folder / "rules.json").write_text(RULES)
        # Where it is not encrypted the SDK takes it for an emulator.
        key, found = certificate(["localhost"], (-1, 30))
        (folder / "cert.pem").write_bytes(found.public_bytes(serialization.Encoding.PEM))
        (folder / "key.pem").write_bytes(pem(key, found))
        os.environ["REQUESTS_CA_BUNDLE"] = str(folder / "cert.pem")
        cls.addClassCleanup(os.environ.pop, "REQUESTS_CA_BUNDLE")
        cls.server = Server(
            "--doors", "realtime-tree", "--tree-account", str(folder / "account.json"), "--tree-rules",
            str(folder / "rules.json"), "--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem"),
            testing=False)
        cls.server.trusted = str(folder / "cert.pem")
        cls.addClassCleanup(cls.server.__exit__)
        cls.server.wait_for_tree()
        cls.url = f"https://localhost:{cls.server.address[1]}"
        # As an operator writes it down once the address is known.
        cls.account["token_uri"] = f"{cls.url}/token"
        cls.app = firebase_admin.initialize_app(
            credentials.Certificate(cls.account), {"databaseURL": f"{cls.url}?ns=db", "projectId": "parley"})
        cls.addClassCleanup(firebase_admin.delete_app, cls.app)

    def setUp(self) -> None:
        db.reference("/").delete()

    def signed_in(self, uid: str, claims: dict | None = None) -> dict:
        """With a token that the program made for its user."""
        token = auth.create_custom_token(uid, claims).decode()
        answer = ask_http(
            self.server, "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=k",
            {"token": token, "returnSecureToken": True})
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json


class FirebaseAdmin(Program):
    def test_L08_the_admin_sdk_signs_in_with_a_key_of_ours_and_does_all_it_can(self):
        root = db.reference("/")
        root.child("a").set({"n": 1, "list": ["x", "y"]})
        self.assertEqual(root.child("a").get(), {"n": 1, "list": ["x", "y"]})
        self.assertEqual(root.child("a").get(shallow=True), {"n": True, "list": True})
        pushed = root.child("a/p").push({"k": 1})
        self.assertEqual(pushed.get(), {"k": 1})
        root.update({"a/n": 2, "b/c": None, "b/d": 5})
        self.assertEqual(root.child("b").get(), {"d": 5})
        value, tag = root.child("b/d").get(etag=True)
        self.assertEqual(root.child("b/d").get_if_changed(tag), (False, None, None))
        self.assertEqual(root.child("b/d").set_if_unchanged("wrong", 6)[0], False)
        self.assertEqual(root.child("b/d").set_if_unchanged(tag, 6)[:2], (True, 6))
        self.assertEqual(root.child("b/d").transaction(lambda old: old + 1), 7)
        root.child("b").delete()
        self.assertIsNone(root.child("b").get())

    def test_L04_the_admin_sdk_asks_in_every_order(self):
        place = db.reference("/dinos")
        place.set({"bruhat": {"height": 25}, "lambeo": {"height": 2.1}, "linhe": {"height": 0.6}, "zz": {"x": 1}})
        self.assertEqual(
            list(place.order_by_child("height").limit_to_last(2).get()), ["lambeo", "bruhat"])
        self.assertEqual(list(place.order_by_key().start_at("l").end_at("m").get()), ["lambeo", "linhe"])
        self.assertEqual(list(place.order_by_child("height").equal_to(25).get()), ["bruhat"])
        scores = db.reference("/scores")
        scores.set({"a": 3, "b": 1, "c": 2})
        self.assertEqual(list(scores.order_by_value().limit_to_first(2).get()), ["b", "c"])

    def test_L07_the_admin_sdk_hears_what_changes(self):
        events: list[tuple] = []
        listening = db.reference("/news").listen(lambda event: events.append((event.event_type, event.path, event.data)))
        eventually(lambda: events == [("put", "/", None)], "the first event")
        db.reference("/news/a").set(1)
        db.reference("/news").update({"b": 2, "c": 3})
        expected = [("put", "/", None), ("put", "/a", 1), ("patch", "/", {"b": 2, "c": 3})]
        eventually(lambda: events == expected, "each change")
        self.close(listening, "/news/end")

    def close(self, listening, path: str) -> None:
        """The SDK's own close waits for the next event."""
        closing = threading.Thread(target=listening.close)
        closing.start()
        db.reference(path).set(time.time())
        closing.join()

    def test_L08_programs_at_once_count_every_one(self):
        counter = db.reference("/count")
        threads = [
            threading.Thread(target=lambda: [counter.transaction(lambda old: (old or 0) + 1) for _ in range(5)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counter.get(), 20)

    def test_A06_a_program_vouches_for_its_users(self):
        user = self.signed_in("carol", {"admin": True})
        self.assertEqual(ask(self.server, "GET", f"/admins.json?auth={user['idToken']}", headers={}).status, 200)
        other = self.signed_in("dave")
        self.assertEqual(ask(self.server, "GET", f"/admins.json?auth={other['idToken']}", headers={}).status, 401)
        for token in ("", "a.b.c", auth.create_custom_token("eve").decode()[:-4] + "AAAA"):
            answer = ask_http(
                self.server, "POST", "/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken",
                {"token": token})
            self.assertEqual((answer.status, answer.json["error"]["message"]), (400, "INVALID_CUSTOM_TOKEN"))

    def test_the_admin_sdk_acts_as_somebody_else(self):
        app = firebase_admin.initialize_app(
            credentials.Certificate(self.account),
            {"databaseURL": self.url, "databaseAuthVariableOverride": {"uid": "carol"}}, name="override")
        self.addCleanup(firebase_admin.delete_app, app)
        db.reference("/rooms/r/messages/m1", app).set({"senderId": "carol", "text": "hi"})
        with self.assertRaises(firebase_admin.exceptions.UnauthenticatedError):
            db.reference("/rooms/r/messages/m2", app).set({"senderId": "dave", "text": "hi"})
        self.assertEqual(db.reference("/rooms/r/messages").get(), {"m1": {"senderId": "carol", "text": "hi"}})

    def test_who_has_another_key_gets_no_access(self):
        stranger = service_account(self.url)
        app = firebase_admin.initialize_app(
            credentials.Certificate(stranger), {"databaseURL": self.url}, name="stranger")
        self.addCleanup(firebase_admin.delete_app, app)
        with self.assertRaises(Exception) as refused:
            db.reference("/x", app).get()
        self.assertIn("invalid_grant", str(refused.exception))


class Rules(Program):
    def test_rules_say_who_reads_and_writes_what(self):
        carol, dave = self.signed_in("carol")["idToken"], self.signed_in("dave")["idToken"]

        def write(token: str, path: str, value, method: str = "PUT") -> int:
            return ask(self.server, method, f"{path}.json?auth={token}", value, headers={}).status

        message = {"senderId": "carol", "text": "hi"}
        self.assertEqual(write(carol, "/rooms/r/messages/m1", message), 200)
        for token, path, value in (
            (dave, "/rooms/r/messages/m2", message), (carol, "/rooms/r/messages/m1", message),
            (carol, "/rooms/r/messages/m3", {"senderId": "carol"}), (carol, "/rooms/r/messages/m3", message | {"text": "x" * 21}),
            (carol, "/rooms/r/messages", {"m4": message}), (carol, "/rooms/r/messages/m1", None), (carol, "/else", 1),
            (carol, "/open/name", "with space"), (carol, "/open", {"name": "toolong"}), (carol, "/open/name", 5),
        ):
            self.assertEqual(write(token, path, value), 401, (path, value))
        self.assertEqual(write(carol, "/open", {"name": "Fine", "x": 1}), 200)
        both = {"rooms/r/messages/m5": message, "rooms/r/messages/m6": message | {"senderId": "dave"}}
        self.assertEqual(write(carol, "/", both, "PATCH"), 401)
        self.assertIsNone(db.reference("/rooms/r/messages/m5").get())
        self.assertEqual(ask(self.server, "GET", "/rooms.json", headers={}).status, 401)
        self.assertEqual(ask(self.server, "GET", f"/rooms.json?auth={dave}", headers={}).json, {"r": {"messages": {"m1": message}}})
        self.assertEqual(ask(self.server, "GET", f"/.json?auth={dave}", headers={}).status, 401)
        self.assertEqual(ask(self.server, "GET", "/open/x.json", headers={}).json, 1)

    def test_a_session_that_signs_out_loses_what_it_may_no_longer_hear(self):
        socket = TreeSocket(self.server, credential=self.signed_in("carol")["idToken"])
        self.addCleanup(socket.close)
        self.assertIsNone(socket.listen("/rooms"))
        with self.assertRaises(Refused):
            socket.ask("q", p="/", h="")
        socket.ask("unauth")
        self.assertEqual(socket.push()[:2], ("c", "rooms"))
        db.reference("/rooms/x").set(1)
        with self.assertRaises(Refused):
            socket.ask("g", p="/rooms", q={})
        self.assertFalse(socket.pushed)

    def test_a_user_who_is_banned_is_told_and_shut_out(self):
        user = sign_up(self.server)
        socket = TreeSocket(self.server, credential=user["idToken"])
        self.addCleanup(socket.close)
        socket.listen("/rooms")
        self.server.ask_admin("POST", f"/v1/users/{user['localId']}/ban?seconds=60")
        self.assertEqual(socket.push()[0], "ac")
        with self.assertRaises(Refused):
            socket.ask("auth", cred=user["idToken"])

    def test_rules_that_are_none_keep_the_server_from_starting(self):
        import subprocess

        from server import binary

        for rules, words in (
            ("{", "no JSON"), ('{"rules": {"a": {".read": "auth.uid =="}}}', "a/.read"),
            ('{"rules": {"a": {".write": "$b == 1"}}}', "'$b' is not known here"),
            ('{"rules": {"a": {".red": true}}}', "no rule of this name"), ('{"rules": {".read": "newData.exists()"}}', "newData"),
            ('{"rules": {".read": "data.val().matches(/(/)"}}', "bracket"),
        ):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(rules)
                file.flush()
                done = subprocess.run(
                    [binary(), "serve", "--tree-rules", file.name], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 64, rules)
            self.assertIn(words, done.stderr)


class Pyrebase(Program):
    def test_L08_pyrebase_reads_writes_asks_and_listens(self):
        token = self.signed_in("carol")["idToken"]
        program = pyrebase.initialize_app({
            "apiKey": "k", "authDomain": "parley.example", "databaseURL": self.url, "storageBucket": "none"})
        database = program.database()
        database.child("open").child("a").set({"n": 1}, token)
        database.child("open").child("a").update({"m": 2}, token)
        name = database.child("open").child("list").push("x", token)["name"]
        self.assertEqual(database.child("open").get(token).val(), {"a": {"n": 1, "m": 2}, "list": {name: "x"}})
        database.child("open").child("t").set({"u": True, "v": False}, token)
        typing = database.child("open").child("t").order_by_value().equal_to(True).get(token)
        self.assertEqual([item.key() for item in typing.each()], ["u"])
        last = database.child("open").child("t").order_by_key().limit_to_last(1).get(token)
        self.assertEqual(dict(last.val()), {"v": False})
        heard: list[tuple] = []
        stream = database.child("open").child("s").stream(lambda event: heard.append((event["path"], event["data"])), token)
        eventually(lambda: heard == [("/", None)], "the first event")
        database.child("open").child("s").child("k").set("told", token)
        eventually(lambda: heard == [("/", None), ("/k", "told")], "what was set")
        # Its own close waits for the next event.
        closing = threading.Thread(target=stream.close)
        closing.start()
        database.child("open").child("s").child("k").remove(token)
        closing.join()
        with self.assertRaises(Exception):
            database.child("rooms").get()


if __name__ == "__main__":
    unittest.main()
