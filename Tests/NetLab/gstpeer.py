"""webrtcbin of GStreamer as a peer: says one pitch, hears another. Signals and what it hears are lines of JSON.

Runs with the system's Python, which has GStreamer's bindings.
"""

import json
import sys
import threading
from pathlib import Path

import gi

for name in ("Gst", "GstApp", "GstSdp", "GstWebRTC"):
    gi.require_version(name, "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from pitch import Ear  # noqa: E402

CAPS = "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,encoding-params=(string)2,payload=111"
KINDS = {"offer": GstWebRTC.WebRTCSDPType.OFFER, "answer": GstWebRTC.WebRTCSDPType.ANSWER}


def say(**fields) -> None:
    print(json.dumps(fields), flush=True)


class Peer:
    def __init__(self, hertz: float):
        self.ear = Ear()
        self.pipeline = Gst.parse_launch(
            f"webrtcbin name=peer bundle-policy=max-bundle audiotestsrc is-live=true freq={hertz} ! audioconvert ! "
            f"audioresample ! opusenc ! rtpopuspay pt=111 ! {CAPS} ! peer.")
        self.peer = self.pipeline.get_by_name("peer")
        self.peer.connect("pad-added", self._heard)
        self.peer.connect("notify::ice-gathering-state", lambda *_: GLib.idle_add(self._gathered))
        self.kind = None
        # What the bindings would free while it is still in use.
        self.kept = []
        self.pipeline.set_state(Gst.State.PLAYING)

    def _heard(self, _, pad) -> None:
        if pad.direction != Gst.PadDirection.SRC:
            return
        sink = Gst.parse_bin_from_description(
            "rtpopusdepay ! opusdec plc=true ! audioconvert ! audioresample ! audio/x-raw,format=S16LE,rate=48000,channels=1 ! "
            "appsink name=out emit-signals=true sync=false", True)
        sink.get_by_name("out").connect("new-sample", self._sample)
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.link(sink.get_static_pad("sink"))

    def _sample(self, sink) -> Gst.FlowReturn:
        buffer = sink.emit("pull-sample").get_buffer()
        self.ear.hear(buffer.extract_dup(0, buffer.get_size()))
        return Gst.FlowReturn.OK

    def _gathered(self) -> None:
        if self.peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE and self.kind:
            kind, self.kind = self.kind, None
            say(type=kind, sdp=self.peer.get_property("local-description").sdp.as_text())

    def describe(self, kind: str) -> None:
        self.kind = kind
        promise = Gst.Promise.new_with_change_func(self._described, kind)
        self.peer.emit(f"create-{kind}", None, promise)

    def _described(self, promise, kind: str) -> None:
        reply = promise.get_reply()
        made = reply.get_value(kind)
        sdp = made.sdp
        text = sdp.as_text()
        self.kept += [promise, reply, made, sdp]
        self.peer.emit("set-local-description", self._description(kind, text), Gst.Promise.new())
        GLib.idle_add(self._gathered)

    def _description(self, kind: str, text: str) -> GstWebRTC.WebRTCSessionDescription:
        _, sdp = GstSdp.SDPMessage.new_from_text(text)
        description = GstWebRTC.WebRTCSessionDescription.new(KINDS[kind], sdp)
        self.kept.append((sdp, description))
        return description

    def take(self, line: dict) -> None:
        if line["do"] == "offer":
            self.describe("offer")
        elif line["do"] == "answer":
            taken = Gst.Promise.new_with_change_func(lambda *_: self.describe("answer"))
            self.peer.emit("set-remote-description", self._description("offer", line["sdp"]), taken)
        elif line["do"] == "answered":
            self.peer.emit("set-remote-description", self._description("answer", line["sdp"]), Gst.Promise.new())
        elif line["do"] == "pitch":
            say(pitch=self.ear.pitch())


def read(peer: Peer, loop: GLib.MainLoop) -> None:
    for line in sys.stdin:
        GLib.idle_add(peer.take, json.loads(line))
    loop.quit()


def main() -> None:
    Gst.init(None)
    loop = GLib.MainLoop()
    peer = Peer(float(sys.argv[1]))
    threading.Thread(target=read, args=(peer, loop), daemon=True).start()
    loop.run()
    peer.pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
