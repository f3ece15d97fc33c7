"""Who may come into rooms: by a password, by invitation, and by what an operator says."""

import contextlib
import os
import signal
import subprocess
import time

from house import House
from people import APP, APP_SECRET, Person, vouch
from server import TIMEOUT, binary
from test_moderation import ask_admin, run


class RoomAccess(House):
    def people(self, *names: str) -> list[Person]:
        return [self.person(name) for name in names]

    def join(self, person: Person, room: str, **key) -> str:
        """The room's `access`, or why it is not entered."""
        answer = person.ask("room.join", {"room": room} | key)
        return answer["error"]["code"] if "error" in answer else answer.get("access", "open")

    def test_F13_a_password_is_set_by_who_opens_the_room_and_shown_by_who_comes(self):
        """F13.password"""
        a, b = self.people("A", "B")
        self.assertEqual(self.join(a, "vault", password="sesame"), "password")
        refused = b.ask("room.join", room="vault")["error"]
        self.assertEqual(refused["code"], "password_required")
        self.assertEqual(self.join(b, "vault", password="sesam"), "wrong_password")
        self.assertEqual(self.join(b, "vault", byInvitation=True), "password_required")
        self.assertEqual(b.error("room.members", room="vault"), "not_member")
        self.assertEqual(b.error("signal", room="vault", data=1), "not_member")
        self.assertEqual(a.heard("room.joined"), [])
        self.assertEqual(self.join(b, "vault", password="sesame"), "password")
        b.ask("room.leave", room="vault")
        self.assertEqual(self.join(b, "vault"), "password_required")
        a.ask("room.leave", room="vault")
        self.assertEqual(self.join(b, "vault", password="another"), "password", "it went with its last member")
        a.ask("room.leave", room="vault")
        self.assertEqual(self.join(a, "vault", password="sesame"), "wrong_password")
        self.assertEqual(self.join(a, "plain"), "open")
        self.assertEqual(self.join(b, "plain", password="anything"), "open")

    def test_F13_who_sits_there_already_is_not_asked(self):
        """F13.password"""
        a, b = self.people("A", "B")
        self.join(a, "seat", password="sesame")
        self.join(b, "seat", password="sesame")
        self.assertEqual(self.join(b, "seat"), "password")
        other = self.device(b)
        self.assertEqual(self.join(other, "seat"), "password_required")
        self.assertEqual(self.join(other, "seat", replaces=a.member), "password_required", "that seat is another's")
        self.assertEqual(self.join(other, "seat", replaces=b.member), "password")
        self.assertEqual(b.expect("room.dismissed")["reason"], "replaced")
        a.ask("room.leave", room="seat")
        self.assertEqual(self.join(a, "seat"), "password", "who opened it comes back")

    def test_the_limit_of_a_rooms_password(self):
        """A room's password: 128 bytes, then bad_request."""
        a, b = self.people("A", "B")
        self.assertEqual(self.join(a, "long", password="x" * 129), "bad_request")
        self.assertEqual(self.join(a, "long", password=""), "bad_request")
        self.assertEqual(self.join(a, "long", password=7), "bad_request")
        self.assertEqual(self.join(a, "long", password="x", byInvitation=True), "bad_request")
        self.assertEqual(self.join(a, "long", password="é" * 64), "password")
        self.assertEqual(self.join(b, "long", password="é" * 64), "password")

    def test_F13_guesses_wait_but_keep_nobody_out_who_knows(self):
        """F13.guesses: wrong passwords of one user, in all rooms; wrong passwords at one room"""
        owner, guesser, friend = self.people("owner", "guesser", "friend")
        self.join(owner, "guessed", password="sesame")
        for number in range(5):
            self.assertEqual(self.join(guesser, "guessed", password=str(number)), "wrong_password")
        refused = guesser.ask("room.join", room="guessed", password="sesame")["error"]
        self.assertEqual(refused["code"], "rate_limited")
        self.assertTrue(0 < refused["retryAfter"] <= 2000, refused)
        self.assertEqual(self.join(guesser, "own", password="x"), "password")
        self.assertEqual(self.join(self.device(guesser), "guessed", password="x"), "rate_limited", "the user waits")
        for _ in range(11):
            other = self.person("other")
            for number in range(5):
                self.assertEqual(self.join(other, "guessed", password=str(number)), "wrong_password")
            other.link.close()
        late = self.person("late")
        self.assertEqual(self.join(late, "guessed", password="first"), "wrong_password")
        self.assertEqual(self.join(late, "guessed", password="second"), "rate_limited")
        self.assertEqual(self.join(friend, "guessed", password="sesame"), "password")

    def test_F13_by_invitation_come_those_whom_a_member_admits(self):
        """F13.invitation"""
        a, b, c = self.people("A", "B", "C")
        self.assertEqual(self.join(a, "private", byInvitation=True), "invitation")
        self.assertEqual(self.join(b, "private"), "invitation_required")
        self.assertEqual(self.join(b, "private", password="x"), "invitation_required")
        self.assertEqual(b.ask("room.knock", room="private"), {})
        self.assertEqual(a.expect("room.knocked"), {"room": "private", "user": b.user, "name": "B"})
        self.assertEqual(self.join(b, "private"), "invitation_required")
        self.assertEqual(c.error("room.admit", room="private", user=b.user), "not_member")
        phone = self.device(b)
        self.assertEqual(a.ask("room.admit", room="private", user=b.user), {})
        for line in (b, phone):
            self.assertEqual(line.expect("room.admitted"), {"room": "private"})
        self.assertEqual(self.join(b, "private"), "invitation")
        self.assertEqual(b.ask("room.admit", room="private", user=c.user), {})
        self.assertEqual(c.heard("room.admitted"), [], "who did not ask is not told")
        self.assertEqual(self.join(c, "private"), "invitation")
        self.assertEqual(c.ask("room.knock", room="private"), {})
        c.expect("room.admitted")
        self.assertEqual(a.heard("room.knocked"), [])

    def test_F13_asking_to_be_let_in_is_bounded(self):
        """Asking one room to be let in: once in 30 s of one user."""
        a, b = self.people("A", "B")
        self.assertEqual(b.error("room.knock", room="nowhere"), "not_found")
        self.join(a, "anybody")
        self.assertEqual(b.error("room.knock", room="anybody"), "conflict")
        self.join(a, "knocks", byInvitation=True)
        b.ask("room.knock", room="knocks")
        refused = b.ask("room.knock", room="knocks")["error"]
        self.assertEqual(refused["code"], "rate_limited")
        self.assertTrue(25_000 < refused["retryAfter"] <= 30_000, refused)
        self.assertEqual(len(a.heard("room.knocked")), 1)

    def test_F13_who_was_sent_away_is_no_longer_admitted(self):
        """F13.invitation"""
        a, b = self.people("A", "B")
        self.join(a, "sent", byInvitation=True)
        a.ask("room.admit", room="sent", user=b.user)
        self.join(b, "sent")
        ask_admin(self.server, "POST", f"/v1/users/{b.user}/kick")
        self.assertEqual(a.expect("room.left")["reason"], "removed")
        with contextlib.suppress(Exception):
            b.link.close()
        time.sleep(1)  # A token of the second in which the user was sent away is refused.
        again = self.person(token=vouch(APP, APP_SECRET, b.user))
        self.assertEqual(self.join(again, "sent"), "invitation_required")

    def test_F13_an_operator_says_who_may_come_in(self):
        """F13.operator"""
        a, b = self.people("A", "B")
        self.join(a, "lesson")
        self.assertEqual(run(self.server, "rooms", "protect", "lesson", "--by-invitation").returncode, 0)
        self.assertEqual(self.join(b, "lesson"), "invitation_required")
        rooms = ask_admin(self.server, "GET", "/v1/rooms").json["rooms"]
        self.assertIn({"room": "lesson", "members": 1, "access": "invitation"}, rooms)
        answer = ask_admin(self.server, "PUT", "/v1/rooms/lesson/access", {"password": "chalk"})
        self.assertEqual((answer.status, answer.json), (200, {}))
        self.assertEqual(self.join(b, "lesson", password="chalk"), "password")
        self.assertEqual(run(self.server, "rooms", "open", "lesson").returncode, 0)
        b.ask("room.leave", room="lesson")
        self.assertEqual(self.join(b, "lesson"), "open")
        self.assertEqual(ask_admin(self.server, "PUT", "/v1/rooms/nowhere/access", {"password": "x"}).status, 404)
        self.assertEqual(
            ask_admin(self.server, "PUT", "/v1/rooms/lesson/access", {"password": "x", "byInvitation": True}).status, 400)
        self.assertEqual(ask_admin(self.server, "PUT", "/v1/rooms/lesson/access", {"password": 1}).status, 400)
        records = [one for one in ask_admin(self.server, "GET", "/v1/audit").json["records"] if one["target"] == "lesson"]
        self.assertEqual(
            [(one["action"], one["detail"]) for one in records][:3],
            [("room.protect", "access=invitation"), ("room.protect", "access=password"), ("room.protect", "access=open")])
        self.assertNotIn("chalk", str(records))
        self.assertEqual(run(self.server, "rooms", "protect", "lesson").returncode, 64)

    def test_F18_the_host_sends_somebody_away_who_may_come_again_or_not(self):
        """F18.host"""
        a, b, c = self.people("A", "B", "C")
        view = a.ask("room.join", room="stage")
        self.assertEqual(view["host"], a.user)
        self.assertEqual(b.ask("room.join", room="stage")["host"], a.user)
        self.join(c, "stage")
        self.assertEqual(b.error("room.remove", room="stage", user=c.user), "forbidden")
        self.assertEqual(a.error("room.remove", room="stage", user=a.user), "forbidden")
        self.assertEqual(a.error("room.remove", room="stage", user="nobody"), "not_found")
        self.assertEqual(a.ask("room.remove", room="stage", user=b.user), {})
        self.assertEqual(b.expect("room.dismissed")["reason"], "removed")
        self.assertEqual(c.expect("room.left")["reason"], "removed")
        self.assertEqual(b.error("signal", room="stage", data=1), "not_member")
        self.assertEqual(self.join(b, "stage"), "open", "sent away once")
        a.ask("room.remove", room="stage", user=b.user, ban=True)
        b.expect("room.dismissed")
        self.assertEqual(self.join(b, "stage"), "banned")
        self.assertEqual(self.join(self.device(b), "stage"), "banned", "on each device")
        self.assertEqual(b.error("room.knock", room="stage"), "banned")
        self.assertEqual(c.error("room.admit", room="stage", user=b.user), "forbidden", "the host said no")
        a.ask("room.admit", room="stage", user=b.user)
        self.assertEqual(self.join(b, "stage"), "open")

    def test_F18_who_has_been_there_for_longest_leads_when_the_host_has_gone(self):
        """F18.next"""
        a, b, c = self.people("A", "B", "C")
        for person in (a, b, c):
            self.join(person, "relay")
        a.ask("room.leave", room="relay")
        self.assertEqual([person.expect("room.host")["user"] for person in (b, c)], [b.user, b.user])
        self.assertEqual(c.ask("room.members", room="relay")["host"], b.user)
        self.assertEqual(c.error("room.remove", room="relay", user=b.user), "forbidden")
        self.assertEqual(b.ask("room.remove", room="relay", user=c.user), {})

    def test_F18_an_operator_sends_anybody_away(self):
        """F18.operator"""
        a, b = self.people("A", "B")
        self.join(a, "hall")
        self.join(b, "hall")
        self.assertEqual(run(self.server, "rooms", "kick", "hall", a.user).returncode, 0)
        self.assertEqual(a.expect("room.dismissed")["reason"], "removed")
        self.assertEqual(b.expect("room.host")["user"], b.user)
        self.assertEqual(self.join(a, "hall"), "open")
        self.assertEqual(run(self.server, "rooms", "ban", "hall", a.user).returncode, 0)
        self.assertEqual(self.join(a, "hall"), "banned")
        self.assertEqual(ask_admin(self.server, "DELETE", f"/v1/rooms/nowhere/users/{a.user}").status, 404)
        self.assertEqual(ask_admin(self.server, "DELETE", f"/v1/rooms/hall/users/{a.user}?ban=perhaps").status, 400)
        self.assertEqual(run(self.server, "rooms", "ban", "hall").returncode, 64)
        records = [one for one in ask_admin(self.server, "GET", "/v1/audit").json["records"] if one["target"] == "hall"]
        self.assertEqual(
            [(one["action"], one["detail"]) for one in records][:2],
            [("room.remove", f"user={a.user} ban=false"), ("room.remove", f"user={a.user} ban=true")])

    def parley(self, *arguments: str, **environment: str) -> subprocess.Popen:
        command, *rest = arguments
        process = subprocess.Popen(
            [binary(), command, "--server", "http://{}:{}".format(*self.server.address), *rest], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=os.environ | environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, TIMEOUT)
        self.addCleanup(process.kill)
        return process

    def test_F13_the_terminal_shows_a_password_and_asks_to_be_let_in(self):
        """F13.terminal"""
        a = self.person("A")
        self.join(a, "bots", password="sesame")
        refused = self.parley("call", "bots", "--room-password", "wrong", "--duration", "1s")
        output, _ = refused.communicate(timeout=TIMEOUT)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("password", output)
        self.parley("answer", "--room", "bots", "--echo", PARLEY_ROOM_PASSWORD="sesame")
        a.expect("room.joined")
        self.join(a, "club", byInvitation=True)
        guest = self.parley("call", "club", "--name", "Guest", "--duration", "1s")
        knock = a.expect("room.knocked", name="Guest")
        a.ask("room.admit", room="club", user=knock["user"])
        a.expect("room.joined", user=knock["user"])
        guest.communicate(timeout=TIMEOUT)
        opener = self.parley("answer", "--room", "den", "--echo", "--room-password", "lair")
        for _ in range(100):
            if "den" in str(ask_admin(self.server, "GET", "/v1/rooms").json):
                break
            a.listen(0.1)
        self.assertEqual(self.join(a, "den"), "password_required")
        opener.send_signal(signal.SIGTERM)
