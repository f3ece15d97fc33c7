"""`parley peer` with other stacks, in both roles."""

import asyncio
import fractions
import json
import signal
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

from jsonpeer import JSONPeer
from pitch import RATE, Ear, tone
from server import PATIENCE, binary, eventually

try:
    import av
    from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
except ImportError:
    av = None


if av is not None:

    class Tone(MediaStreamTrack):
        kind = "audio"

        def __init__(self, hertz: float):
            super().__init__()
            self.hertz, self.position, self.start = hertz, 0, None

        async def recv(self):
            loop = asyncio.get_running_loop()
            self.start = self.start or loop.time()
            await asyncio.sleep(max(0, self.start + self.position / RATE - loop.time()))
            frame = av.AudioFrame(format="s16", layout="mono", samples=960)
            frame.planes[0].update(tone(self.hertz, self.position, 960))
            frame.sample_rate, frame.pts, frame.time_base = RATE, self.position, fractions.Fraction(1, RATE)
            self.position += 960
            return frame


class OtherPeer:
    """aiortc, on a loop of its own."""

    def __init__(self, hertz: float):
        self.loop = asyncio.new_event_loop()
        self.ear = Ear()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.do(self._open(hertz))

    def do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)

    async def _open(self, hertz: float) -> None:
        self.connection = RTCPeerConnection()
        self.tone = Tone(hertz)
        self.listening = []
        self.connection.on("track", lambda track: self.listening.append(asyncio.ensure_future(self._listen(track))))

    async def _listen(self, track) -> None:
        while True:
            frame = await track.recv()
            channels = len(frame.layout.channels)
            self.ear.hear(bytes(frame.planes[0])[: frame.samples * 2 * channels], channels)

    async def _offer(self) -> str:
        self.connection.addTrack(self.tone)
        await self.connection.setLocalDescription(await self.connection.createOffer())
        return self.connection.localDescription.sdp

    async def _answer(self, sdp: str) -> str:
        await self.connection.setRemoteDescription(RTCSessionDescription(sdp, "offer"))
        self.connection.addTrack(self.tone)
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return self.connection.localDescription.sdp

    def offer(self) -> str:
        return self.do(self._offer())

    def answer(self, sdp: str) -> str:
        return self.do(self._answer(sdp))

    def answered(self, sdp: str) -> None:
        self.do(self.connection.setRemoteDescription(RTCSessionDescription(sdp, "answer")))

    async def _close(self) -> None:
        for task in self.listening:
            task.cancel()
        await self.connection.close()

    def close(self) -> None:
        self.do(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()


@unittest.skipIf(av is None, "aiortc is not installed")
class Aiortc(unittest.TestCase):
    def pair(self, role: str) -> tuple[JSONPeer, OtherPeer]:
        ours = JSONPeer(role, "--play", "tone:440", "--record", self.record())
        self.addCleanup(ours.close)
        theirs = OtherPeer(880)
        self.addCleanup(theirs.close)
        return ours, theirs

    def record(self) -> str:
        import tempfile
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
        self.assertLess(abs(ear.pitch() - 880), 5)

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
        self.process = subprocess.Popen(
            [str(binary()), "answer", "--http", "127.0.0.1:0", "--echo", "--json"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(PATIENCE), 0)
        self.process.stdout.close()

    def post(self, body: bytes) -> tuple[int, bytes]:
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
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

    def test_J14_what_is_no_offer_is_refused(self):
        for body in (b"", b"nonsense", b"{}", b'{"type":"answer","sdp":""}', b'{"type":"offer","sdp":"v=1"}'):
            self.assertEqual(self.post(body)[0], 400, body)
        self.assertEqual(self.post(b"x" * 300_000)[0], 413)


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
