"""Calls from the command line, through a running server."""

import shutil
import subprocess
import unittest
from pathlib import Path

from callers import Household, outcome
from people import VOUCHED
from pitch import RATE, Ear
from server import PATIENCE, Server, binary, eventually

TALK = ("--play", "tone:440", "--expect-audio", "--duration", "1s")


class CommandLine(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server(*VOUCHED, testing=False)
        self.addCleanup(self.server.__exit__)
        self.home = Household(self.server)
        self.addCleanup(self.home.close)

    def test_J14_an_echo_is_called_and_heard(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        record = Path(self.home.folder.name) / "heard.wav"
        code, report = outcome(self.home.call("@echo", *TALK, "--record", str(record)))
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))
        self.assertGreater(report["packetsReceived"], 30)
        ear = Ear()
        ear.hear(record.read_bytes()[44:])
        self.assertLess(abs(ear.pitch() - 440), 5)
        self.assertEqual(echo.expect("ended")["outcome"], "completed")

    def test_J14_an_echo_goes_through_the_codec_when_that_is_asked_for(self):
        self.home.answer("--as", "echo", "--echo", "--decode").expect("ready")
        record = Path(self.home.folder.name) / "heard.wav"
        code, report = outcome(self.home.call("@echo", *TALK, "--record", str(record)))
        self.assertEqual((code, report["heard"]), (0, True))
        ear = Ear()
        ear.hear(record.read_bytes()[44:])
        self.assertLess(abs(ear.pitch() - 440), 5)

    def test_J13_twenty_calls_in_a_row(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        for _ in range(20):
            code, report = outcome(self.home.call("@echo", "--play", "tone:440", "--expect-audio", "--duration", "600ms"))
            self.assertEqual((code, report["heard"]), (0, True))

    def test_J14_one_program_takes_many_calls_at_once(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        calls = [self.home.call("@echo", *TALK) for _ in range(8)]
        for call in calls:
            code, report = outcome(call)
            self.assertEqual((code, report["heard"]), (0, True))

    def test_J14_an_announcement_is_played_and_what_is_said_is_kept_as_it_came(self):
        folder = Path(self.home.folder.name)
        speech = folder / "announcement.wav"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=660:duration=2", str(speech)],
            check=True)
        messages = folder / "messages"
        messages.mkdir()
        box = self.home.answer("--as", "box", "--play", str(speech), "--record", str(messages))
        box.expect("ready")
        heard = folder / "heard.ogg"
        code, report = outcome(
            self.home.call("@box", "--play", "tone:440", "--duration", "3s", "--record", str(heard)))
        self.assertEqual((code, report["heard"]), (0, True))
        box.expect("ended")
        kept = next(messages.glob("*.ogg"))
        for path in (heard, kept):
            told = subprocess.run(["opusinfo", str(path)], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("WARNING", told)

    def test_J07_every_end_has_an_exit_code(self):
        self.assertEqual(outcome(self.home.call("@nobody"))[0], 13)
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        # Nothing is said, so nothing comes back.
        code, report = outcome(self.home.call("@echo", "--expect-audio", "--duration", "500ms"))
        self.assertEqual((code, report["outcome"]), (15, "silent"))
        away = subprocess.run(
            [str(binary()), "call", "@echo", "--server", "http://127.0.0.1:1"], capture_output=True, text=True)
        self.assertEqual(away.returncode, 69)
        self.assertIn("http://127.0.0.1:1", away.stderr)

    def test_the_same_name_is_the_same_person_the_next_time(self):
        first = self.home.answer("--as", "otto", "--echo")
        first.expect("ready")
        kept = Path(self.home.folder.name) / "parley" / "credentials.json"
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        before = kept.read_text()
        self.assertEqual(first.close(), 0)
        second = self.home.answer("--as", "otto", "--echo")
        second.expect("ready")
        self.assertEqual(kept.read_text(), before)

    @unittest.skipUnless(shutil.which("sox"), "sox is not installed")
    def test_samples_go_through_pipes(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        tone = subprocess.Popen(
            ["sox", "-n", "-t", "raw", "-r", str(RATE), "-e", "signed", "-b", "16", "-c", "1", "-", "synth", "3", "sine",
             "550"], stdout=subprocess.PIPE)
        call = subprocess.run(
            [str(binary()), "call", "@echo", *self.home.server, "--play", "-", "--record", "-", "--duration", "2s"],
            stdin=tone.stdout, capture_output=True, env=self.home.environment, timeout=PATIENCE)
        tone.stdout.close()
        tone.wait(PATIENCE)
        self.assertEqual(call.returncode, 0, call.stderr)
        ear = Ear()
        ear.hear(call.stdout)
        self.assertLess(abs(ear.pitch() - 550), 5)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_J14_packets_are_written_for_others_to_look_into(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        path = Path(self.home.folder.name) / "call.pcapng"
        self.assertEqual(outcome(self.home.call("@echo", *TALK, "--pcap", str(path)))[0], 0)
        for show, least, most in (
                ("stun", 4, 1000), ("dtls", 4, 100), ("rtp.p_type == 111", 60, 1000), ("_ws.malformed", 0, 0)):
            told = subprocess.run(
                ["tshark", "-r", str(path), "--enable-heuristic", "rtp_udp", "-Y", show], capture_output=True, text=True,
                check=True).stdout
            self.assertTrue(least <= len(told.splitlines()) <= most, f"{show}: {told}")

    def test_J08_four_meet_in_a_room(self):
        calls = [
            self.home.call("tea-kitchen", "--play", f"tone:{pitch}", "--expect-audio", "--duration", "4s")
            for pitch in (400, 500, 600, 700)]
        for call in calls:
            code, report = outcome(call)
            self.assertEqual((code, report["heard"]), (0, True))


if __name__ == "__main__":
    unittest.main()
