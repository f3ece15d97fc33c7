"""Talking from terminals, with a sound server that the test brings along."""

import array
import json
import re
import signal
import subprocess
import unittest

from callers import AtHome, outcome, usage
from pitch import RATE, Ear, tone
from screens import Screen
from server import TIMEOUT, binary, eventually
from soundserver import SoundServer, is_installed


def whole(pcm: bytes) -> bytes:
    """16 bits as the sound server wants them."""
    return array.array("f", [sample / 32768 for sample in array.array("h", pcm)]).tobytes()


def pitch(samples: bytes) -> float:
    """Of the last half second that is no silence."""
    heard = [max(-32768, min(32767, int(32768 * sample))) for sample in array.array("f", samples)]
    while heard and abs(heard[-1]) < 1000:
        heard.pop()
    ear = Ear()
    ear.hear(array.array("h", heard).tobytes())
    return ear.pitch()


def loudest(samples: bytes) -> float:
    return max(map(abs, array.array("f", samples)), default=0)


@unittest.skipUnless(is_installed(), "needs pulseaudio and pulseaudio-utils: Scripts/install tests")
class Talking(AtHome):
    # Its sound is made and heard in time.
    runs_alone = True

    def setUp(self) -> None:
        super().setUp()
        self.sound = SoundServer("alice", "bob")
        self.addCleanup(self.sound.close)
        self.home.environment |= self.sound.client

    def parley(self, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [binary(), *words], env=self.home.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT)

    def call(self, *options: str) -> subprocess.Popen:
        answering = self.home.answer("--as", "bob", "--talk", *self.sound.devices("bob"))
        answering.expect("ready")
        calling = self.home.call("@bob", *self.sound.devices("alice"), "--duration", "60s", *options)
        self.addCleanup(calling.kill)
        answering.expect("answered")
        return calling

    def hang_up(self, calling: subprocess.Popen) -> tuple[int, dict]:
        calling.send_signal(signal.SIGINT)
        return outcome(calling)

    def is_told(self, calling: subprocess.Popen, *sentences: str) -> None:
        """In any order."""
        missing = set(sentences)
        for line in calling.stderr:
            missing = {sentence for sentence in missing if not re.search(sentence, line)}
            if not missing:
                return
        self.fail(f"not told: {missing}")

    def say(self, person: str, hertz: float, seconds: float) -> None:
        self.sound.speak(person, whole(tone(hertz, 0, int(RATE * seconds))))

    def hears(self, person: str, hertz: float, within: float = TIMEOUT) -> None:
        ear = self.sound.ear(person)
        try:
            eventually(lambda: abs(pitch(bytes(ear.samples[-4 * RATE:])) - hertz) < 15, f"{person} hears {hertz}", within)
        finally:
            ear.stop()

    def test_J30_two_talk_with_microphones_and_loudspeakers(self):
        """J30.talk"""
        calling = self.call()
        self.say("alice", 440, 60)
        self.hears("bob", 440)
        self.sound.hush()
        self.say("bob", 700, 60)
        self.hears("alice", 700)
        code, report = self.hang_up(calling)
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))

    def test_J30_devices_are_listed_and_chosen_by_a_beginning_of_their_names(self):
        """J30.list J30.choose"""
        listed = [json.loads(line) for line in self.parley("devices", "--json").stdout.splitlines()]
        self.assertEqual(
            {(device["direction"], device["name"]) for device in listed},
            {("input", "alice-microphone"), ("input", "bob-microphone")}
            | {("output", f"{person}-{part}") for person in ("alice", "bob") for part in ("ear", "mouth")})
        self.assertEqual(len([device for device in listed if device["default"]]), 2)
        self.assertIn("Alice-microphone", self.parley("devices").stdout)
        for name, words in (("a", None), ("x", "no 'x' here"), ("", "no '' here")):
            done = self.parley("call", "@nobody", *self.home.server, "--input", name)
            self.assertEqual(done.returncode, 64 if words else 13, done.stderr)
            self.assertIn(words or "nobody", done.stderr)
        done = self.parley("call", "@nobody", *self.home.server, "--output", "BOB")
        self.assertEqual((done.returncode, "'bob-mouth'" in done.stderr or "Bob" in done.stderr), (64, True), done.stderr)

    def test_J31_a_muted_microphone_says_nothing(self):
        """J31.mute"""
        calling = self.call("--mute")
        ear = self.sound.ear("bob")
        self.sound.speak("alice", whole(tone(440, 0, 2 * RATE))).wait(TIMEOUT)
        self.assertEqual(self.hang_up(calling)[0], 0)
        self.assertLess(loudest(ear.stop()), 0.01)

    def test_J31_a_key_mutes_the_microphone_and_opens_it_again(self):
        """J31.mute"""
        self.home.answer("--as", "echo", "--echo").expect("ready")
        screen = Screen(
            ("call", "@echo", *self.home.server, *self.sound.devices("alice")), env=self.home.environment)
        self.addCleanup(screen.close)
        screen.wait_for("m mutes the microphone")
        self.say("alice", 440, 30)
        self.hears("alice", 440)
        screen.press("m")
        screen.wait_for(" muted")
        screen.press("m")
        self.hears("alice", 440)
        screen.press("\x03")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)

    def test_J31_devices_that_vanish_end_no_call(self):
        """J31.vanish"""
        calling = self.call()
        self.say("bob", 700, 60)
        self.hears("alice", 700)
        self.sound.unload(*reversed(self.sound.modules["alice"].values()))
        self.is_told(calling, "The microphone is (gone|.* now)", "The loudspeaker is (gone|.* now)")
        code, report = self.hang_up(calling)
        self.assertEqual((code, report["outcome"]), (0, "completed"))

    def test_J31_a_sound_server_that_ends_ends_no_call(self):
        """J31.vanish"""
        calling = self.call()
        self.say("bob", 700, 60)
        self.hears("alice", 700)
        self.sound.process.kill()
        self.is_told(calling, "The microphone is gone", "The loudspeaker is gone")
        code, report = self.hang_up(calling)
        self.assertEqual((code, report["outcome"]), (0, "completed"))

    def test_J30_a_telephone_asks_before_it_takes_a_call(self):
        """J30.talk"""
        screen = Screen(
            ("answer", "--as", "bob", "--talk", *self.home.server, *self.sound.devices("bob")),
            env=self.home.environment)
        self.addCleanup(screen.close)
        screen.wait_for("Ready for calls")
        calling = self.home.call("@bob", "--play", "tone:440", "--duration", "30s", "--name", "Alice")
        self.addCleanup(calling.kill)
        screen.wait_for("Alice is calling: y takes the call, n declines it.")
        screen.press("n")
        self.assertEqual(outcome(calling)[0], 10)
        calling = self.home.call("@bob", "--play", "tone:440", "--duration", "30s", "--name", "Carol")
        self.addCleanup(calling.kill)
        screen.wait_for("Carol is calling")
        screen.press("y")
        screen.wait_for("Answered Carol")
        self.hears("bob", 440)
        screen.press("h")
        self.assertEqual(outcome(calling)[0], 0)
        screen.wait_for("The call with Carol has ended")
        screen.press("\x03")
        self.assertEqual(screen.process.wait(TIMEOUT), 0)


class WithoutSound(AtHome):
    def test_J30_a_machine_without_devices_says_so_and_calls(self):
        """J30.none"""
        self.home.answer("--as", "echo", "--echo").expect("ready")
        calling = self.home.call("@echo", "--duration", "1s")
        code, (report, words) = outcome_with(calling, self)
        self.assertEqual((code, report["outcome"]), (0, "completed"))
        self.assertIn("nothing is said without --play", words)
        self.assertEqual(len(words.splitlines()), 1, words)

    def test_J30_a_device_that_is_named_has_to_be_there(self):
        """J30.none"""
        done = subprocess.run(
            [binary(), "call", "@echo", *self.home.server, "--input", "headset"], env=self.home.environment,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 69, done.stderr)
        self.assertIn("no sound server answers", done.stderr)
        for words in (("--play", "tone:440", "--input", "x"),):
            self.assertEqual(usage("call", "@echo", *words)[0], 64)
        self.assertEqual(usage("answer", "--input", "x")[0], 64)
        self.assertEqual(usage("answer", "--talk", "--echo")[0], 64)

    def test_a_program_without_calls_needs_no_sound_library(self):
        libraries = subprocess.run(["ldd", binary()], capture_output=True, text=True).stdout
        self.assertNotIn("libpulse", libraries)


def outcome_with(calling: subprocess.Popen, test: unittest.TestCase) -> tuple[int, tuple[dict, str]]:
    """How a call ended, what was reported, and what was complained about."""
    out, words = calling.communicate(timeout=3 * TIMEOUT)
    test.assertTrue(out, words)
    return calling.returncode, (json.loads(out), words)


if __name__ == "__main__":
    unittest.main()
