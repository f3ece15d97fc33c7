"""`parley peer` with other stacks, in both roles."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from jsonpeer import JSONPeer
from otherpeer import OtherPeer, av
from pitch import RATE, Ear
from server import TIMEOUT, binary, eventually

@unittest.skipIf(av is None, "aiortc is not installed")
class Aiortc(unittest.TestCase):
    def pair(self, role: str) -> tuple[JSONPeer, OtherPeer]:
        ours = JSONPeer(role, "--play", "tone:440", "--record", self.record())
        self.addCleanup(ours.close)
        theirs = OtherPeer(880)
        self.addCleanup(theirs.close)
        return ours, theirs

    def record(self) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = f"{folder.name}/heard.wav"
        return self.path

    def assert_talking(self, ours: JSONPeer, theirs: OtherPeer) -> None:
        ours.connected()
        eventually(lambda: abs(theirs.ear.pitch() - 440) < 5, f"they hear {theirs.ear.pitch()} Hz")
        ours.expect("media", lambda line: line["n"] > 100)
        self.assertEqual(ours.close(), 0)
        with open(self.path, "rb") as file:
            sound = file.read()[44:]
        ear = Ear()
        ear.hear(sound[-RATE:])
        self.assertLess(abs(ear.pitch() - 880), 20)

    def test_J01_aiortc_answers_our_offer_and_both_are_heard(self):
        ours, theirs = self.pair("offer")
        ours.say(t="sdp", type="answer", sdp=theirs.answer(ours.described()))
        self.assert_talking(ours, theirs)

    def test_J01_aiortc_offers_and_both_are_heard(self):
        ours, theirs = self.pair("answer")
        ours.say(t="sdp", type="offer", sdp=theirs.offer())
        theirs.answered(ours.described())
        self.assert_talking(ours, theirs)


@unittest.skipIf(av is None, "aiortc is not installed")
class Posted(unittest.TestCase):
    """Calls over HTTP alone, as the examples of other stacks make them."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.capture = Path(self.folder.name) / "calls.pcapng"
        self.start()
        self.addCleanup(self.stop)

    def start(self, *flags: str) -> None:
        self.process = subprocess.Popen(
            [str(binary()), "answer", "--http", "127.0.0.1:0", "--echo", "--json", "--record", self.folder.name,
             "--pcap", str(self.capture), "--force", *flags],
            stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def stop(self) -> None:
        if self.process.returncode is not None:
            return
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(TIMEOUT), 0)
        self.process.stdout.close()

    def post(self, body: bytes) -> tuple[int, bytes]:
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refusal:
            with refusal:
                return refusal.code, refusal.read()

    def test_J14_an_offer_is_posted_and_answered(self):
        theirs = OtherPeer(660)
        self.addCleanup(theirs.close)
        status, answer = self.post(json.dumps({"type": "offer", "sdp": theirs.offer()}).encode())
        self.assertEqual(status, 200)
        theirs.answered(json.loads(answer)["sdp"])
        eventually(lambda: abs(theirs.ear.pitch() - 660) < 5, "they hear themselves")

    def answers(self, count: int) -> list[str]:
        descriptions = []
        for _ in range(count):
            theirs = OtherPeer(660)
            self.addCleanup(theirs.close)
            offer = json.dumps({"type": "offer", "sdp": theirs.offer()}).encode()
            descriptions.append(json.loads(self.post(offer)[1])["sdp"])
        return descriptions

    def test_J14_posted_calls_share_a_socket_on_one_loop_and_listen_for_tcp_where_they_are_told_to(self):
        # Connections are dealt to loops in turn; of so many calls two have the same.
        answers = self.answers((os.cpu_count() or 1) + 1)
        places = [frozenset(re.findall(r"1 udp \d+ (\S+ \d+) typ host", answer)) for answer in answers]
        self.assertTrue(all(places), answers)
        self.assertLess(len(set(places)), len(places))
        self.assertFalse(any("tcptype passive" in answer for answer in answers))
        self.stop()
        self.start("--tcp")
        self.assertIn("tcptype passive", self.answers(1)[0])

    def test_J14_what_was_said_is_kept_to_its_end_when_the_program_ends(self):
        theirs = OtherPeer(660)
        self.addCleanup(theirs.close)
        theirs.answered(json.loads(self.post(json.dumps({"type": "offer", "sdp": theirs.offer()}).encode())[1])["sdp"])
        eventually(lambda: abs(theirs.ear.pitch() - 660) < 5, "they hear themselves")
        self.stop()
        kept = next(Path(self.folder.name).glob("*.ogg"))
        told = subprocess.run(["opusinfo", str(kept)], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("WARNING", told)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_J14_packets_of_all_calls_are_in_one_capture(self):
        peers = [OtherPeer(pitch) for pitch in (500, 600, 700)]
        for peer in peers:
            self.addCleanup(peer.close)
            peer.answered(json.loads(self.post(json.dumps({"type": "offer", "sdp": peer.offer()}).encode())[1])["sdp"])
        for peer in peers:
            eventually(lambda: abs(peer.ear.pitch() - peer.tone.hertz) < 5, "they hear themselves")
        self.stop()
        command = ["tshark", "-r", str(self.capture), "--enable-heuristic", "rtp_udp"]
        told = subprocess.run(
            [*command, "-Y", "rtp.p_type == 96", "-T", "fields", "-e", "rtp.ssrc"], capture_output=True, text=True, check=True)
        self.assertEqual(len(set(told.stdout.split())), 6, "streams, one each way")

    def test_J14_what_is_no_offer_is_refused(self):
        for body in (b"", b"nonsense", b"{}", b'{"type":"answer","sdp":""}', b'{"type":"offer","sdp":"v=1"}'):
            self.assertEqual(self.post(body)[0], 400, body)
        self.assertEqual(self.post(b"x" * 300_000)[0], 413)
        self.assertEqual(list(Path(self.folder.name).glob("*.ogg")), [])


class Ours(unittest.TestCase):
    def test_J01_two_of_ours_talk_and_say_how_long_it_took(self):
        left, right = JSONPeer("offer", "--play", "tone:440"), JSONPeer("answer", "--play", "tone:880")
        for peer in (left, right):
            self.addCleanup(peer.close)
        right.say(**left.expect("sdp"))
        left.say(**right.expect("sdp"))
        for here, there in ((left, right), (right, left)):
            while True:
                candidate = here.expect("cand")
                there.say(**candidate)
                if not candidate["candidate"]:
                    break
        for peer in (left, right):
            self.assertLess(peer.connected(), 2000)
            peer.expect("media", lambda line: line["n"] > 20)
        self.assertEqual((left.close(), right.close()), (0, 0))

    def test_nonsense_is_said_to_be_nonsense_and_harms_nobody(self):
        peer = JSONPeer("offer")
        self.addCleanup(peer.close)
        peer.expect("sdp")
        peer.process.stdin.write("what?\n[1]\n{\"t\":\"dance\"}\n")
        peer.say(t="sdp", type="answer", sdp="v=0")
        peer.say(t="sdp", type="question", sdp="")
        peer.say(t="cand", candidate="candidate:nobody")
        peer.process.stdin.flush()
        eventually(lambda: peer.complaints().count("parley peer:") >= 5, "five complaints")
        self.assertEqual(peer.close(), 0)


if __name__ == "__main__":
    unittest.main()
