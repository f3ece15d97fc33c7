"""`parley voice` as people run it: files, pipes, terminals, kills."""

import base64
import json
import math
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import wave
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent))
from server import binary  # noqa: E402

RATE = 16_000


def tone(seconds: float, hertz: float = 440, rate: int = RATE) -> bytes:
    """One period after the other, so that an hour is made as fast as a second."""
    period = rate // math.gcd(rate, int(hertz))
    wave_form = [int(8000 * math.sin(2 * math.pi * hertz * i / rate)) for i in range(period)]
    count = int(seconds * rate)
    return (struct.pack(f"<{period}h", *wave_form) * (count // period + 1))[: 2 * count]


class VoiceTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="parley-voice-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write_wav(self, name: str, seconds: float, hertz: float = 440) -> Path:
        path = self.folder / name
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(tone(seconds, hertz))
        return path

    def voice(self, *words, stdin: bytes = b"", **options):
        command = [str(binary()), "voice", *map(str, words)]
        return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120, **options)

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def report(self, *words, stdin: bytes = b"") -> dict:
        done = self.voice(*words, "--json", stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_K12_a_message_is_decoded_from_any_moment_on(self):
        source = self.write_wav("note.wav", 4)
        self.assertEqual(self.voice("encode", source).returncode, 0)
        decode = ("decode", "--headerless", "-o", "-", self.folder / "note.ogg")
        whole = self.voice(*decode).stdout
        self.assertEqual(len(whole), 2 * 4 * RATE)
        for start, skipped in (("0s", 0), ("12500us", 200), ("1.5s", 24_000), ("3999ms", 63_984)):
            rest = self.voice(*decode, "--from", start).stdout
            self.assertEqual(len(rest), len(whole) - 2 * skipped, start)
            pairs = zip(struct.iter_unpack("<h", whole[2 * skipped:]), struct.iter_unpack("<h", rest))
            self.assertLessEqual(max(abs(one - other) for (one,), (other,) in pairs), 1, start)
        late = self.voice(*decode, "--from", "5s")
        self.assertEqual((late.returncode, late.stdout), (65, b""))
        self.assertIn(b"is over by then", late.stderr)

    def test_a_file_becomes_a_message_beside_it(self):
        report = self.report("encode", self.write_wav("hello.wav", 1.5))
        self.assertEqual(report["samples"], 72_000)
        self.assertEqual(self.names(), ["hello.ogg", "hello.wav"])
        self.assertEqual((self.folder / "hello.ogg").stat().st_size, report["bytes"])

    def test_many_files_go_to_a_folder_and_keep_their_names(self):
        (self.folder / "out").mkdir()
        files = [self.write_wav(f"{index}.wav", 0.2 + index / 10) for index in range(12)]
        done = self.voice("encode", "--json", "--complexity", 1, "--out-dir", self.folder / "out", *files)
        reports = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({report["input"] for report in reports}, set(map(str, files)))
        self.assertEqual(len(list((self.folder / "out").iterdir())), 12)
        self.assertEqual(done.stderr, b"", "in a pipe there is nothing but results")

    def test_sound_flows_from_pipe_to_pipe(self):
        made = self.voice("encode", "--raw", "s16le:16000:1", "-", stdin=tone(2))
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertTrue(made.stdout.startswith(b"OggS"))
        back = self.voice("decode", "--headerless", "-", stdin=made.stdout)
        self.assertEqual(len(back.stdout), 2 * 2 * RATE)

    def test_a_pipe_may_be_normalised_and_trimmed_too(self):
        silence = bytes(2 * RATE)
        made = self.voice(
            "encode", "--raw", "s16le:16000:1", "--normalize", "-20", "--trim-silence", "-", stdin=silence + tone(1) + silence)
        self.assertEqual(made.returncode, 0, made.stderr)
        (self.folder / "note.ogg").write_bytes(made.stdout)
        info = self.report("info", self.folder / "note.ogg")
        self.assertAlmostEqual(info["duration"], 1.2, delta=0.05)
        self.assertAlmostEqual(info["loudness"], -20, delta=1)

    def test_several_recordings_in_one_file_become_one_on_a_pipe_too(self):
        self.report("encode", self.write_wav("a.wav", 1))
        chained = self.folder / "chained.ogg"
        chained.write_bytes((self.folder / "a.ogg").read_bytes() * 2)
        made = self.voice("encode", chained, "-o", "-")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(made.stdout.count(b"OpusHead"), 1)
        kept = self.voice("encode", self.folder / "a.ogg", "-o", "-")
        self.assertEqual(kept.stdout.count(b"OpusHead"), 1)

    def test_a_wav_file_on_a_pipe_needs_no_seeking(self):
        path = self.write_wav("a.wav", 1)
        made = self.voice("encode", "-", stdin=path.read_bytes())
        self.assertEqual(made.returncode, 0, made.stderr)

    def test_K04_info_tells_the_true_duration_and_four_waveforms(self):
        """K04.length"""
        self.report("encode", self.write_wav("a.wav", 3.25))
        info = self.report("info", self.folder / "a.ogg")
        self.assertEqual(info["duration"], 3.25)
        forms = {name: base64.b64decode(text) for name, text in info["waveform"].items() if isinstance(text, str)}
        sizes = {name: len(form) for name, form in forms.items()}
        self.assertEqual(sizes, {"parley": 100, "telegram": 63, "whatsapp": 64, "discord": 32})
        self.assertLessEqual(max(forms["whatsapp"]), 100)
        self.assertEqual((len(info["waveform"]["matrix"]), max(info["waveform"]["matrix"])), (100, 1024))
        self.assertEqual(len(info["waveform"]["message"]), 60)
        self.assertLessEqual(max(info["waveform"]["message"]), 100)

    def test_K08_a_note_of_amr_inside_of_a_message_is_made_opus(self):
        """K08.inside"""
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        note = b"#!AMR\n" + (b"\x3c" + bytes(31)) * 100
        (self.folder / "note.amr").write_bytes(base64.b64decode(base64.b64encode(note)))
        report = self.report("encode", self.folder / "note.amr")
        self.assertEqual((report["duration"], report["source"]), (2.0, "ffmpeg"))

    def test_K08_a_file_of_aac_is_made_opus(self):
        """K08.file"""
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        source = self.write_wav("a.wav", 2)
        for name in ("note.aac", "note.m4a"):
            target = self.folder / name
            subprocess.run(["ffmpeg", "-v", "error", "-i", source, "-c:a", "aac", target], check=True)
            report = self.report("encode", target, "-o", self.folder / f"{name}.ogg")
            self.assertAlmostEqual(report["duration"], 2, delta=0.2)

    def test_without_ffmpeg_the_error_names_the_package(self):
        (self.folder / "note.amr").write_bytes(b"#!AMR\n" + (b"\x3c" + bytes(31)) * 10)
        done = self.voice("encode", self.folder / "note.amr", env={**os.environ, "PATH": "/nonexistent"})
        self.assertEqual(done.returncode, 69)
        self.assertIn(b"install the package ffmpeg", done.stderr)

    def test_the_exit_code_says_what_went_wrong(self):
        good, bad = self.write_wav("good.wav", 0.2), self.folder / "bad.ogg"
        bad.write_bytes(b"OggS and nothing more")
        table = [
            (["encode"], 64), (["encode", good, "--complexity", "11"], 64), (["encode", good, "-o", good], 64),
            (["encode", "--out-dir", self.folder / "none", good], 73), (["decode", bad], 65),
            (["decode", self.folder / "missing.ogg"], 66), (["info", good, bad, self.folder / "missing.ogg"], 1),
        ]
        for words, code in table:
            with self.subTest(words=words):
                done = self.voice(*words)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertTrue(done.stderr)

    def test_one_bad_file_does_not_stop_the_others(self):
        (self.folder / "b.wav").write_bytes(b"RIFF....WAVE")
        done = self.voice("encode", self.write_wav("a.wav", 0.2), self.folder / "b.wav", self.write_wav("c.wav", 0.2))
        self.assertEqual(done.returncode, 65)
        self.assertIn("a.ogg", self.names())
        self.assertIn("c.ogg", self.names())
        self.assertNotIn("b.ogg", self.names())

    def test_damage_is_told_with_its_place_and_the_rest_is_read(self):
        self.report("encode", self.write_wav("a.wav", 5))
        path = self.folder / "a.ogg"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        done = self.voice("decode", path, "--json", "-o", self.folder / "b.wav")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"damaged at byte", done.stderr)
        self.assertEqual(json.loads(done.stdout)["samples"], 5 * RATE)

    def test_a_kill_leaves_no_half_file(self):
        # A source without an end, so that nobody is done before the signal comes.
        command = [str(binary()), "voice", "encode", "--raw", "s16le:48000:1", "-", "--force", "-o", str(self.folder / "long.ogg")]
        (self.folder / "long.ogg").write_bytes(b"the old one")
        for stop in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with open("/dev/zero", "rb") as endless, self.stoppable(command, endless) as child:
                self.wait_for_work(child.pid)
                child.send_signal(stop)
            self.assertNotEqual(child.returncode, 0)
            self.assertEqual((self.folder / "long.ogg").read_bytes(), b"the old one")
            self.assertEqual(self.names(), ["long.ogg"])

    @staticmethod
    def stoppable(command: list[str], source: IO[bytes]) -> subprocess.Popen:
        """A shell that runs the tests in its background lets them, and all they start, ignore SIGINT."""
        heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
        return subprocess.Popen(command, stdin=source, preexec_fn=heed)

    @staticmethod
    def wait_for_work(pid: int) -> None:
        """Until it has computed for a moment."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[11]) > 10:
                return
            time.sleep(0.02)
        raise AssertionError("it does not work")

    def test_memory_stays_flat_however_long_the_recording(self):
        def peak(seconds: float) -> int:
            """In KiB, of the program with the sound on its standard input."""
            command = [str(binary()), "voice", "encode", "--raw", "s16le:8000:1", "--complexity", "0", "-"]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            piece = tone(10, rate=8000)
            for _ in range(int(seconds / 10)):
                child.stdin.write(piece)
            child.stdin.close()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
            self.assertEqual(status, 0)
            return usage.ru_maxrss

        short, long = peak(10), peak(1200)
        self.assertLess(long - short, 1500, f"{short} KiB for ten seconds, {long} KiB for twenty minutes")

    def test_a_terminal_shows_one_bar_and_the_results_stay_clean(self):
        files = [self.write_wav(f"{index}.wav", 60) for index in range(3)]
        master, slave = pty.openpty()
        command = [str(binary()), "voice", "encode", "--complexity", "5", *map(str, files)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=slave) as child:
            os.close(slave)
            shown = b""
            while True:
                try:
                    piece = os.read(master, 4096)
                except OSError:
                    break
                if not piece:
                    break
                shown += piece
            results = child.stdout.read()
        os.close(master)
        self.assertEqual(child.returncode, 0)
        text = shown.decode()
        self.assertIn("× real time", text)
        self.assertIn("left", text)
        self.assertRegex(text, r"\d+ %  \d/3 files")
        self.assertEqual(len(results.splitlines()), 3)
        self.assertNotIn(b"\x1b", results)

    def test_files_of_every_kind_conform(self):
        """A few of the ten thousand that `Scripts/conformance voice` makes."""
        suite = Path(__file__).resolve().parents[2] / "Scripts/conformance.d/voice"
        done = subprocess.run([suite, "--files", "80", "--seed", "1"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PARLEY": str(binary())})
        if done.returncode == 69:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_an_input_is_never_written_over(self):
        self.report("encode", self.write_wav("a.wav", 0.3))
        before = (self.folder / "a.ogg").read_bytes()
        done = self.voice("encode", self.folder / "a.ogg")
        self.assertEqual(done.returncode, 64)
        self.assertEqual((self.folder / "a.ogg").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
