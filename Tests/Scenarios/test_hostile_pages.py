"""parley.js in a browser against servers that lie, stall, flood and cut: it says why it cannot get in, or comes back later, and
never throws where nobody catches it."""

import itertools
import json
import time
import unittest

from hostile import HostileServer, Victim, frame
from server import ROOT, eventually
from visitors import FLAGS, HEADLESS_CHROMIUM, need_browser, sync_playwright

WEB = ROOT / "Sources/Assets/Web"
NOW = 1_000 * int(time.time())
GRANT = {"user": "eve", "name": "Eve", "accessToken": "t", "refreshToken": "r", "expires": NOW + 3_600_000}
PAGE = b"<!doctype html><meta charset=utf-8><title>hostile</title>"
SIGN_IN = """
async () => {
  const { Parley } = await import('/parley.js');
  window.parley = new Parley();
  window.told = [];
  for (const type of ['state', 'call', 'presence', 'signedOut']) parley.addEventListener(type, () => told.push(type));
  try {
    await Promise.race([parley.signIn({ name: 'Eve' }), new Promise((_, fail) => setTimeout(() => fail({ code: 'late' }), 20_000))]);
    return 'in';
  } catch (error) {
    return error.code ?? `${error}`;
  }
}
"""


def setUpModule() -> None:
    need_browser()


class HostilePages(unittest.TestCase):
    mostly_waits = True

    @classmethod
    def setUpClass(cls) -> None:
        cls.player = sync_playwright().start()
        cls.addClassCleanup(cls.player.stop)
        cls.browser = cls.player.chromium.launch(executable_path=HEADLESS_CHROMIUM, args=FLAGS)
        cls.addClassCleanup(cls.browser.close)

    def open(self, auth, line):
        """A page of a server that answers requests for a token by `auth` and WebSockets by `line`."""

        def behave(victim: Victim) -> None:
            while True:
                victim.read_request()
                target = victim.head.split()[1].decode().partition("?")[0]
                if target.startswith("/v1/auth/"):
                    return auth(victim)
                if victim.wants_web_socket:
                    return line(victim)
                if target.startswith("/socket.io/"):
                    return victim.answer(b"", "503 Service Unavailable")
                path = WEB / target.strip("/")
                if path.suffix == ".js" and path.is_file():
                    victim.answer(path.read_bytes(), Content_Type="text/javascript")
                else:
                    victim.answer(PAGE, Content_Type="text/html")

        server = self.enterContext(HostileServer(behave))
        context = self.browser.new_context()
        self.addCleanup(context.close)
        page = context.new_page()
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(server.url)
        return page, server

    @staticmethod
    def grant(victim: Victim) -> None:
        victim.answer(GRANT)

    @staticmethod
    def enter(victim: Victim) -> None:
        """Lets the page in, as an honest server does."""
        victim.open()
        victim.read_frame()
        victim.frame('40{"sid":"BBBBBBBBBBBBBBBBBBBB","pid":"CCCCCCCCCCCCCCCCCCCC"}')
        victim.event("welcome", {"user": "eve", "name": "Eve", "member": "B" * 20, "expires": GRANT["expires"], "iceServers": []})

    def test_a_sign_in_that_is_none_is_told(self):
        for auth in (
            lambda v: v.answer(b"null"), lambda v: v.answer(b"[" * 100_000), lambda v: v.answer({"user": 5}), lambda v: None,
            lambda v: v.answer(GRANT | {"expires": "soon"}), lambda v: v.answer(b"", "307 Temporary Redirect", Location="/elsewhere"),
            lambda v: (v.send(b"HTTP/1.1 200 OK\r\n\r\n"), v.flood(itertools.repeat(b" " * 65_536))),
        ):
            page, _ = self.open(auth, Victim.stall)
            self.assertEqual(page.evaluate(SIGN_IN), "unreachable")
            self.assertEqual(self.errors, [])

    def test_a_line_that_is_none_is_left_and_tried_again_with_pauses(self):
        def lies(*frames: str):
            def line(victim: Victim) -> None:
                victim.accept()
                for text in frames:
                    victim.frame(text)
                victim.stall()

            return line

        for line in (
            lies("0"), lies("0null"), lies("0{}"), lies('0{"sid":1,"pingInterval":-1e308,"pingTimeout":1}'), lies("x" * 5_000_000),
            lies('0{"sid":"a","pingInterval":25000,"pingTimeout":20000}', "40null"), lies("40{", "4"), lies("43"), lies("42{}"),
            lambda v: (v.accept(), v.send(b"\x81\x7f" + (1 << 62).to_bytes(8))), lambda v: v.accept(proof="AAAA"),
        ):
            page, server = self.open(self.grant, line)
            page.evaluate(f"() => {{ window.outcome = ({SIGN_IN})() }}")
            page.wait_for_timeout(3_000)
            self.assertNotEqual(page.evaluate("parley.state"), "connected")
            self.assertLess(server.visits, 40, "it comes too often")
            self.assertEqual(self.errors, [])

    def test_what_an_online_server_says_wrongly_does_not_end_the_page(self):
        for text in (
            "42", "42[]", "42[5]", "42[null,null]", '42["welcome"]', '42["signal"]', '42["call.incoming"]', '42["presence"]', "431", "43[]",
            '42["call.connected",{"call":"x"}]', '42["call.ended",null]', '42["room.joined",{"room":5}]', '42["ice.servers"]',
            '42["session.ending"]', "41", '44{"message":5}', "40null", "5", "", "451-[1]", "42" + "[" * 100_000,
        ):
            def line(victim: Victim, text: str = text) -> None:
                self.enter(victim)
                victim.frame(text)
                victim.stall()

            with self.subTest(text[:40]):
                page, server = self.open(self.grant, line)
                self.assertEqual(page.evaluate(SIGN_IN), "in")
                page.wait_for_timeout(500)
                self.assertEqual(self.errors, [])
                self.assertLess(server.visits, 30)

    def test_calls_without_end_are_not_all_taken(self):
        def line(victim: Victim) -> None:
            self.enter(victim)
            for number in range(10_000):
                victim.send(frame("42" + json.dumps(["call.incoming", {
                    "call": f"{number:020}", "kind": "audio", "from": {"member": "D" * 20, "user": "bob", "name": "<img src=x onerror=alert(1)>"}}])))
            victim.event("presence", {"user": "bob", "online": True})
            victim.stall()

        page, _ = self.open(self.grant, line)
        self.assertEqual(page.evaluate(SIGN_IN), "in")
        eventually(lambda: "presence" in page.evaluate("told"), "what came behind the calls is heard")
        self.assertEqual(page.evaluate("told.filter((type) => type === 'call').length"), 16)
        self.assertEqual(self.errors, [])


if __name__ == "__main__":
    unittest.main()
