"""aiortc, which says one pitch and hears another."""

import asyncio
import fractions
import threading

from pitch import RATE, Ear, tone
from server import TIMEOUT

try:
    import av
    from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
    from aiortc.sdp import candidate_from_sdp
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
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(TIMEOUT)

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

    async def _add(self, candidate: dict) -> None:
        text = candidate["candidate"]
        parsed = candidate_from_sdp(text.removeprefix("candidate:")) if text else None
        if parsed:
            parsed.sdpMid, parsed.sdpMLineIndex = candidate.get("sdpMid"), candidate.get("sdpMLineIndex")
        await self.connection.addIceCandidate(parsed)

    def add(self, candidate: dict) -> None:
        self.do(self._add(candidate))

    async def _close(self) -> None:
        for task in self.listening:
            task.cancel()
        await self.connection.close()

    def close(self) -> None:
        self.do(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(TIMEOUT)
        self.loop.close()
