"""Pictures pass through the command line as they are: real browsers see themselves."""

import re
import unittest

from callers import Household
from firefox import Firefox, need_firefox
from mirrors import ANSWER, ASK_FOR_KEY_FRAME, OFFER, SEEN, Mirror, Pages
from pages import WATCHED, PageTest
from server import eventually
from visitors import Company, need_browser

DIRECTION = """
(direction) => {
  const peer = window.peers.at(-1);
  peer.getTransceivers().find(({ sender }) => sender.track?.kind === 'video').direction = direction;
}
"""
STABLE = "() => window.peers.at(-1).signalingState === 'stable'"
SHOWN = """
async () => {
  const all = [...(await window.peers.at(-1).getStats()).values()];
  const of = (type) => all.find((one) => one.type === type && one.kind === 'video') ?? {};
  const [out, into] = [of('outbound-rtp'), of('inbound-rtp')];
  return { decoded: into.framesDecoded ?? 0, requested: (out.pliCount ?? 0) + (out.firCount ?? 0),
           keyFrames: out.keyFramesEncoded ?? 0 };
}
"""


class Looks:
    """What every browser is to see of itself. `evaluate` runs a function in its page."""

    def look(self, codec: str, *options: str) -> dict:
        """Calls, and waits for pictures that were decoded after their way there and back."""
        mirror = Mirror("--video", *options)
        self.addCleanup(mirror.close)
        offer = self.evaluate(OFFER, codec)
        self.assertIsNotNone(offer, f"the browser has {codec}")
        answer = mirror.answer(offer)
        self.assertEqual(re.findall(r"^m=(\w+) (\d+)", answer, re.M), [("audio", "9"), ("video", "9")])
        self.evaluate(ANSWER, answer)
        eventually(lambda: self.seen()["decoded"] >= 30, "thirty pictures came back", 40)
        return self.seen()

    def seen(self) -> dict:
        return self.evaluate(SEEN)

    def sees(self, codec: str) -> None:
        seen = self.look(codec)
        self.assertEqual(seen["codec"], f"video/{codec}")
        self.assertGreater(seen["width"], 0)
        self.assertGreater(seen["sound"], 0)
        eventually(lambda: self.seen()["decoded"] >= seen["decoded"] + 30, "more pictures come back")

    def asks(self, codec: str) -> None:
        """A receiver's request for a key frame goes to the sender, which is the same browser, and is answered."""
        before = self.look(codec)
        self.evaluate(ASK_FOR_KEY_FRAME)
        eventually(lambda: self.seen()["requested"] > before["requested"], "the sender was asked for a key frame")
        asked = self.seen()
        eventually(lambda: self.seen()["decoded"] >= asked["decoded"] + 30, "pictures come back after it")


class ChromiumSeesItself(Looks, unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        need_browser()
        cls.company = Company()
        cls.addClassCleanup(cls.company.close)
        cls.pages = Pages()
        cls.addClassCleanup(cls.pages.close)

    def setUp(self) -> None:
        context = self.company.browser.new_context(permissions=["camera", "microphone"])
        self.addCleanup(context.close)
        self.page = context.new_page()
        self.page.goto(self.pages.url)

    def evaluate(self, function: str, *arguments):
        return self.page.evaluate(f"(all) => ({function})(...all)", list(arguments))

    def test_J15_chromium_sees_itself_in_vp8(self):
        """J15.echo"""
        self.sees("VP8")

    def test_J16_chromium_sees_itself_in_h264(self):
        """J16.echo"""
        self.sees("H264")

    def test_J15_without_the_option_pictures_are_rejected_and_the_sound_goes_on(self):
        """J15.rejected"""
        mirror = Mirror()
        self.addCleanup(mirror.close)
        answer = mirror.answer(self.evaluate(OFFER, "VP8"))
        self.assertEqual(re.findall(r"^m=(\w+) (\d+)", answer, re.M), [("audio", "9"), ("video", "0")])
        self.evaluate(ANSWER, answer)
        eventually(lambda: self.seen()["sound"] > 50, "sound comes back")
        self.assertEqual(self.seen()["decoded"], 0)


class FirefoxSeesItself(Looks, unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        need_firefox()
        cls.pages = Pages()
        cls.addClassCleanup(cls.pages.close)

    def setUp(self) -> None:
        self.firefox = Firefox()
        self.addCleanup(self.firefox.close)
        self.firefox.open(self.pages.url)

    def evaluate(self, function: str, *arguments):
        return self.firefox.evaluate(function, *arguments)

    def test_J15_firefox_sees_itself_in_vp8(self):
        """J15.firefox"""
        self.sees("VP8")

    def test_J15_firefox_asks_for_a_key_frame_and_gets_it(self):
        """J15.keyframes J15.firefox"""
        self.asks("VP8")


class LateEcho(PageTest):
    def test_J15_an_echo_that_begins_late_begins_with_a_key_frame_that_was_asked_for(self):
        """J15.keyframes"""
        home = Household(self.server)
        self.addCleanup(home.close)
        home.answer("--as", "mirror", "--echo", "--video").expect("ready")
        anna = self.visitor("Anna", 700, (WATCHED,))
        anna.ring("mirror", "picture")
        anna.talks()
        seen = lambda: anna.page.evaluate(SHOWN)
        eventually(lambda: seen()["decoded"] >= 30, "Anna sees herself")
        anna.page.evaluate(DIRECTION, "sendonly")
        anna.page.wait_for_timeout(1500)
        before = seen()
        anna.page.evaluate(DIRECTION, "sendrecv")
        eventually(lambda: seen()["requested"] > before["requested"], "a key frame is asked for")
        eventually(lambda: seen()["keyFrames"] > before["keyFrames"], "and made")
        eventually(lambda: seen()["decoded"] >= before["decoded"] + 30, "Anna sees herself again")
        self.assert_hears(anna, anna)


if __name__ == "__main__":
    unittest.main()
