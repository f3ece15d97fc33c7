"""Recording and listening, beyond holding and letting go; in Chromium and in Firefox."""

import base64
import re
import tempfile
import wave
from pathlib import Path

import messenger
from pitch import tone
from server import eventually
from visitors import Visitor, expect, need_browser

# A minute of the recorder takes four seconds.
HURRY = """
() => {
  const now = performance.now.bind(performance);
  const began = now();
  performance.now = () => began + (now() - began) * 15;
}
"""
WATCH_END = """
() => {
  const panel = document.querySelector('#recording');
  window.warned = new Set();
  new MutationObserver(() => { if (!panel.hidden && panel.classList.contains('ending')) window.warned.add(panel.textContent); })
    .observe(panel, { attributes: true, childList: true, characterData: true, subtree: true });
}
"""
# The server may measure it after it was brought; what a page knows of a file it does not ask again.
SAY_RECORDING = """
async ([conversation, note]) => {
  const { Parley } = await import('./parley.js');
  const once = async (work) => {
    const parley = new Parley();
    await parley.signIn();
    try {
      return await work(parley);
    } finally {
      parley.close();
    }
  };
  const file = await once(({ files }) => files.upload(new Blob([Uint8Array.from(atob(note), (letter) => letter.codePointAt(0))])));
  while (!await once(async ({ files }) => (await files.view(file)).duration)) ;
  await once((parley) => parley.request('chat.send', { conversation, kind: 'voice', body: { file } }));
}
"""


def setUpModule() -> None:
    need_browser()


class RecordingTests(messenger.MessengerTest):
    def press(self, visitor: Visitor) -> tuple[float, float]:
        box = visitor.page.locator("#record").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        visitor.page.mouse.move(x, y)
        visitor.page.mouse.down()
        expect(visitor.page.locator("#recording")).to_be_visible()
        return x, y

    def lock(self, visitor: Visitor) -> None:
        x, y = self.press(visitor)
        visitor.page.mouse.move(x - 90, y)
        expect(visitor.page.locator("#recording")).to_have_class(re.compile("locked"))
        visitor.page.mouse.up()
        visitor.page.wait_for_function("() => document.querySelector('#recording').textContent.includes('0:02')")

    def test_K09_a_recording_that_is_locked_goes_on_without_a_hand_and_is_sent_or_cancelled(self):
        anna, bo = self.talking()
        panel = anna.page.locator("#recording")
        self.lock(anna)
        panel.get_by_role("button", name="Cancel").click()
        expect(panel).to_be_hidden()
        self.lock(anna)
        panel.get_by_role("button", name="Send").click()
        expect(bo.page.locator("#history .voice .length")).to_have_text(re.compile("0:0[23]"))
        expect(panel).to_be_hidden()
        expect(panel).not_to_have_class(re.compile("locked"))

    def test_K02_a_recording_ends_after_a_minute_and_the_last_five_seconds_are_warned_of(self):
        """K02.end"""
        anna, bo = self.talking()
        anna.page.evaluate(WATCH_END)
        anna.page.evaluate(HURRY)
        self.press(anna)
        expect(anna.page.locator("#recording")).to_be_hidden(timeout=60_000)
        anna.page.mouse.up()
        expect(bo.page.locator("#history .voice")).to_have_count(1)
        length = bo.page.evaluate("""async (conversation) => {
          const { Parley } = await import('./parley.js');
          const parley = new Parley();
          await parley.signIn();
          const { entries } = await parley.request('chat.history', { conversation, limit: 1 });
          parley.close();
          return entries[0].body.duration;
        }""", bo.page.url.split("/")[-1])
        self.assertEqual(length, 60)
        left = {int(re.search(r"(\d+) second", text.split(":")[1][2:]).group(1)) for text in anna.page.evaluate("() => [...window.warned]")}
        self.assertTrue(left and left <= set(range(6)), left)

    def test_K10_a_voice_message_is_heard_faster(self):
        anna, bo = self.talking()
        self.lock(anna)
        anna.page.locator("#recording").get_by_role("button", name="Send").click()
        bo.page.evaluate("() => { const { play } = HTMLMediaElement.prototype; HTMLMediaElement.prototype.play = function () { window.sound = this; return play.call(this); }; }")
        player = bo.page.locator("#history .voice")
        speed = player.locator(".speed")
        for shown in ("1.5×", "2×", "1×", "1.5×"):
            speed.click()
            expect(speed).to_have_text(shown)
        player.get_by_role("button", name="Play").click()
        eventually(lambda: bo.page.evaluate("() => window.sound?.playbackRate") == 1.5, "it plays faster")
        expect(player.locator("i.played").last).to_be_attached()

    def test_K11_a_recording_of_which_nothing_is_said_is_drawn_as_the_server_measured_it(self):
        """K11.page"""
        anna, bo = self.talking()
        with tempfile.TemporaryDirectory() as folder, wave.open(f"{folder}/note.wav", "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(tone(440, 0, 96_000) + bytes(2 * 48_000))
            file.close()
            note = base64.b64encode(Path(f"{folder}/note.wav").read_bytes()).decode()
        anna.page.evaluate(SAY_RECORDING, [bo.page.url.split("/")[-1], note])
        player = bo.page.locator("#history .voice")
        expect(player.locator(".length")).to_have_text("0:03")
        expect(player.locator("i:nth-child(5)")).to_have_attribute("data-height", re.compile("^([4-9]|10)$"))
        expect(player.locator("i:nth-child(36)")).to_have_attribute("data-height", "1")


class FirefoxRecordingTests(RecordingTests):
    browser = "firefox"
    # A minute of sound is recorded in a few seconds.
    runs_alone = True
