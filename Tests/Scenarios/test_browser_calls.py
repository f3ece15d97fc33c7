"""The command line and a browser call each other."""

import shutil
import subprocess
import unittest
from pathlib import Path

from callers import Household, outcome
from pages import WATCHED, PageTest
from server import eventually
from visitors import Visitor, need_browser

PRESS = "(keys) => window.peers.at(-1).getSenders().find((s) => s.dtmf)?.dtmf.insertDTMF(keys, 100, 70)"
RESTART = "() => window.peers.at(-1).restartIce()"
# The page's statistics of its sound, as they were shortly before the call ended.
FOLLOW = """
() => {
  const peer = window.peers.at(-1);
  const look = async () => {
    const all = [...(await peer.getStats()).values()];
    const [inbound, outbound] = ['inbound-rtp', 'outbound-rtp'].map((type) => all.find((one) => one.type === type && one.kind === 'audio'));
    if (inbound && outbound) window.latest = { inbound, outbound };
    if (peer.connectionState !== 'closed') setTimeout(look, 20);
  };
  look();
}
"""
FRAGMENT = "() => window.peers.at(-1).localDescription.sdp.match(/ice-ufrag:(.+)/)[1]"


def setUpModule() -> None:
    need_browser()


class HouseholdTest(PageTest):
    def setUp(self) -> None:
        super().setUp()
        self.home = Household(self.server)
        self.addCleanup(self.home.close)

    def anna(self) -> Visitor:
        return self.visitor("Anna", 700, (WATCHED,))

    def assert_tone(self, visitor: Visitor, pitch: int) -> None:
        eventually(lambda: abs(visitor.hears() - pitch) < 20, f"{visitor.name} hears {pitch} Hz")


class BrowserCalls(HouseholdTest):
    def test_J01_a_browser_rings_the_command_line_and_hears_itself(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        anna = self.anna()
        anna.ring("echo")
        anna.talks()
        self.assert_tone(anna, 700)
        anna.hang_up()
        self.assertEqual(self.home.answering[0].expect("ended")["outcome"], "completed")

    def test_J01_the_command_line_rings_a_browser(self):
        anna = self.anna()
        call = self.home.call("@Anna", "--as", "Otto", "--play", "tone:523", "--expect-audio", "--duration", "8s")
        anna.is_rung_by("Otto")
        anna.answer()
        anna.talks()
        self.assert_tone(anna, 523)
        code, report = outcome(call)
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))
        anna.is_in_lobby()

    def test_J34_the_report_counts_what_the_browser_counts(self):
        """J34: within one in a hundred of Chromium's own statistics"""
        anna = self.anna()
        call = self.home.call("@Anna", "--as", "Otto", "--play", "tone:523", "--duration", "30s")
        anna.is_rung_by("Otto")
        anna.answer()
        anna.talks()
        anna.page.evaluate(FOLLOW)
        code, report = outcome(call)
        self.assertEqual(code, 0)
        latest = anna.page.evaluate("() => window.latest")
        pairs = {
            "packetsReceived": latest["outbound"]["packetsSent"], "bytesReceived": latest["outbound"]["bytesSent"],
            "packetsSent": latest["inbound"]["packetsReceived"], "bytesSent": latest["inbound"]["bytesReceived"],
        }
        for name, theirs in pairs.items():
            with self.subTest(name):
                self.assertGreater(theirs, 1_400)
                self.assertAlmostEqual(report[name] / theirs, 1, delta=0.01, msg=f"{report[name]} beside {theirs}")
        self.assertEqual((report["packetsLost"], latest["inbound"]["packetsLost"]), (0, 0))

    def test_J04_a_browser_declines_a_call_of_the_command_line(self):
        anna = self.anna()
        call = self.home.call("@Anna", "--as", "Otto")
        anna.is_rung_by("Otto")
        anna.decline()
        self.assertEqual(outcome(call)[0], 10)

    def test_J01_a_picture_is_refused_politely_and_the_sound_goes_on(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        anna = self.anna()
        anna.ring("echo")
        anna.talks()
        self.assert_tone(anna, 700)
        anna.page.get_by_role("button", name="Turn camera on").click()
        anna.page.wait_for_function("() => window.peers.at(-1).signalingState === 'stable'")
        self.assert_tone(anna, 700)

    def test_J01_new_checks_while_the_sound_goes_on(self):
        self.home.answer("--as", "echo", "--echo").expect("ready")
        anna = self.anna()
        anna.ring("echo")
        anna.talks()
        self.assert_tone(anna, 700)
        before = anna.page.evaluate(FRAGMENT)
        anna.page.evaluate(RESTART)
        eventually(lambda: anna.page.evaluate(FRAGMENT) != before, "a new fragment")
        anna.page.wait_for_function("() => window.peers.at(-1).connectionState === 'connected'")
        self.assert_tone(anna, 700)

    def test_J01_keys_of_a_browser_are_heard(self):
        answering = self.home.answer("--as", "menu", "--play", "tone:300")
        answering.expect("ready")
        anna = self.anna()
        anna.ring("menu")
        anna.talks()
        self.assert_tone(anna, 300)
        anna.page.evaluate(PRESS, "42#")
        self.assertEqual([answering.expect("key")["key"] for _ in range(3)], ["4", "2", "#"])


class EmbeddedHandshake(HouseholdTest):
    """Chromium is told to embed the handshake of DTLS in its checks."""

    flags = ("--force-fieldtrials=WebRTC-IceHandshakeDtls/Enabled/",)

    def setUp(self) -> None:
        super().setUp()
        self.capture = Path(self.home.folder.name) / "call.pcapng"

    def assert_checks_carry_it(self) -> None:
        # A check by itself is shorter by far.
        told = subprocess.run(
            ["tshark", "-r", str(self.capture), "-Y", "stun && frame.len > 400 && frame contains c0:70"], capture_output=True,
            text=True, check=True).stdout
        self.assertIn("Binding Request", told)
        self.assertIn("Binding Success Response", told)

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_J38_checks_carry_the_handshake_that_chromium_begins(self):
        anna = self.anna()
        call = self.home.call("@Anna", "--as", "Otto", "--play", "tone:523", "--duration", "3s", "--pcap", str(self.capture))
        anna.is_rung_by("Otto")
        anna.answer()
        anna.talks()
        self.assertEqual(outcome(call)[0], 0)
        self.assert_checks_carry_it()

    @unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
    def test_J38_checks_carry_the_handshake_that_we_begin(self):
        answering = self.home.answer("--as", "echo", "--echo", "--pcap", str(self.capture))
        answering.expect("ready")
        anna = self.anna()
        anna.ring("echo")
        anna.talks()
        self.assert_tone(anna, 700)
        anna.hang_up()
        answering.expect("ended")
        self.assert_checks_carry_it()


if __name__ == "__main__":
    unittest.main()
