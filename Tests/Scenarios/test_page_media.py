"""What one browser records another one plays, and what the command line made both do."""

import hashlib
import json
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path

from pages import PageTest
from people import Person
from pitch import RATE, tone
from server import binary
from visitors import Visitor, need_browser
from wire import ask_http

GRANT = "() => JSON.parse(Object.values(localStorage)[0])"
RECORD = """
async ([token, to]) => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 320, height: 240 } });
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp8,opus' });
  const parts = [];
  const over = new Promise((done) => { recorder.onstop = done; });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.start();
  setTimeout(() => recorder.stop(), 1500);
  await over;
  for (const track of stream.getTracks()) track.stop();
  const clip = new Blob(parts, { type: 'video/webm' });
  const form = new FormData();
  form.append('file', clip, 'clip.webm');
  const headers = { Authorization: `Bearer ${token}` };
  const { file } = await (await fetch('/v1/files', { method: 'POST', headers, body: form })).json();
  const message = JSON.stringify({ kind: 'video', body: { file } });
  headers['Content-Type'] = 'application/json';
  const sent = await fetch(`/v1/users/${to}/messages`, { method: 'POST', headers, body: message });
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await clip.arrayBuffer()));
  return [sent.status, Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')];
}
"""
PLAY = """
async ([kind, url]) => {
  const player = document.createElement(kind);
  player.src = url;
  document.body.append(player);
  const over = new Promise((done, fail) => { player.onended = done; player.onerror = () => fail(player.error.message); });
  await player.play();
  await over;
  const frames = player.getVideoPlaybackQuality?.().totalVideoFrames;
  return { seconds: player.currentTime, width: player.videoWidth, height: player.videoHeight, frames };
}
"""
# The loudest pitch in the middle of a sound.
PITCH = """
async (url) => {
  const sound = await new AudioContext().decodeAudioData(await (await fetch(url)).arrayBuffer());
  const samples = sound.getChannelData(0);
  const middle = samples.subarray(samples.length / 4, samples.length * 3 / 4);
  let rises = 0;
  for (let i = 1; i < middle.length; i += 1) if (middle[i - 1] < 0 && middle[i] >= 0) rises += 1;
  return rises * sound.sampleRate / middle.length;
}
"""


def setUpModule() -> None:
    need_browser()


class MediaMessages(PageTest):
    def listener(self, visitor: Visitor) -> Person:
        person = Person(self.server, token=visitor.page.evaluate(GRANT)["accessToken"])
        self.addCleanup(person.link.close)
        person.ask("chat.sync")
        return person

    def describe(self, person: Person, file: str) -> dict:
        return ask_http(self.server, "GET", f"/v1/files/{file}", headers={"Authorization": f"Bearer {person.token}"}).json

    def test_D11_a_video_is_recorded_in_one_browser_sent_and_played_in_another(self):
        """D11.record D11.send D11.play"""
        anna, bo = self.pair()
        listener = self.listener(bo)
        token = anna.page.evaluate(GRANT)["accessToken"]
        status, digest = anna.page.evaluate(RECORD, [token, listener.user])
        self.assertEqual(status, 201)
        about = self.describe(listener, listener.expect("chat.entry", kind="video")["body"]["file"])
        self.assertEqual((about["type"], about["name"]), ("video/webm", "clip.webm"))
        fetched = ask_http(self.server, "GET", about["url"])
        self.assertEqual((fetched.status, hashlib.sha256(fetched.body).hexdigest()), (200, digest))
        played = bo.page.evaluate(PLAY, ["video", about["url"]])
        self.assertEqual((played["width"], played["height"]), (320, 240))
        self.assertGreater(played["frames"], 5)
        self.assertGreater(played["seconds"], 1)

    def test_K04_a_voice_message_is_kept_has_its_true_length_and_is_played_in_a_browser(self):
        """K04.stored K04.length K04.plays"""
        bo = self.visitor("Bo")
        listener, speaker = self.listener(bo), Person(self.server, "Anna")
        self.addCleanup(speaker.link.close)
        note = self.note(440, seconds=2)
        headers = {"Authorization": f"Bearer {speaker.token}"}
        upload = headers | {"Content-Type": "multipart/form-data; boundary=x"}
        form = b'--x\r\nContent-Disposition: form-data; name="file"; filename="note.ogg"\r\n\r\n' + note + b"\r\n--x--\r\n"
        file = ask_http(self.server, "POST", "/v1/files", form, upload).json["file"]
        speaker.ask("chat.send", user=listener.user, kind="voice", body={"file": file})
        about = self.describe(listener, listener.expect("chat.entry", kind="voice")["body"]["file"])
        fetched = ask_http(self.server, "GET", about["url"]).body
        self.assertEqual(fetched, note)
        self.assertEqual(self.length(fetched), 2)
        self.assertAlmostEqual(bo.page.evaluate(PLAY, ["audio", about["url"]])["seconds"], 2, delta=0.1)
        self.assertLess(abs(bo.page.evaluate(PITCH, about["url"]) - 440), 5)

    def note(self, hertz: float, seconds: int) -> bytes:
        """A voice message as `parley voice encode` makes it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "note.wav")
            with wave.open(str(path), "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes(tone(hertz, 0, RATE * seconds))
            subprocess.run([binary(), "voice", "encode", path], check=True, capture_output=True)
            return Path(folder, "note.ogg").read_bytes()

    def length(self, note: bytes) -> float:
        """What `parley voice info` tells about it, in seconds."""
        with tempfile.NamedTemporaryFile(suffix=".ogg") as file:
            file.write(note)
            file.flush()
            told = subprocess.run([binary(), "voice", "info", "--json", file.name], check=True, capture_output=True)
        return json.loads(told.stdout)["duration"]


if __name__ == "__main__":
    unittest.main()
