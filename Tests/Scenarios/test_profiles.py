"""What people are called and what they look like, for themselves and for those who see them."""

import os
import sqlite3
import subprocess
import time
import unittest
import unittest.mock
from pathlib import Path

from people import APP, APP_SECRET, Person, post, vouch
from server import binary, eventually
from test_chat_http import Described
from test_chat_streams import Stream
from test_files import Files, form, gif
from wire import ask_http


class Profiles(Files, Described):
    def me(self, person: Person, **fields: str) -> dict:
        return self.http(person, "PATCH", "/v1/me", fields).json

    def user(self, person: Person, of: Person) -> dict:
        return self.http(person, "GET", f"/v1/users/{of.user}").json

    def status(self, target: str) -> int:
        return self.ask(None, "GET", target).status


class ProfileTests(Profiles):
    def test_A09_a_profile_is_changed_and_looked_up_by_rest_and_by_events(self):
        """A09.lookup"""
        a, b, nobody = self.person("Ann"), self.person("Bob"), self.person()
        self.assertEqual(self.http(a, "GET", "/v1/me").json, {"user": a.user, "name": "Ann"})
        self.assertEqual(self.me(a, name="  安 😀 "), {"user": a.user, "name": "安 😀"})
        self.assertEqual(b.ask("profile.of", user=a.user), {"user": a.user, "name": "安 😀"})
        self.assertEqual(a.ask("profile.change", name="Anna"), {"user": a.user, "name": "Anna"})
        self.assertEqual(self.user(b, a)["name"], "Anna")
        wanted = [b.user, "no-such-user", a.user]
        found = self.http(b, "POST", "/v1/profiles", {"users": wanted}).json["users"]
        self.assertEqual(found, [{"user": b.user, "name": "Bob"}, {"user": a.user, "name": "Anna"}])
        self.assertEqual(b.ask("profile.list", users=wanted)["users"], found)
        self.assertEqual(nobody.ask("profile.own"), {"user": nobody.user})
        self.assertEqual(a.error("profile.of", user="no-such-user"), "not_found")
        self.assertEqual(a.error("profile.list", users=["u"] * 101), "bad_request")
        self.assertEqual(self.http(a, "GET", "/v1/users/no-such-user").status, 404)
        self.assertEqual(self.me(a, name=""), {"user": a.user})

    def test_A09_names_that_pretend_or_do_not_end_are_refused(self):
        a = self.person("Ann")
        for name in (" ", "a\nb", "a\u0000", "\u202eevil", "x" * 65, "e" + "\u0301" * 600, "a\u2028b"):
            self.assertEqual(a.error("profile.change", name=name), "bad_request", name)
        for wrong in (7, ["Ann"], {"name": "Ann"}):
            self.assertEqual(a.error("profile.change", name=wrong), "bad_request")
        self.assertEqual(a.ask("profile.own")["name"], "Ann")

    def test_A09_lists_bring_the_names_and_pictures_of_those_in_them(self):
        """A09.lists"""
        a, b = self.listener("Ann"), self.listener("Bob")
        picture = self.me(b, avatar=self.bring(b, gif(40, 30)))["avatar"]
        direct = self.say(a, "hello", user=b.user)["conversation"]
        peer = self.http(a, "GET", f"/v1/conversations/{direct}").json["peer"]
        self.assertEqual((peer["user"], peer["name"], peer["avatar"]), (b.user, "Bob", picture))
        listed = self.http(a, "GET", "/v1/conversations").json["conversations"]
        self.assertEqual([view["peer"]["avatar"] for view in listed], [picture])
        members = self.http(a, "GET", f"/v1/conversations/{direct}/members").json["members"]
        self.assertEqual(
            {(m["user"], m["name"], m.get("avatar")) for m in members},
            {(a.user, "Ann", None), (b.user, "Bob", picture)})
        synced = a.ask("chat.sync", positions={direct: 0})["conversations"]
        self.assertEqual([view["peer"]["name"] for view in synced], ["Bob"])
        there = a.ask("presence.watch", users=[b.user])["users"]
        self.assertEqual(there, [{"user": b.user, "name": "Bob", "avatar": picture, "online": True}])
        b.ask("room.join", room="hall")
        self.assertEqual(a.ask("room.join", room="hall")["members"][0]["avatar"], picture)

    def test_A09_the_latest_word_counts_whoever_says_it(self):
        watcher = self.person("W")
        old = self.person("Old")
        avatar = old.ask("profile.change", name="Own", avatar=self.bring(old, gif(20, 20)))["avatar"]
        # The token is older than what was said since.
        self.assertEqual(self.device(old).welcome["name"], "Own")
        self.assertEqual(watcher.ask("profile.of", user=old.user)["name"], "Own")
        later = self.person(token=vouch(APP, APP_SECRET, old.user, "New", iat=int(time.time()) + 2))
        self.assertEqual(later.welcome["name"], "New")
        eventually(lambda: watcher.ask("profile.of", user=old.user)["name"] == "New", "what the application says")
        seen = [{"user": old.user, "name": "New", "avatar": avatar, "online": True}]
        self.server.shows(lambda: watcher.ask("presence.watch", users=[old.user])["users"] == seen, "the same where they are seen")

    def test_A09_an_application_says_what_its_users_are_called(self):
        a = self.person("A")
        for fields, shown in (
            ({"name": "First", "picture": "https://example.org/1.png"}, ("First", "https://example.org/1.png")),
            ({"name": "Second"}, ("Second", "https://example.org/1.png")),
            ({}, ("Second", "https://example.org/1.png")),
        ):
            answer = post(self.server, "token", application=APP, secret=APP_SECRET, user="vouched", **fields)
            self.assertEqual(answer.status, 200, answer.text)
            found = a.ask("profile.of", user="vouched")
            self.assertEqual((found["name"], found["avatar"]), shown)

    def test_A09_who_only_asks_over_http_is_known_by_name_too(self):
        looker, user = self.person("L"), "never-on-a-socket"
        self.assertEqual(looker.error("profile.of", user=user), "not_found")
        headers = {"Authorization": f"Bearer {vouch(APP, APP_SECRET, user, 'Quiet')}"}
        self.assertEqual(ask_http(self.server, "GET", "/v1/conversations", headers=headers).status, 200)
        eventually(lambda: looker.ask("profile.of", user=user).get("name") == "Quiet", "what its token says")

    def test_A10_a_new_picture_is_told_at_once_to_those_who_see_one(self):
        """A10.told"""
        a = self.listener("Ann")
        laptop = self.device(a)
        friend, watcher, roommate, stranger = (self.listener(name) for name in ("F", "W", "R", "S"))
        self.say(a, "hello", user=friend.user)
        watcher.ask("presence.watch", users=[a.user])
        for person in (a, roommate):
            person.ask("room.join", room="kitchen")
        avatar = self.me(a, avatar=self.bring(a, gif(900, 600)))["avatar"]
        for person in (a, laptop, friend, watcher, roommate):
            heard = person.heard("profile")
            self.assertEqual(heard, [{"user": a.user, "name": "Ann", "avatar": avatar}])
        self.assertEqual(stranger.heard("profile"), [])
        self.assertEqual(a.ask("profile.change", name="Ann")["avatar"], avatar)
        self.assertEqual(len(friend.heard("profile")), 1, "nothing is new")

    def test_A10_the_picture_is_there_for_whoever_knows_its_name_as_long_as_it_is_shown(self):
        a, b = self.person("Ann"), self.person("Bob")
        large, small = self.bring(a, gif(900, 600)), gif(40, 30)
        avatar = self.me(a, avatar=large)["avatar"]
        got = self.ask(None, "GET", avatar)
        self.assertEqual((got.status, got.headers["content-type"]), (200, "image/png"))
        self.assertEqual(int.from_bytes(got.body[16:20], "big"), 300)
        self.assertIn("sandbox", got.headers["content-security-policy"])
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{large}").status, 409)
        another = self.bring(a, small)
        self.assertEqual(self.status(f"/v1/avatars/{another}"), 404, "nobody shows it yet")
        self.assertEqual(self.ask(None, "GET", self.me(a, avatar=another)["avatar"]).body, small)
        self.assertEqual(self.status(avatar), 404)
        self.assertEqual(self.ask(a, "DELETE", f"/v1/files/{large}").status, 204)
        self.assertNotIn("avatar", self.me(a, avatar=""))
        self.assertEqual(self.status(f"/v1/avatars/{another}"), 404)
        self.assertNotIn("avatar", self.user(b, a))

    def test_A10_only_a_picture_of_ones_own_can_be_shown(self):
        a, b = self.person("Ann"), self.person("Bob")
        for file, code in (
            (self.bring(b, gif(20, 20)), "not_found"), ("A" * 20, "not_found"), ("../etc", "bad_request"),
            (self.bring(a, b"just text"), "bad_request"), (self.bring(a, gif(8, 8) + b"\0" * (10 << 20)), "bad_request"),
        ):
            self.assertEqual(a.error("profile.change", avatar=file), code, file)
        self.assertNotIn("avatar", a.ask("profile.own"))

    def test_A10_phones_of_another_kind_see_it_too(self):
        a = post(self.server, "register", userName="anna_1", password="g00d-p4ssphrase").json
        person = self.person(token=a["accessToken"])
        avatar = self.me(person, avatar=self.bring(person, gif(30, 30)), name="Anna")["avatar"]
        users = ask_http(self.server, "GET", "/allUsers").json["data"]["allUser"]
        shown = next(user for user in users if user["_id"] == person.user)
        self.assertEqual((shown["name"], shown["headImageUrl"], shown["nickname"]), ("anna_1", avatar, "Anna"))

    def test_A10_a_phone_of_another_kind_registers_with_a_picture(self):
        content, kind = form("me.gif", gif(20, 20), "image")
        path = ask_http(self.server, "POST", "/uploadFiles", content, {"Content-Type": kind}).json["data"]
        looker = self.person("L")
        for number, (given, shown) in enumerate(((path, path), ("https://tracker.example/x.gif", None), ("javascript:1", None))):
            fields = {"userName": f"phone_{number}", "password": "g00d-p4ssphrase", "headImageUrl": given}
            self.assertEqual(ask_http(self.server, "POST", "/register", fields).json["code"], 1)
            users = ask_http(self.server, "GET", "/allUsers").json["data"]["allUser"]
            user = next(user for user in users if user["name"] == f"phone_{number}")
            self.assertEqual(user.get("headImageUrl"), shown)
            self.assertEqual(looker.ask("profile.of", user=user["_id"]).get("avatar"), shown)
        self.assertEqual(self.status(f"/{path}"), 200)

    def test_A10_streams_of_events_tell_it_too(self):
        a, b = self.listener("Ann"), self.listener("Bob")
        self.say(a, "hello", user=b.user)
        with Stream(self.server, "/v1/events", b.token) as stream:
            self.assertEqual(stream.next()[1], "chat.sync")
            self.me(a, name="Anna")
            self.assertEqual(stream.next()[1:], ("profile", {"user": a.user, "name": "Anna"}))

    def test_profile_changes_of_one_user(self):
        a = self.person("Ann")
        for number in range(20):
            self.assertIsNone(a.error("profile.change", name=f"Ann {number}"))
        refused = a.ask("profile.change", name="Ann")["error"]
        self.assertEqual(refused["code"], "rate_limited")
        self.assertLessEqual(refused["retryAfter"], 1000)


class KeptPictures(Profiles):
    """In a data directory, whatever the others' servers keep things in."""

    @classmethod
    def setUpClass(cls) -> None:
        with unittest.mock.patch.dict(os.environ, STORE=""):
            super().setUpClass()

    def test_A10_what_is_kept_is_as_it_should_be(self):
        a = self.person("Ann")
        for _ in range(2):
            self.me(a, avatar=self.bring(a, gif(30, 20)))
        done = subprocess.run([binary(), "check", "--data", self.server.data], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.count("all is well")), (0, 1), done.stdout + done.stderr)
        with sqlite3.connect(Path(self.server.data, "parley.db")) as database:
            database.execute("DELETE FROM files WHERE id = (SELECT picture FROM users WHERE id = ?)", [a.user])
        done = subprocess.run([binary(), "check", "--data", self.server.data], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, f"the picture of user {a.user} is no file\n"))


if __name__ == "__main__":
    unittest.main()
