"""Nothing surprising on a terminal: what commands refuse, show and say."""

import os
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

from callers import AtHome, usage
from people import Person
from pitch import RATE, tone
from screens import Screen
from server import TIMEOUT, Server, binary


def run(*words, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(binary()), *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT, **options)


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.note = self.folder / "hello.wav"
        with wave.open(str(self.note), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(tone(440, 0, RATE))


class Files(Folder):
    def test_O01_a_file_that_is_there_is_replaced_only_by_force(self):
        """O01"""
        original = self.note.read_bytes()
        self.assertEqual(run("voice", "encode", self.note).returncode, 0)
        for words in (
            ("voice", "decode", self.folder / "hello.ogg"), ("voice", "encode", self.note),
            ("voice", "encode", self.note, "-o", self.folder / "hello.ogg"),
            ("call", "@x", "--record", self.note), ("call", "@x", "--record-mixed", self.note),
            ("call", "@x", "--pcap", self.note), ("peer", "offer", "--record", self.note),
            ("answer", "--pcap", self.note), ("stun", "127.0.0.1:9", "--best", self.note),
        ):
            with self.subTest(words[:2]):
                done = run(*words)
                self.assertEqual(done.returncode, 73, done.stderr)
                self.assertIn("already exists; choose another name, or replace it with --force", done.stderr)
        self.assertEqual(self.note.read_bytes(), original)
        self.assertEqual(run("voice", "decode", self.folder / "hello.ogg", "--force").returncode, 0)
        self.assertNotEqual(self.note.read_bytes(), original)

    def test_O02_nothing_binary_goes_to_a_terminal(self):
        for words in (("voice", "encode", str(self.note), "-o", "-"), ("call", "@x", "--record", "-")):
            with self.subTest(words[:2]):
                screen = Screen(words)
                self.addCleanup(screen.close)
                screen.wait_for("would write binary data to the terminal")
                self.assertEqual(screen.process.wait(TIMEOUT), 64)

    def test_O02_a_recording_has_a_name_that_says_what_it_is(self):
        code, words = usage("call", "@x", "--record", "answer.mp3")
        self.assertEqual(code, 64)
        self.assertIn("end it in .ogg or .opus for packets, in .wav for samples", words)

    def test_complaints_about_recordings_name_the_command(self):
        for command in ("encode", "decode", "info"):
            done = run("voice", command, self.folder / "nothing.ogg")
            self.assertTrue(done.stderr.startswith(f"parley voice {command}: "), done.stderr)

    def test_O12_a_test_of_servers_says_that_it_is_under_way(self):
        screen = Screen(("stun", "127.0.0.1:9"))
        self.addCleanup(screen.close)
        screen.wait_for("Asking 1 server …", within=1)


class Words(unittest.TestCase):
    def test_O11_help_orders_exit_codes_names_what_may_be_said_and_has_no_empty_defaults(self):
        manual = run("help", "call").stdout
        self.assertNotIn("(default: )", manual)
        for command in ("call", "users", "voice encode", "serve", "stun"):
            text = run("help", *command.split()).stdout
            codes = [int(line.split()[0]) for line in text.split("EXIT CODES\n")[1].split("\n\n")[0].splitlines() if line[2] != " "]
            self.assertEqual(codes, sorted(codes), command)
        self.assertIn("offer|answer", run("help", "peer").stdout)
        self.assertIn("[list|kick|ban|unban|delete]", run("help", "users").stdout)
        self.assertEqual(run("help", "users", "kick").stdout, run("help", "users").stdout)
        self.assertEqual(run("help", "users", "nonsense").returncode, 64)

    def test_O11_help_is_as_wide_as_the_terminal(self):
        narrow, wide = (run("help", "serve", env={**os.environ, "COLUMNS": columns}).stdout for columns in ("60", "110"))
        self.assertLessEqual(max(map(len, wide.splitlines())), 112)
        self.assertGreater(max(map(len, wide.splitlines())), 90)
        self.assertLess(len(wide.splitlines()), len(narrow.splitlines()) * 0.7)

    def test_O10_wrong_files_are_named_in_plain_words(self):
        with tempfile.TemporaryDirectory() as folder:
            text = Path(folder, "hello.txt")
            text.write_text("hello")
            here = ("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data")
            for words, complaint in (
                ((*here, text), "is a file, not a directory; choose another with --data"),
                ((*here, folder, "--tls-cert", "/nope", "--tls-key", text), "/nope: no such file, or it may not be read"),
                ((*here, folder, "--tls-cert", text, "--tls-key", text), "this is not a PEM file"),
                (("voice", "info", text), "hello.txt: not a recording that can be read: Invalid data"),
            ):
                with self.subTest(complaint):
                    done = run(*words)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(complaint, done.stderr)


class Operators(AtHome):
    def ask(self, *words: str) -> str:
        done = run(*words, "--admin", "{}:{}".format(*self.server.admin))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_O10_empty_lists_and_what_was_done_to_users_are_said(self):
        self.assertEqual(self.ask("users"), "Nobody is online.\n")
        self.assertEqual(self.ask("rooms"), "No rooms are open.\n")
        self.assertIn("is not online", self.ask("users", "kick", "nobody-here"))
        person = Person(self.server, "Ann")
        self.addCleanup(person.link.close)
        self.assertEqual(self.ask("users", "kick", person.user), f"{person.user} is signed out everywhere.\n")
        self.assertEqual(self.ask("users", "ban", person.user, "--for", "1h"), f"{person.user} cannot sign in for 1h.\n")
        self.assertEqual(self.ask("users", "unban", person.user), f"{person.user} may sign in again.\n")

    def test_O10_a_certificate_that_proves_nothing_is_told_with_what_to_do(self):
        with Server("--tls", "self-signed", testing=False) as server:
            host, port = server.address
            done = run("chat", "--token", "t", "--server", f"https://{host}:{port}")
            self.assertEqual(done.returncode, 69)
            self.assertIn("for a trial with a certificate of your own, add --trust-anybody", done.stderr)


class Calls(AtHome):
    def test_O03_what_cannot_be_read_or_written_is_found_before_anybody_rings(self):
        answering = self.home.answer("--as", "bob", "--echo")
        answering.expect("ready")
        for options, code in ((("--play", "/nowhere.wav"), 66), (("--record", "/nowhere/x.ogg"), 73)):
            with self.subTest(options):
                call = self.home.call("@bob", "--as", "alice", *options)
                call.communicate(timeout=TIMEOUT)
                self.assertEqual(call.returncode, code)
        call = self.home.call("@bob", "--as", "alice", "--play", "tone:440", "--duration", "1s")
        call.communicate(timeout=TIMEOUT)
        self.assertEqual(call.returncode, 0)
        answering.expect("answered")
        self.assertEqual(answering.expect("ended")["outcome"], "completed", "the first that was heard of")

    def test_O10_the_end_of_a_call_is_a_sentence_with_the_name_that_was_typed(self):
        person = Person(self.server, "Bob")
        self.addCleanup(person.link.close)

        def call(name: str) -> subprocess.Popen:
            return subprocess.Popen(
                [str(binary()), "call", name, *self.home.server, "--as", "alice"], stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=self.home.environment)

        declined = call("@Bob")
        person.ask("call.decline", call=person.expect("call.incoming")["call"])
        self.assertEqual(declined.communicate(timeout=TIMEOUT)[0], "Bob declined the call.\n")
        nobody = call("@Eve")
        out, complaint = nobody.communicate(timeout=TIMEOUT)
        self.assertEqual((out, complaint), ("Eve is not online.\n", "parley call: nobody is called Eve; online are @Bob\n"))

    def test_O10_who_answers_reads_names(self):
        answering = subprocess.Popen(
            [str(binary()), "answer", *self.home.server, "--as", "box", "--echo"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=self.home.environment)
        self.addCleanup(lambda: (answering.kill(), answering.communicate()))
        self.assertEqual(answering.stdout.readline(), "Ready for calls. Stop with Control-C.\n")
        self.home.call("@box", "--as", "alice", "--play", "tone:440", "--duration", "1s").communicate(timeout=TIMEOUT)
        self.assertEqual(answering.stdout.readline(), "Answered alice.\n")
        self.assertEqual(answering.stdout.readline(), "The call with alice has ended.\n")

    def test_O03_a_recording_of_a_call_that_nobody_took_is_no_file(self):
        path = Path(self.home.folder.name, "answer.ogg")
        call = self.home.call("@nobody-here", "--as", "alice", "--record", str(path))
        call.communicate(timeout=TIMEOUT)
        self.assertEqual((call.returncode, path.exists()), (13, False))


if __name__ == "__main__":
    unittest.main()
