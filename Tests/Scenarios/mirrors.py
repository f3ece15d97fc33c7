"""A page that shows itself to `parley answer --http`, and what it sees of itself there: the same in every browser."""

import http.server
import json
import subprocess
import threading
import urllib.request

from server import TIMEOUT, binary

# One camera and one call; whoever drives the browser carries the offer.
OFFER = """
async (codec) => {
  window.peer = new RTCPeerConnection();
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
  for (const track of stream.getTracks()) window.peer.addTrack(track, stream);
  window.received = new MediaStream();
  window.peer.ontrack = ({ track }) => {
    window.received.addTrack(track);
    const video = document.createElement('video');
    [video.srcObject, video.muted, video.autoplay] = [window.received, true, true];
    document.body.replaceChildren(video);
  };
  const video = window.peer.getTransceivers().find(({ sender }) => sender.track?.kind === 'video');
  const codecs = RTCRtpReceiver.getCapabilities('video').codecs.filter(({ mimeType, sdpFmtpLine }) =>
    mimeType === `video/${codec}` && (codec !== 'H264' || sdpFmtpLine.includes('packetization-mode=1')));
  if (!codecs.length) return null;
  video.setCodecPreferences(codecs);
  await window.peer.setLocalDescription();
  while (window.peer.iceGatheringState !== 'complete') await new Promise((soon) => setTimeout(soon, 20));
  return window.peer.localDescription.sdp;
}
"""

ANSWER = "(sdp) => window.peer.setRemoteDescription({ type: 'answer', sdp })"

# What is known of the pictures on their way out and in.
SEEN = """
async () => {
  const all = [...(await window.peer.getStats()).values()];
  const of = (type) => all.find((one) => one.type === type && one.kind === 'video') ?? {};
  const [out, into] = [of('outbound-rtp'), of('inbound-rtp')];
  const codec = all.find(({ id }) => id === into.codecId)?.mimeType ?? '';
  const audio = all.find((one) => one.type === 'inbound-rtp' && one.kind === 'audio') ?? {};
  return {
    codec, decoded: into.framesDecoded ?? 0, encoded: out.framesEncoded ?? 0, width: into.frameWidth ?? 0,
    requested: (out.pliCount ?? 0) + (out.firCount ?? 0), sound: audio.packetsReceived ?? 0,
  };
}
"""

# The receiver's decoder is made to ask for a picture that needs no other, as one does that has lost its way.
ASK_FOR_KEY_FRAME = """
async () => {
  const code = `
    onrtctransform = async ({ transformer }) => {
      transformer.readable.pipeTo(transformer.writable);
      for (let times = 0; times < 50; times += 1) {
        try { await transformer.sendKeyFrameRequest(); break; } catch { await new Promise((on) => setTimeout(on, 100)); }
      }
    };`;
  window.worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  const receiver = window.peer.getReceivers().find(({ track }) => track.kind === 'video');
  receiver.transform = new RTCRtpScriptTransform(window.worker, {});
}
"""


class BlankPage(http.server.BaseHTTPRequestHandler):
    """Nothing but a place that browsers trust with a camera, and with whatever a test brings along."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Mirror</title>")

    def log_message(self, *_) -> None:
        pass


class Pages:
    """Serves blank pages on a thread of its own."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), BlankPage)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class Mirror:
    """`parley answer --http --echo`, for as long as a test looks into it."""

    def __init__(self, *options: str):
        self.process = subprocess.Popen(
            [str(binary()), "answer", "--http", "127.0.0.1:0", "--json", "--echo", *options], stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def answer(self, offer: str) -> str:
        body = json.dumps({"type": "offer", "sdp": offer}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)["sdp"]

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()
