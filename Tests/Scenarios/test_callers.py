"""Calls from the command line, through a running server."""

import array
import contextlib
import json
import math
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
import unittest
import wave
from pathlib import Path

from callers import AtHome, outcome, usage
from people import Person
from pitch import RATE, Ear
from server import TIMEOUT, binary, eventually, of_one_process

TALK = ("--play", "tone:440", "--expect-audio", "--duration", "1s")


class CommandLine(AtHome):
    # Its sound is made and heard in time.
    runs_alone = True

    def test_J14_an_echo_is_called_and_heard(self):
        """J14.answers J01.media"""
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
        """J14.answers J14.plays J14.records"""
        folder = Path(self.home.folder.name)
        speech = folder / "announcement.wav"
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=660:duration=2", str(speech)],
            check=True)
        messages = folder / "messages"
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
        for path, pitch in ((heard, 660), (kept, 440)):
            subprocess.run([str(binary()), "voice", "decode", str(path), "-o", f"{path}.wav"], check=True, capture_output=True)
            self.assertLess(abs(self.pitches(Path(f"{path}.wav"))[0] - pitch), 5)

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

    def test_J07_who_gives_up_before_an_answer_leaves_nobody_ringing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number), Person(self.server, "Anna") as anna:
                call = self.home.call(f"@{anna.user}")
                ringing = anna.expect("call.incoming")["call"]
                call.send_signal(number)
                code, report = outcome(call)
                self.assertEqual((code, report["outcome"]), (1, "cancelled"))
                self.assertEqual(anna.expect("call.ended", call=ringing)["outcome"], "cancelled")

    def test_J07_an_end_without_a_path_is_the_same_whoever_finds_out(self):
        with Person(self.server, "Anna") as anna:
            call = self.home.call(f"@{anna.user}")
            ringing = anna.expect("call.incoming")["call"]
            anna.ask("call.accept", call=ringing)
            anna.expect("call.connected")
            anna.ask("call.failed", call=ringing)
            code, report = outcome(call)
            self.assertEqual((code, report["outcome"]), (14, "noPath"))

    def test_J07_who_rings_back_at_the_same_moment_is_talked_with(self):
        with Person(self.server, "Anna") as anna:
            call = self.home.call(f"@{anna.user}")
            ringing = anna.expect("call.incoming")
            # The smaller name lives on.
            crossing = anna.ask("call.invite", user=ringing["from"]["user"], kind="audio", call=20 * "-")["call"]
            self.assertEqual(anna.expect("call.ended", call=ringing["call"])["into"], crossing)
            anna.expect("call.connected", call=crossing)
            anna.ask("call.failed", call=crossing)
            code, report = outcome(call)
            self.assertEqual((code, report["outcome"]), (14, "noPath"))

    def talking(self) -> tuple[subprocess.Popen, str]:
        """A call to an echo that has been heard for a second, and its name."""
        heard = Path(self.home.folder.name) / "heard.wav"
        call = self.home.call("@echo", "--play", "tone:440", "--expect-audio", "--record", str(heard))
        name = self.home.answering[-1].expect("answered")["call"]
        eventually(lambda: heard.exists() and heard.stat().st_size > RATE, "something is heard")
        return call, name

    def test_J07_a_call_ends_although_the_server_has_gone(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        call, _ = self.talking()
        self.server.end()
        self.assertEqual(echo.close(), 0)
        code, report = outcome(call)
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))

    @of_one_process
    def test_calls_are_let_go_that_a_new_server_knows_nothing_of(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        call, name = self.talking()
        self.server.end()
        database = Path(self.server.data, "parley.db")
        with contextlib.closing(sqlite3.connect(database, isolation_level=None)) as store:
            store.execute("DELETE FROM calls_under_way")
        self.server.begin()
        self.assertEqual(echo.expect("ended")["call"], name)
        self.assertEqual(outcome(call)[1]["outcome"], "completed")

    def test_J07_nobody_goes_on_ringing_that_a_new_server_does_not_know(self):
        with Person(self.server, "Anna") as anna:
            call = self.home.call(f"@{anna.user}")
            anna.expect("call.incoming")
            self.server.restart()
            code, report = outcome(call)
            self.assertEqual((code, report["outcome"]), (16, "lost"))

    def test_both_directions_are_kept_side_by_side(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        heard, said, mixed = (Path(self.home.folder.name) / name for name in ("heard.wav", "said.wav", "mixed.wav"))
        code, _ = outcome(
            self.home.call(
                "@echo", *TALK, "--record", str(heard), "--record-sent", str(said), "--record-mixed", str(mixed)))
        self.assertEqual(code, 0)
        for theirs, ours, both in zip(*(self.samples(path)[1] for path in (heard, said, mixed)), strict=True):
            self.assertLess(abs(min(max(theirs + ours, -32768), 32767) - both), 4)
        with wave.open(str(heard)) as theirs, wave.open(str(said)) as ours:
            self.assertEqual(theirs.getnframes(), ours.getnframes())
            self.assertGreater(ours.getnframes(), RATE // 2)
            ear = Ear()
            ear.hear(ours.readframes(ours.getnframes()))
            self.assertLess(abs(ear.pitch() - 440), 5)

    def test_J35_programs_that_record_say_so_and_tell_when_they_are_recorded(self):
        """J35.terminal"""
        folder = Path(self.home.folder.name)
        box = self.home.answer("--as", "box", "--echo", "--record", str(folder / "messages"))
        box.expect("ready")
        call = self.home.call("@box", *TALK, "--record-mixed", str(folder / "mixed.wav"))
        told = box.expect("recording")
        self.assertEqual((told["call"], bool(told["name"])), (box.expect("ended")["call"], True))
        self.assertIn("box is recording", call.communicate(timeout=3 * TIMEOUT)[1])
        with Person(self.server, "Anna") as anna, Person(self.server, "Bo") as bo:
            for person in (bo, anna):
                person.ask("room.join", room="tea-kitchen")
            bo.ask("room.record", room="tea-kitchen")
            guest = self.home.call("tea-kitchen", "--duration", "3s", "--record", str(folder / "room.ogg"))
            joined = anna.expect("room.joined")["member"]
            self.assertEqual(anna.expect("room.recording", member=joined)["room"], "tea-kitchen")
            _, complaints = guest.communicate(timeout=3 * TIMEOUT)
            self.assertIn("Bo is recording", complaints)
            quiet = self.home.call("tea-kitchen", "--duration", "1s")
            other = anna.expect("room.joined")["member"]
            self.assertEqual(outcome(quiet)[0], 0)
            anna.expect("room.left", member=other)
            self.assertEqual([told for told in anna.heard("room.recording") if told["member"] == other], [])

    def test_J36_old_recordings_make_room_and_nothing_else_does(self):
        folder = Path(self.home.folder.name, "messages")
        folder.mkdir()
        (folder / "note.ogg").write_bytes(self.spoken())
        (folder / "list.txt").write_text("mine")
        options = ("--as", "box", "--play", "tone:440", "--record", str(folder), "--record-keep", "30d")
        box = self.home.answer(*options)
        box.expect("ready")
        names = []
        for _ in range(2):
            self.assertEqual(outcome(self.home.call("@box", *TALK))[0], 0)
            names.append(f"{box.expect('ended')['call']}.ogg")
        month, day = 31 * 86_400, 86_400
        for name, age in ((names[0], month), (names[1], 29 * day), ("note.ogg", month), ("list.txt", month)):
            os.utime(folder / name, (time.time() - age,) * 2)
        self.assertEqual(outcome(self.home.call("@box", *TALK))[0], 0)
        names.append(f"{box.expect('ended')['call']}.ogg")
        self.assertEqual({path.name for path in folder.iterdir()}, {"note.ogg", "list.txt", *names[1:]})
        for wrong in (("--record-keep", "30d"), ("--record", str(folder), "--record-keep", "0s")):
            self.assertEqual(usage("answer", *wrong)[0], 64)

    def spoken(self) -> bytes:
        """A voice message, which no call recorded."""
        path = Path(self.home.folder.name, "note.wav")
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(bytes(RATE))
        subprocess.run([str(binary()), "voice", "encode", str(path), "-o", f"{path}.ogg"], check=True, capture_output=True)
        return Path(f"{path}.ogg").read_bytes()

    def test_J37_everybody_in_a_room_is_kept_in_one_file(self):
        """J37.mixed"""
        folder = Path(self.home.folder.name)
        tones = {440: "one", 660: "two", 1100: "us"}
        others = [self.home.call("tea-kitchen", "--play", f"tone:{hertz}", "--duration", "12s") for hertz in (440, 660)]
        self.seats(2)
        mixed, heard = folder / "all.wav", folder / "each.wav"
        recorder = self.home.call(
            "tea-kitchen", "--play", "tone:1100", "--duration", "5s", "--record-mixed", str(mixed), "--record", str(heard))
        self.assertEqual(outcome(recorder)[0], 0)
        channels, sound = self.samples(mixed)
        self.assertEqual((channels, len(list(folder.glob("all*.wav")))), (1, 1))
        each = [self.samples(path)[1] for path in folder.glob("each-*.wav")]
        self.assertEqual(len(each), 2)
        # As long as the time from the first connection on, and the last second has all three.
        self.assertGreaterEqual(len(sound), max(map(len, each)))
        self.assertLess(len(sound), 5.5 * RATE)
        end = sound[-3 * RATE // 2:-RATE // 2]
        for hertz in tones:
            self.assertGreater(self.strength(end, hertz), 1000, hertz)
        self.assertLess(self.strength(end, 523), 300)
        for part in each:
            self.assertEqual(sum(self.strength(part[-3 * RATE // 2:-RATE // 2], hertz) > 1000 for hertz in tones), 1)
        for other in others:
            other.send_signal(signal.SIGINT)
            self.assertEqual(outcome(other)[0], 0)

    def strength(self, sound: array.array, hertz: float) -> float:
        """How much of a tone is in a sound: the height of its wave."""
        turns = [2 * math.pi * hertz * index / RATE for index in range(len(sound))]
        real = sum(sample * math.cos(turn) for sample, turn in zip(sound, turns))
        imaginary = sum(sample * math.sin(turn) for sample, turn in zip(sound, turns))
        return 2 * math.hypot(real, imaginary) / max(1, len(sound))

    def test_J14_two_channels_stay_two_where_both_sides_want_them(self):
        folder = Path(self.home.folder.name)
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=2", "-f", "lavfi", "-i",
             "sine=frequency=880:duration=2", "-filter_complex", "amerge=inputs=2,volume=4", str(folder / "a.wav")],
            check=True)
        guests = {
            name: self.home.call("tea-kitchen", "--duration", "4s", "--record", str(folder / f"{name}.wav"), *options)
            for name, options in (("one", ()), ("two", ("--stereo",)))}
        self.seats(2)
        player = self.home.call("tea-kitchen", "--stereo", "--bitrate", "64000", "--play", str(folder / "a.wav"))
        for call in (player, *guests.values()):
            self.assertEqual(outcome(call)[0], 0)
        pitches = {name: [self.pitches(path) for path in folder.glob(f"{name}-*.wav")] for name in guests}
        self.assertTrue(any(abs(left - 440) < 15 > abs(right - 880) for left, right in pitches["two"]), pitches)
        self.assertTrue(all(len(heard) == 1 for heard in pitches["one"]), pitches)

    def samples(self, path: Path) -> tuple[int, array.array]:
        with wave.open(str(path)) as file:
            return file.getnchannels(), array.array("h", file.readframes(file.getnframes()))

    def pitches(self, path: Path) -> list[float]:
        """Of each channel, when something was heard for the last time."""
        channels, sound = self.samples(path)
        loud = [index for index, sample in enumerate(sound) if abs(sample) > 1000] or [0]
        end = loud[-1] // channels * channels
        ears = [Ear() for _ in range(channels)]
        for channel, ear in enumerate(ears):
            ear.hear(sound[channel:end:channels].tobytes())
        return [ear.pitch() for ear in ears]

    def test_a_room_plays_to_its_end_and_is_left(self):
        folder = Path(self.home.folder.name)
        subprocess.run(
            ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=660:duration=1", str(folder / "a.wav")],
            check=True)
        call = self.home.call("tea-kitchen", "--play", str(folder / "a.wav"))
        guest = self.home.call("tea-kitchen", "--duration", "30s", "--expect-audio")
        self.assertEqual(outcome(call)[0], 0)
        guest.send_signal(signal.SIGTERM)
        self.assertEqual(outcome(guest)[0], 0)

    def test_a_room_is_joined_again_when_the_server_has_begun_anew(self):
        call = self.home.call("tea-kitchen")
        self.seats(1)
        self.server.restart()
        self.seats(1)
        call.send_signal(signal.SIGINT)
        self.assertEqual(outcome(call)[0], 0)
        self.seats(0)

    def seats(self, count: int) -> None:
        """Waits until so many others sit in the room."""
        with Person(self.server, "Anna") as anna:
            anna.ask("room.join", room="tea-kitchen")
            eventually(
                lambda: len(anna.ask("room.members", room="tea-kitchen")["members"]) == count, f"{count} others")
            anna.ask("room.leave", room="tea-kitchen")

    def test_streams_have_one_use_at_a_time(self):
        for command in (
                ("peer", "offer", "--play", "-"), ("peer", "answer", "--record", "-"), ("call", "kitchen", "--play", "-"),
                ("call", "kitchen", "--record", "-"), ("call", "kitchen", "--dtmf", "1"),
                ("call", "@echo", "--record-sent", "a.ogg"), ("call", "@echo", "--record-mixed", "a.ogg")):
            with self.subTest(command):
                code, complaint = usage(*command)
                self.assertEqual(code, 64, complaint)

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

    def test_a_token_that_is_not_taken_is_renewed_and_who_is_not_known_begins_anew(self):
        self.home.answer("--as", "otto", "--echo").expect("ready")
        self.assertEqual(self.home.answering[0].close(), 0)
        kept = Path(self.home.folder.name) / "parley" / "credentials.json"
        users = []
        # Revoked; then a server that was begun anew with nothing.
        for spoilt in (("accessToken",), ("accessToken", "refreshToken")):
            tokens = json.loads(kept.read_text())
            users.append(tokens[self.home.server[1]]["otto"]["user"])
            tokens[self.home.server[1]]["otto"] |= dict.fromkeys(spoilt, "spoilt")
            kept.write_text(json.dumps(tokens))
            again = self.home.answer("--as", "otto", "--echo")
            again.expect("ready")
            self.assertEqual(again.close(), 0)
        users.append(json.loads(kept.read_text())[self.home.server[1]]["otto"]["user"])
        self.assertEqual(users[0], users[1])
        self.assertNotEqual(users[1], users[2])

    @unittest.skipUnless(shutil.which("sox"), "sox is not installed")
    def test_samples_go_through_pipes(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        tone = subprocess.Popen(
            ["sox", "-n", "-t", "raw", "-r", str(RATE), "-e", "signed", "-b", "16", "-c", "1", "-", "synth", "3", "sine",
             "550"], stdout=subprocess.PIPE)
        call = subprocess.run(
            [str(binary()), "call", "@echo", *self.home.server, "--play", "-", "--record", "-", "--duration", "2s",
             "--json"],
            stdin=tone.stdout, capture_output=True, env=self.home.environment, timeout=TIMEOUT)
        tone.stdout.close()
        tone.wait(TIMEOUT)
        self.assertEqual(call.returncode, 0, call.stderr)
        # Standard output is for samples alone.
        self.assertEqual(json.loads(call.stderr)["outcome"], "completed")
        self.assertNotIn(b"outcome", call.stdout)
        ear = Ear()
        ear.hear(call.stdout)
        self.assertLess(abs(ear.pitch() - 550), 5)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_J14_packets_are_written_for_others_to_look_into(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        path = Path(self.home.folder.name) / "call.pcapng"
        self.assertEqual(outcome(self.home.call("@echo", *TALK, "--pcap", str(path)))[0], 0)
        for show, least, most in (
                ("stun", 4, 1000), ("dtls or stun and frame contains c0:70", 4, 100), ("rtp.p_type == 111 or rtp.p_type == 63", 60, 1000), ("_ws.malformed", 0, 0)):
            told = subprocess.run(
                ["tshark", "-r", str(path), "--enable-heuristic", "rtp_udp", "-Y", show], capture_output=True, text=True,
                check=True).stdout
            self.assertTrue(least <= len(told.splitlines()) <= most, f"{show}: {told}")
        # Beside each packet stands which call it belongs to.
        comments = subprocess.run(
            ["tshark", "-r", str(path), "-T", "fields", "-e", "frame.comment"], capture_output=True, text=True,
            check=True).stdout.splitlines()
        self.assertEqual(set(comments), {f"call {echo.expect('answered')['call']}"})

    def test_J33_servers_that_are_of_no_use_are_told_and_hold_nothing_up(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        silent = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for one in silent:
            one.bind(("127.0.0.1", 0))
            self.addCleanup(one.close)
        # Nobody listens where somebody did.
        gone = socket.socket()
        gone.bind(("127.0.0.1", 0))
        self.addCleanup(gone.close)
        stun, turn = ("127.0.0.1:%d" % one.getsockname()[1] for one in silent)
        refusing = "127.0.0.1:%d" % gone.getsockname()[1]
        servers = Path(self.home.folder.name) / "servers.json"
        servers.write_text(json.dumps({"iceServers": [
            {"urls": f"stun:{stun}"}, {"urls": f"turn:{turn}", "username": "u", "credential": "c"},
            {"urls": f"turn:{refusing}?transport=tcp", "username": "u", "credential": "c"}]}))
        call = self.home.call(
            "@echo", "--ice-servers", str(servers), "--play", "tone:440", "--expect-audio", "--duration", "7s")
        code, report = outcome(call)
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))
        self.assertGreater(report["seconds"], 6.5)
        told = {error["server"]: (error["code"], error["error"]) for error in report["serverErrors"]}
        self.assertEqual(told, {
            f"stun:{stun}": (701, "no answer"), f"turn:{turn}": (701, "no answer"),
            f"turn:{refusing}": (701, "not connected")})
        self.assertEqual(len(report["serverErrors"]), 3)

    def test_J08_four_meet_in_a_room_and_each_hears_the_three_others(self):
        folder, tones = Path(self.home.folder.name), (400, 500, 600, 700)
        calls = [
            self.home.call(
                "tea-kitchen", "--play", f"tone:{hertz}", "--expect-audio", "--duration", "5s", "--record",
                str(folder / f"{hertz}.wav"))
            for hertz in tones]
        for call in calls:
            code, report = outcome(call)
            self.assertEqual((code, report["heard"]), (0, True))
        for hertz in tones:
            heard = {round(self.pitches(path)[0], -2) for path in folder.glob(f"{hertz}-*.wav")}
            self.assertEqual(heard, set(tones) - {hertz})


if __name__ == "__main__":
    unittest.main()
