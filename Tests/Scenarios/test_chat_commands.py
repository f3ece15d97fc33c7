import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
import wave
from pathlib import Path

from people import APP, APP_SECRET, Person
from pitch import tone
from screens import Screen
from server import TIMEOUT, binary
from talk import Talk
from test_files import gif
from wire import ask_http


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

    def test_O04_a_person_is_meant_by_id_by_registered_name_or_by_name_in_every_command(self):
        token = ask_http(self.server, "POST", "/v1/auth/anonymous", {"name": "Ann B"}).json["accessToken"]
        a, b = self.person(token=token), self.listener("B")
        a.ask("chat.sync")
        form = {"userName": "annette", "password": "g00d-p4ssphrase"}
        registered = ask_http(self.server, "POST", "/v1/auth/register", form).json["user"]
        for name in (a.user, "Ann B"):
            answer = self.parley("send", f"@{name}", f"to {name}", *self.as_user(b))
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(a.expect("chat.entry")["body"], {"text": f"to {name}"})
            self.assertIn(f"to {name}", self.parley("history", f"@{name}", *self.as_user(b)).stdout)
        self.assertEqual(self.parley("chat", "@annette", *self.as_user(b), to="while you are away\n").returncode, 0)
        self.assertEqual(self.parley("history", "@annette", *self.as_user(b)).stdout.count("away"), 1)
        self.assertEqual(b.ask("chat.conversations")["conversations"][0]["peer"]["user"], registered)
        a.link.close()  # whom one has talked with is known by name
        self.assertEqual(self.parley("send", "@Ann B", "later", *self.as_user(b)).returncode, 0)

    def test_O04_a_message_to_nobody_or_to_one_of_several_is_refused_with_the_names(self):
        a, b = self.listener("Ann"), self.listener("B")
        for words in (("send", "@nobody", "hi"), ("chat", "@nobody"), ("history", "@nobody")):
            answer = self.parley(*words, *self.as_user(b), to="hi\n")
            self.assertEqual(answer.returncode, 1)
            self.assertIn("nobody is called nobody; online are @Ann", answer.stderr)
        call = self.parley("call", "@nobody", *self.as_user(b))
        self.assertEqual(call.returncode, 13)
        self.assertIn("nobody is called nobody; online are @Ann", call.stderr)
        self.assertEqual(b.ask("chat.conversations")["conversations"], [])
        other = self.listener("Ann")
        answer = self.parley("send", "@Ann", "hi", *self.as_user(b))
        self.assertEqual(answer.returncode, 1)
        self.assertIn("several people are called Ann; say which one: ", answer.stderr)
        for person in (a, other):
            self.assertIn(f"@{person.user}", answer.stderr)

    def test_O04_messages_to_users_nobody_knows_are_refused_over_every_interface(self):
        a, headers = self.listener("A"), {"Authorization": f"Bearer {self.listener('B').token}"}
        self.assertEqual(a.error("chat.send", user="nobody-at-all", body={"text": "x"}), "not_found")
        self.assertEqual(a.error("chat.create", users=["nobody-at-all"]), "not_found")
        group = a.ask("chat.create", users=[])["conversation"]
        self.assertEqual(a.error("chat.invite", conversation=group, users=["nobody-at-all"]), "not_found")
        answer = ask_http(self.server, "POST", "/v1/users/nobody-at-all/messages", {"body": {"text": "x"}}, headers)
        self.assertEqual((answer.status, answer.json["code"]), (404, "not_found"))
        # An application that writes for its users says first that they are there.
        user = f"later-{a.user}"
        vouching = {"application": APP, "secret": APP_SECRET, "user": user}
        self.assertEqual(ask_http(self.server, "POST", "/v1/auth/token", vouching).status, 200)
        self.assertIsNone(a.error("chat.send", user=user, body={"text": "welcome"}))

    def test_O05_times_are_those_of_the_place_and_other_days_have_a_date(self):
        a, b = self.listener("A"), self.listener("B")
        self.say(a, "when", user=b.user)
        now = time.time()
        for zone, hours in (("Asia/Shanghai", 8), ("UTC", 0), ("America/Phoenix", -7)):
            answer = subprocess.run(
                [binary(), "history", f"@{a.user}", *self.as_user(b)], capture_output=True, text=True, timeout=30,
                env={**os.environ, "TZ": zone})
            local = [time.strftime("%H:%M", time.gmtime(now + hours * 3600 - late)) for late in (0, 60)]
            self.assertIn(answer.stdout[:5], local, zone)

    def test_O06_a_word_with_a_slash_is_a_command_and_never_sent_by_mistake(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("/helpp me")
        screen.wait_for("/helpp is not a command and was not sent; /help lists the commands, //helpp sends it as text")
        screen.type("/help")
        screen.wait_for("send a text that begins with /")
        screen.type("//usr/bin")
        self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], "/usr/bin")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

    def test_O13_the_line_being_typed_is_drawn_again_when_a_message_comes(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        self.say(a, "before", user=b.user)
        screen.wait_for("before")
        screen.press("I am typing 你好 a long")
        screen.wait_for("a long")
        screen.text = ""
        self.say(a, "interrupting", user=b.user)
        screen.wait_for("interrupting")
        screen.wait_for("I am typing 你好 a long")
        # What was typed may be drawn once more before that.
        self.assertRegex(screen.text, r"(^|a long)\r\x1b\[K(\d\d:\d\d A:|     ) interrupting\r\nI am typing 你好 a long$")
        screen.press("\x17short\x1b[D\x1b[D\x7f\n")
        self.assertEqual(a.expect("chat.entry", type="message", **{"from": b.user})["body"]["text"], "I am typing 你好 a shrt")
        screen.press("half a line\x15\x04")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

    def test_O08_who_sends_says_who_they_are(self):
        answer = self.parley("send", "@x", "hi", "--server", "http://127.0.0.1:1")
        self.assertEqual(answer.returncode, 64)
        self.assertIn("--as NAME or --token TOKEN", answer.stderr)

    def test_O10_empty_lists_and_empty_messages_say_so(self):
        a, b = self.listener("A"), self.listener("B")
        self.assertIn("No conversations yet.", self.parley("chat", *self.as_user(a)).stdout)
        self.assertIn("No messages yet.", self.parley("history", f"@{b.user}", *self.as_user(a)).stderr)
        for words in (("send", f"@{b.user}", "-"), ("chat", f"@{b.user}")):
            answer = self.parley(*words, *self.as_user(a), to="")
            self.assertEqual(answer.returncode, 66)
            self.assertIn("nothing was sent", answer.stderr)
        answer = self.parley("history", "nowhere", *self.as_user(a))
        self.assertIn("there is no such conversation, or you are not in it (not_member)", answer.stderr)

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
        screen.wait_for("read by A")
        screen.type("/recall")
        a.expect("chat.entry", type="recalled")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

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
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

    def test_D03_D04_a_terminal_marks_what_is_kept_and_what_is_not_and_says_it_again_once(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("one")
        self.assertEqual(a.expect("chat.entry")["body"]["text"], "one")
        screen.wait_for("…")
        screen.wait_for("✓")
        a.ask("chat.block", user=b.user)
        screen.type("two")
        screen.wait_for("(blocked)")
        a.ask("chat.block", user=b.user, on=False)
        screen.type("/again")
        first = a.expect("chat.entry", type="message")
        self.assertEqual(first["body"]["text"], "two")
        screen.type("/again")
        screen.type("/quit")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)
        self.assertEqual(self.texts(self.everything(a, first["conversation"])), ["one", "two"])

    def test_D03_a_terminal_gives_up_after_twenty_seconds_without_an_answer(self):
        a, b = self.listener("A"), self.listener("B")
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type("one")
        screen.wait_for("✓")
        self.server.tell(signal.SIGSTOP)
        self.addCleanup(self.server.tell, signal.SIGCONT)
        began = time.monotonic()
        screen.type("two")
        screen.wait_for("✗ not sent: no answer came in time", within=TIMEOUT + 10)
        self.assertGreaterEqual(time.monotonic() - began, 19.9)
        self.server.tell(signal.SIGCONT)
        screen.wait_for("sent after all")
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
        screen.wait_for("--token $TOKEN")
        self.assertNotIn(b.token, screen.text)
        screen = self.screen("chat", self.group(a, b), *self.as_user(b))
        screen.type("/call")
        screen.wait_for("/call is for conversations between two")

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
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

    def test_K04_a_recording_says_how_long_it_is_and_what_it_looks_like(self):
        """K04.length"""
        a, b = self.listener("A"), self.listener("B")
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with wave.open(f"{folder}/note.wav", "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(tone(440, 0, 48_000) + bytes(2 * 48_000))
        subprocess.run([binary(), "voice", "encode", f"{folder}/note.wav", "-o", f"{folder}/note.ogg"], check=True, capture_output=True)
        screen = self.screen("chat", f"@{a.user}", *self.as_user(b))
        screen.type(f"/file {folder}/not-there")
        screen.wait_for("not sent: cannot open")
        for name in ("note.wav", "note.ogg"):
            screen.type(f"/file {folder}/{name}")
            body = a.expect("chat.entry", type="message", kind="voice")["body"]
            self.assertEqual((body["name"], body["duration"], len(body["waveform"])), (name, 2.0, 60))
            self.assertGreater(min(body["waveform"][2:28]), 30)
            self.assertLess(max(body["waveform"][32:]), 5)
        screen.type("/quit")

    def content(self, person: Person, file: str) -> bytes:
        connection = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
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
        answer = self.parley("send", "@x", "x", "--token", "t", "--server", "http://127.0.0.1:1")
        self.assertEqual(answer.returncode, 69)


if __name__ == "__main__":
    unittest.main()
