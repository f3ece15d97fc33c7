"""`parley peer` and the peers of others, in both roles, on a clean network and on one that loses a tenth of all packets.

Each says a pitch of its own and has to hear the other's. A network namespace of its own is the network; nftables lose.
"""

import argparse
import contextlib
import functools
import http.server
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from jsonpeer import JSONPeer  # noqa: E402
from otherpeer import OtherPeer, av  # noqa: E402
from pitch import RATE, Ear  # noqa: E402
from visitors import CHROMIUM, Company  # noqa: E402
from firefox import FIREFOX  # noqa: E402

OURS, THEIRS = 440, 880
TIMEOUT = 20.0
ADDRESS = "10.99.0.1"
LOSS = 10
#: With these and our role no GCM is possible: webrtcbin 1.22 has none, and who offers to us chooses, which in Chromium is the older one.
WITHOUT_GCM = {("webrtcbin", "offer"), ("webrtcbin", "answer"), ("Chromium", "answer")}
PACKAGES = {
    "Chromium": "chromium", "Firefox": "firefox-esr", "aiortc": "Scripts/install tests",
    "webrtcbin": "gstreamer1.0-nice gstreamer1.0-plugins-{bad,base,good} python3-gst-1.0 gir1.2-gst-plugins-{bad,base}-1.0"}
SYSTEM_PYTHON = "/usr/bin/python3"

# A peer in a page, with descriptions that have all candidates in them.
PAGE = """
window.begin = (hertz) => {
  window.context = new AudioContext();
  const tone = new OscillatorNode(context, { frequency: hertz });
  const target = new MediaStreamAudioDestinationNode(context);
  tone.connect(target);
  tone.start();
  window.peer = new RTCPeerConnection();
  for (const track of target.stream.getTracks()) peer.addTrack(track, target.stream);
  window.analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 });
  peer.ontrack = ({ track }) => {
    const stream = new MediaStream([track]);
    window.player = Object.assign(new Audio(), { srcObject: stream, muted: true });
    player.play();
    context.createMediaStreamSource(stream).connect(analyser);
  };
};
window.describe = async () => {
  await peer.setLocalDescription();
  for (let turn = 0; peer.iceGatheringState !== 'complete' && turn < 100; turn++) await new Promise((done) => setTimeout(done, 20));
  return peer.localDescription.sdp;
};
window.answer = async (sdp) => {
  await peer.setRemoteDescription({ type: 'offer', sdp });
  return describe();
};
window.answered = (sdp) => peer.setRemoteDescription({ type: 'answer', sdp });
window.pitch = () => {
  const levels = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(levels);
  const loudest = levels.reduce((best, level, index) => (level > levels[best] ? index : best), 0);
  return levels[loudest] < -60 ? 0 : loudest * context.sampleRate / analyser.fftSize;
};
"""


class Empty(http.server.BaseHTTPRequestHandler):
    """A page without anything."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>peer</title>")

    def log_message(self, *_) -> None:
        pass


class Browsers:
    """Each is started once."""

    def __init__(self):
        self.companies: dict[str, Company] = {}
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self, name: str):
        if name not in self.companies:
            beside = next(iter(self.companies.values()), None)
            self.companies[name] = Company(name, beside=beside, has_loudspeaker=name == "firefox")
        context = self.companies[name]._context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{self.server.server_port}/")
        page.add_script_tag(content=PAGE)
        return context, page

    def close(self) -> None:
        for company in reversed(self.companies.values()):
            company.close()
        self.server.shutdown()


class InPage:
    def __init__(self, browsers: Browsers, name: str):
        self.context, self.page = browsers.page(name)
        self.page.evaluate("(hertz) => begin(hertz)", THEIRS)

    def offer(self) -> str:
        return self.page.evaluate("() => describe()")

    def answer(self, sdp: str) -> str:
        return self.page.evaluate("(sdp) => answer(sdp)", sdp)

    def answered(self, sdp: str) -> None:
        self.page.evaluate("(sdp) => answered(sdp)", sdp)

    def pitch(self) -> float:
        return self.page.evaluate("() => pitch()")

    def close(self) -> None:
        self.context.close()


class Aiortc(OtherPeer):
    def __init__(self):
        super().__init__(THEIRS)

    def pitch(self) -> float:
        return self.ear.pitch()


class WebRTCBin:
    def __init__(self):
        program = str(Path(__file__).with_name("gstpeer.py"))
        self.process = subprocess.Popen(
            [SYSTEM_PYTHON, program, str(THEIRS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def ask(self, **question) -> dict:
        self.say(**question)
        return json.loads(self.process.stdout.readline())

    def say(self, **words) -> None:
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def offer(self) -> str:
        return self.ask(do="offer")["sdp"]

    def answer(self, sdp: str) -> str:
        return self.ask(do="answer", sdp=sdp)["sdp"]

    def answered(self, sdp: str) -> None:
        self.say(do="answered", sdp=sdp)

    def pitch(self) -> float:
        return self.ask(do="pitch")["pitch"]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def has_webrtcbin() -> bool:
    question = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst; Gst.init(None); " \
        "raise SystemExit(not (Gst.ElementFactory.find('webrtcbin') and Gst.ElementFactory.find('nicesrc')))"
    return subprocess.run([SYSTEM_PYTHON, "-c", question], capture_output=True, check=False).returncode == 0


def peers(browsers: Browsers) -> dict:
    """Those that are installed: how each is made."""
    all_peers = {
        "Chromium": (CHROMIUM, functools.partial(InPage, browsers, "chromium")),
        "Firefox": (FIREFOX, functools.partial(InPage, browsers, "firefox")),
        "aiortc": (av, Aiortc),
        "webrtcbin": (has_webrtcbin(), WebRTCBin),
    }
    for name, (is_there, _) in all_peers.items():
        if not is_there:
            print(f"{name} is not installed and left out (Debian: {PACKAGES[name]})", file=sys.stderr)
    return {name: make for name, (is_there, make) in all_peers.items() if is_there}


def wait_for(condition) -> float | None:
    """The seconds it took; None when it did not come."""
    start = time.monotonic()
    while time.monotonic() - start < TIMEOUT:
        if condition():
            return time.monotonic() - start
        time.sleep(0.1)
    return None


def lose(percent: int) -> None:
    rule = f"meta l4proto udp numgen random mod 100 < {percent} drop" if percent else ""
    chain = f"chain losing {{\ntype filter hook input priority 0;\n{rule}\n}}"
    rules = f"add table inet lab\ndelete table inet lab\ntable inet lab {{\n{chain}\n}}\n"
    subprocess.run(["nft", "-f", "-"], input=rules, check=True, text=True)


def call(make, role: str) -> dict:
    """One call; what became of it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        record = f"{folder}/heard.wav"
        ours = JSONPeer(role, "--play", f"tone:{OURS}", "--record", record)
        stack.callback(lambda: ours.process.poll() is None and ours.close())
        theirs = make()
        stack.callback(theirs.close)
        if role == "offer":
            ours.say(t="sdp", type="answer", sdp=theirs.answer(ours.described()))
        else:
            ours.say(t="sdp", type="offer", sdp=theirs.offer())
            theirs.answered(ours.described())
        connected = ours.expect("state", lambda line: line["v"] in ("connected", "failed"))
        if connected["v"] == "failed":
            return {"trouble": "not connected"}
        hears_us = wait_for(lambda: abs(theirs.pitch() - OURS) < 25)
        hears_them = wait_for(lambda: abs(pitch_of(record) - THEIRS) < 25)
        trouble = "" if hears_us is not None else f"they hear {theirs.pitch():.0f} Hz "
        trouble += "" if hears_them is not None else f"we hear {pitch_of(record):.0f} Hz"
        return {"ms": connected["ms"], "srtp": connected.get("srtp", ""), "trouble": trouble}


def pitch_of(record: str) -> float:
    with open(record, "rb") as file:
        sound = file.read()[44:]
    ear = Ear()
    ear.hear(sound[-RATE // 2 * 2:])
    return ear.pitch()


def attempt(make, role: str) -> dict:
    signal.alarm(90)
    try:
        return call(make, role)
    except Exception as trouble:  # noqa: BLE001
        return {"trouble": (str(trouble).splitlines() or [""])[0][:80] or type(trouble).__name__}
    finally:
        signal.alarm(0)


def rows(wanted: list[str]):
    browsers = Browsers()
    try:
        for name, make in peers(browsers).items():
            if wanted and name.lower() not in wanted:
                continue
            for role, loss in ((role, loss) for role in ("offer", "answer") for loss in (0, LOSS)):
                lose(loss)
                yield name, role, loss, attempt(make, role)
    finally:
        browsers.close()


def enter_network() -> None:
    """Begins anew in a network of its own."""
    if os.environ.get("PARLEY_INTEROP") == "inside":
        for words in (("link", "set", "lo", "up"), ("link", "add", "v0", "type", "veth", "peer", "name", "v1"),
                      ("addr", "add", f"{ADDRESS}/24", "dev", "v0"), ("link", "set", "v0", "up"), ("link", "set", "v1", "up"),
                      ("route", "add", "default", "dev", "v0")):
            subprocess.run(["ip", *words], check=True)
        return
    os.environ["PARLEY_INTEROP"] = "inside"
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])


def give_up(*_) -> None:
    raise TimeoutError("nothing more after 90 s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peers", nargs="*", help="only these, such as aiortc")
    arguments = parser.parse_args()
    enter_network()
    print("| with | they | lost | connected ms | SRTP | both heard |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    failures = 0
    signal.signal(signal.SIGALRM, give_up)
    for name, role, loss, result in rows([peer.lower() for peer in arguments.peers]):
        is_weaker = not result["trouble"] and "GCM" not in result["srtp"] and (name, role) not in WITHOUT_GCM
        words = result["trouble"] or ("yes, but without GCM" if is_weaker else "yes")
        failures += 1 if result["trouble"] or is_weaker else 0
        theirs = "answer" if role == "offer" else "offer"
        srtp = result.get("srtp", "–").removeprefix("SRTP_")
        print(f"| {name} | {theirs} | {loss} % | {result.get('ms', '–')} | {srtp} | {words} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
