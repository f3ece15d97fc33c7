"""Nothing surprising on a terminal: what commands refuse, show and say."""

import os
import subprocess
import tempfile
import time
import unittest
import wave
from pathlib import Path

from callers import AtHome, usage
from pitch import RATE, tone
from screens import Screen
from server import PATIENCE, binary


def run(*words, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(binary()), *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, **options)


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
                self.assertEqual(screen.process.wait(PATIENCE), 64)

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


class Calls(AtHome):
    def test_O03_what_cannot_be_read_or_written_is_found_before_anybody_rings(self):
        answering = self.home.answer("--as", "bob", "--echo")
        answering.expect("ready")
        for options, code in ((("--play", "/nowhere.wav"), 66), (("--record", "/nowhere/x.ogg"), 73)):
            with self.subTest(options):
                call = self.home.call("@bob", "--as", "alice", *options)
                call.communicate(timeout=PATIENCE)
                self.assertEqual(call.returncode, code)
        call = self.home.call("@bob", "--as", "alice", "--play", "tone:440", "--duration", "1s")
        call.communicate(timeout=PATIENCE)
        self.assertEqual(call.returncode, 0)
        answering.expect("answered")
        self.assertEqual(answering.expect("ended")["outcome"], "completed", "the first that was heard of")

    def test_O03_a_recording_of_a_call_that_nobody_took_is_no_file(self):
        path = Path(self.home.folder.name, "answer.ogg")
        call = self.home.call("@nobody-here", "--as", "alice", "--record", str(path))
        call.communicate(timeout=PATIENCE)
        self.assertEqual((call.returncode, path.exists()), (13, False))


if __name__ == "__main__":
    unittest.main()
