import http.client
import json
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from people import Person
from screens import Screen
from server import PATIENCE, binary
from test_chat import Talk
from test_files import gif


class Commands(Talk):
    """`parley chat`, `parley send` and `parley history` beside people on their lines."""

    def parley(self, *words: str, to: str | None = None) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary(), *words], input=to, capture_output=True, text=True, timeout=30,
            stdin=None if to is not None else subprocess.DEVNULL)

    def as_user(self, person: Person) -> list[str]:
        host, port = self.server.address
        return ["--server", f"http://{host}:{port}", "--token", person.token]

    def test_D01_D04_send_says_something_once(self):
        a, b = self.person("A"), self.listener("B")
        for _ in range(2):
            answer = self.parley("send", f"@{b.user}", "你好", "--id", "m-1", *self.as_user(a))
            self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual([e["body"] for e in b.heard("chat.entry")], [{"text": "你好"}])
        conversation, number = answer.stdout.split()
        self.assertEqual(number, "1")
        self.parley("send", conversation, "-", *self.as_user(a), to="two\nlines\n")
        self.assertEqual(b.expect("chat.entry", number=2)["body"]["text"], "two\nlines")

    def test_E06_history_for_people_and_for_programs(self):
        a, b = self.listener("A"), self.listener("B")
        for number in range(30):
            self.say(a, f"line {number}\u001b[2J", user=b.user)
        answer = self.parley("history", f"@{a.user}", "--limit", "25", "--json", *self.as_user(b))
        entries = [json.loads(line) for line in answer.stdout.splitlines()]
        self.assertEqual([entry["number"] for entry in entries], list(range(6, 31)))
        text = self.parley("history", f"@{a.user}", *self.as_user(b)).stdout
        self.assertEqual(len(text.splitlines()), 20)
        self.assertNotIn("\u001b", text)

    def test_E06_a_conversation_is_found_behind_many_later_ones(self):
        a, b = self.listener("A"), self.listener("B")
        self.say(a, "long ago", user=b.user)
        self.say(b, "indeed", user=a.user)
        for number in range(25):
            place = a.ask("chat.create", users=[b.user], title=f"Group {number}")["conversation"]
            self.say(a, "x" * 60_000, conversation=place)
        # An answer ends long before all of these.
        answer = self.parley("history", f"@{a.user}", *self.as_user(b))
        self.assertIn("long ago", answer.stdout, answer.stderr)

    def test_A09_history_and_the_list_name_people(self):
        a, b = self.listener("Ann"), self.listener("B")
        self.say(a, "hello", user=b.user)
        self.assertIn("Ann: hello", self.parley("history", f"@{a.user}", *self.as_user(b)).stdout)
        self.assertIn(f"(1) Ann @{a.user}: hello", self.parley("chat", *self.as_user(b)).stdout)

    def test_E02_more_than_ninety_nine_unread_read_as_such(self):
        """E02.beyond"""
        a, b, c = self.listener("Ann"), self.listener("B"), self.listener("Carl")
        for number in range(99):
            self.say(a, str(number), user=b.user)
        self.assertIn(f"(99) Ann @{a.user}: 98", self.parley("chat", *self.as_user(b)).stdout)
        self.say(a, "one more", user=b.user)
        self.assertIn(f"(99+) Ann @{a.user}: one more", self.parley("chat", *self.as_user(b)).stdout)
        screen = self.screen("chat", f"@{c.user}", *self.as_user(b))
        screen.wait_for("— 99+ unread in 1 other conversation —")

    def test_whoever_writes_to_a_name_is_told_whose_it_is(self):
        a, b = self.person("Ann"), self.listener("B")
        screen = self.screen("send", "@Ann", "hi", *self.as_user(b))
        screen.wait_for(f"@{a.user} is called so")
        self.assertEqual(screen.process.wait(PATIENCE), 1, "nobody has the id Ann")
        self.assertEqual(a.heard("chat.entry"), [])

    def test_a_pipe_sends_every_line(self):
        a, b = self.person("A"), self.listener("B")
        answer = self.parley("chat", f"@{b.user}", *self.as_user(a), to="one\ntwo\nthree\n")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual([e["body"]["text"] for e in b.heard("chat.entry")], ["one", "two", "three"])
        listed = self.parley("chat", *self.as_user(b)).stdout
        self.assertIn(f"(3) A @{a.user}: three", listed)

    def test_G01_E10_E03_a_terminal_shows_history_then_what_comes(self):
        """E03.open"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "before", user=b.user)["conversation"]
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.wait_for("before")
        self.assertEqual(a.expect("chat.receipt", user=b.user, read=1)["read"], 1)
        self.say(a, "live", conversation=place)
        screen.wait_for("live")
        a.expect("chat.receipt", user=b.user, read=2)
        self.assertEqual(b.ask("chat.conversations")["badge"], 0, "an open conversation does not count")
        a.ask("chat.typing", conversation=place)
        screen.wait_for("typing")
        screen.type("answer")
        number = a.expect("chat.entry", type="message", **{"from": b.user})["number"]
        a.ask("chat.read", conversation=place, number=number)
        screen.wait_for("has read it")
        screen.type("/recall")
        a.expect("chat.entry", type="recalled")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(PATIENCE), 0)

    def test_D24_a_terminal_pins_and_lists(self):
        """D24.terminal"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "keep this", user=b.user)["conversation"]
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.wait_for("keep this")
        screen.type("/pin 1")
        self.assertEqual(a.expect("chat.entry", type="pinned")["target"], 1)
        screen.wait_for("pinned 1")
        screen.type("/pins")
        screen.wait_for("— 1 —")
        a.ask("chat.pin", conversation=place, number=1, on=False)
        screen.wait_for("unpinned 1")
        screen.type("/unpin 1")
        screen.wait_for("was not unpinned")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(PATIENCE), 0)

    def test_D03_D04_a_terminal_marks_what_is_kept_and_what_is_not_and_says_it_again_once(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("one")
        self.assertEqual(a.expect("chat.entry")["body"]["text"], "one")
        screen.wait_for("…")
        screen.wait_for("✓")
        a.ask("chat.block", user=b.user)
        screen.type("two")
        screen.wait_for("✗ not sent: blocked")
        a.ask("chat.block", user=b.user, on=False)
        screen.type("/again")
        first = a.expect("chat.entry", type="message")
        self.assertEqual(first["body"]["text"], "two")
        screen.type("/again")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(PATIENCE), 0)
        self.assertEqual(self.texts(self.everything(a, first["conversation"])), ["one", "two"])

    def test_D03_a_terminal_gives_up_after_twenty_seconds_without_an_answer(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("one")
        screen.wait_for("✓")
        self.server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(self.server.process.send_signal, signal.SIGCONT)
        began = time.monotonic()
        screen.type("two")
        screen.wait_for("✗ not sent: no answer came in time", within=PATIENCE + 10)
        self.assertGreaterEqual(time.monotonic() - began, 19.9)
        self.server.process.send_signal(signal.SIGCONT)
        screen.wait_for("kept after all")
        self.assertEqual(len(a.heard("chat.entry", type="message")), 2)

    def test_D20_E04_E13_a_terminal_names_who_speaks_once_and_counts_what_is_elsewhere(self):
        a, b, c = self.listener("Ann"), self.listener("B"), self.listener("Carl")
        team = self.group(a, b, c, title="Team")
        for text in ("one", "two"):
            self.say(a, text, conversation=team)
        self.say(c, "three", conversation=team)
        direct = self.say(c, "waiting", user=b.user)["conversation"]
        screen = self.screen("chat", team, *self.as_user(b))
        screen.wait_for("1 unread in 1 other conversation —")
        self.say(c, "four", conversation=team)
        screen.wait_for("four")
        said = screen.text
        self.assertRegex(said, r"\d\d Ann: one\r\n      two\r\n\d\d:\d\d Carl: three")
        self.assertRegex(said, r"      four\r\n")
        self.say(a, "more", user=b.user)
        screen.wait_for("2 unread in 2 other conversations —")
        a.ask("profile.change", name="Anna")
        screen.wait_for("Ann is called Anna now")
        self.say(a, "five", conversation=team)
        screen.wait_for("Anna: five")
        self.assertNotIn("waiting", screen.text)
        self.assertEqual(b.ask("chat.conversation", conversation=direct)["unread"], 1)

    def test_E12_a_terminal_shows_the_newest_25_and_what_was_before_when_it_is_asked_for(self):
        a, b = self.listener("A"), self.listener("B")
        for number in range(60):
            self.say(a, f"line {number}.", user=b.user)
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.wait_for("line 59.")
        self.assertIn("line 35.", screen.text)
        self.assertNotIn("line 34.", screen.text)
        screen.type("/older")
        screen.wait_for("line 34.")
        self.assertIn("line 15.", screen.text)

    def test_a_call_is_rung_from_another_terminal(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("/call")
        screen.wait_for(f"parley call @{a.user} --server http://")
        screen.wait_for("--token $TOKEN --play FILE")
        self.assertNotIn(b.token, screen.text)
        screen = self.screen("chat", self.group(a, b), *self.as_user(b))
        screen.type("/call")
        screen.wait_for("/call is for direct conversations")

    def test_D05_a_file_is_sent_as_what_it_is(self):
        a, b = self.listener("A"), self.listener("B")
        folder = self.enterContext(tempfile.TemporaryDirectory())
        picture, blob = gif(40, 30), os.urandom(2 << 20)
        for name, content in [("a b.gif", picture), ("blob", blob), ("nothing", b"")]:
            Path(folder, name).write_bytes(content)
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type(f"/file {folder}/not-there")
        screen.wait_for("not sent: cannot open")
        for name, kind, content in [("a b.gif", "image", picture), ("blob", "file", blob), ("nothing", "file", b"")]:
            screen.type(f"/file {folder}/{name}")
            body = a.expect("chat.entry", type="message", kind=kind)["body"]
            self.assertEqual(body["name"], name)
            self.assertEqual(self.content(a, body["file"]), content)
        screen.type("/quit")
        self.assertEqual(screen.process.wait(PATIENCE), 0)

    def content(self, person: Person, file: str) -> bytes:
        connection = http.client.HTTPConnection(*self.server.address, timeout=PATIENCE)
        connection.request("GET", f"/v1/files/{file}/content", headers={"Authorization": f"Bearer {person.token}"})
        content = connection.getresponse().read()
        connection.close()
        return content

    def test_the_list_says_how_long_is_kept_what_is_said(self):
        a, b = self.person("A"), self.listener("B")
        place = self.say(a, "for a while", user=b.user)["conversation"]
        self.assertNotIn("retentionDays", b.ask("chat.conversation", conversation=place))
        a.ask("chat.retention", conversation=place, days=30)
        self.assertEqual(b.ask("chat.conversation", conversation=place)["retentionDays"], 30)
        self.assertIn(f"@{a.user}, kept for 30 days: for a while", self.parley("chat", *self.as_user(b)).stdout)
        b.ask("chat.retention", conversation=place, on=False)
        self.assertNotIn("kept", self.parley("chat", *self.as_user(b)).stdout)

    def test_D15_what_is_not_known_here_is_said_to_be_so(self):
        """D15.hint"""
        a, b = self.listener("A"), self.listener("B")
        a.ask("chat.send", user=b.user, kind="hologram-9", body={"x": 1})
        text = self.parley("history", f"@{a.user}", *self.as_user(b)).stdout
        self.assertIn("[hologram-9: not supported here, please upgrade]", text)

    def screen(self, *words: str) -> "Screen":
        screen = Screen(words)
        self.addCleanup(screen.close)
        return screen

    def test_what_is_wrong_is_said(self):
        a = self.person("A")
        answer = self.parley("send", "nowhere", "x", *self.as_user(a))
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn("not_found", answer.stderr)
        answer = self.parley("send", "@x", "x", "--server", "http://127.0.0.1:1")
        self.assertEqual(answer.returncode, 69)


if __name__ == "__main__":
    unittest.main()
