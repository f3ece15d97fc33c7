"""Accounts and groups from a terminal."""

import subprocess
import unittest

from callers import AtHome
from screens import Screen
from server import TIMEOUT, binary
from wire import ask_http

PASSWORD = "g00d-p4ssphrase"


class Accounts(AtHome):
    def parley(self, *words: str, to: str = "") -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(binary()), *words, *self.home.server], input=to, capture_output=True, text=True, timeout=TIMEOUT,
            env=self.home.environment)

    def done(self, *words: str, to: str = "") -> str:
        done = self.parley(*words, to=to)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_O07_an_account_is_made_and_signed_in_to_and_found_while_it_is_away(self):
        """O07.register O07.login"""
        self.assertEqual(
            self.done("register", "alice", to=f"{PASSWORD}\n"), "Signed in as alice. Use --as alice from now on.\n")
        self.done("register", "bobby", "--name", "Bob", to=f"{PASSWORD}\n")
        self.done("send", "@alice", "while you are away", "--as", "bobby")
        self.assertIn("(1) Bob @", self.done("chat", "--as", "alice"))
        # Somewhere else, with the password.
        self.home.environment["XDG_CONFIG_HOME"] += "/elsewhere"
        self.assertEqual(self.done("login", "alice", to=f"{PASSWORD}\n").split()[:3], ["Signed", "in", "as"])
        self.assertIn("while you are away", self.done("chat", "--as", "alice"))
        for words, secret, complaint in (
            (("login", "alice"), "wrong", "(unauthorized)"), (("register", "alice"), PASSWORD, "this user name is taken"),
            (("register", "carol"), "short", "password"), (("register", "carol"), "", "no password was given"),
            (("register", "x"), PASSWORD, "4 to 15 letters"),
        ):
            with self.subTest(words):
                done = self.parley(*words, to=f"{secret}\n")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(complaint, done.stderr)

    def test_O07_nobody_takes_the_place_of_an_account_that_is_signed_out(self):
        """O07.login"""
        self.done("register", "alice", to=f"{PASSWORD}\n")
        admin = "{}:{}".format(*self.server.admin)
        login = ask_http(self.server, "POST", "/v1/auth/login", {"userName": "alice", "password": PASSWORD}).json
        user = login["user"]
        subprocess.run([binary(), "users", "kick", user, "--admin", admin], check=True, capture_output=True)
        done = self.parley("chat", "--as", "alice")
        self.assertIn("alice is signed out; sign in again with 'parley login alice'", done.stderr)

    def test_O07_a_password_is_asked_for_twice_and_does_not_show(self):
        """O07.register"""
        for again, outcome in ((PASSWORD + "x", "the two passwords differ"), (PASSWORD, "Signed in as alice.")):
            screen = Screen(("register", "alice", *self.home.server), env=self.home.environment)
            self.addCleanup(screen.close)
            screen.wait_for("Password: ")
            screen.type(PASSWORD)
            screen.wait_for("Once more: ")
            screen.type(again)
            screen.wait_for(outcome)
            self.assertNotIn(PASSWORD, screen.text)
            screen.process.wait(TIMEOUT)

    def test_O09_a_group_is_made_joined_by_others_and_left(self):
        """O09.create O09.add O09.leave"""
        for name in ("alice", "bobby", "carol"):
            self.done("register", name, to=f"{PASSWORD}\n")
        group = self.done("group", "create", "Build team", "@bobby", "--id", "team", "--as", "alice").strip()
        self.assertEqual(group, "team")
        self.done("send", "team", "The build is green", "--as", "bobby")
        self.assertNotEqual(self.parley("send", "team", "x", "--as", "carol").returncode, 0)
        self.done("group", "add", "team", "@carol", "--as", "alice")
        history = self.done("history", "team", "--as", "carol")
        self.assertIn("alice added carol", history)
        self.done("group", "leave", "team", "--as", "carol")
        self.assertIn("carol left", self.done("history", "team", "--as", "alice"))
        done = self.parley("group", "add", "team", "@nobody", "--as", "alice")
        self.assertIn("nobody is called nobody", done.stderr)
        self.assertEqual(self.parley("group", "leave", "team").returncode, 64)


if __name__ == "__main__":
    unittest.main()
