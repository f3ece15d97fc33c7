"""What tests of the page begin with."""

import signal
import unittest

from people import VOUCHED
from server import Server, eventually
from visitors import Company, Visitor

# Every connection between two people can be looked at from outside.
WATCHED = """
window.peers = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...options) { super(...options); window.peers.push(this); }
};
"""
# What a page has been granted: who it is, and until when.
GRANT = "() => JSON.parse(Object.values(localStorage)[0] ?? 'null')"


class PageTest(unittest.TestCase):
    """One browser for all tests of a class; a new server and new people for each."""

    browser = "chromium"
    # Whether Firefox has one.
    has_loudspeaker = False
    # Whether service workers show notifications, for which Chromium has to be one that can open windows.
    shows_notifications = False
    # Further command-line flags of Chromium.
    flags: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.company = Company(cls.browser, has_loudspeaker=cls.browser == "firefox" and cls.has_loudspeaker,
                              shows_notifications=cls.shows_notifications, flags=cls.flags)
        cls.addClassCleanup(cls.company.close)

    def setUp(self) -> None:
        self.server = Server(*VOUCHED, testing=False)
        self.addCleanup(self.server.__exit__)

    def tearDown(self) -> None:
        self.assertEqual(self.company.go_home(), [], "errors on the page")

    def restart_server(self, ending: signal.Signals) -> None:
        self.server.tell(ending)
        self.server.wait()
        self.server.begin()

    def visitor(self, name: str, pitch: int = 440, scripts: tuple[str, ...] = (), **options) -> Visitor:
        return self.company.visitor(self.server, pitch, scripts, **options).enter(name)

    def pair(self) -> tuple[Visitor, Visitor]:
        return self.visitor("Anna", 700), self.visitor("Bo", 1500)

    def connect(self, caller: Visitor, callee: Visitor, kind: str = "sound") -> None:
        caller.ring(callee.name, kind)
        callee.is_rung_by(caller.name)
        callee.answer()
        for visitor in (caller, callee):
            visitor.talks()

    def assert_hears(self, listener: Visitor, speaker: Visitor) -> None:
        eventually(lambda: abs(listener.hears() - speaker.pitch) < 20, f"{listener.name} hears {speaker.name}")
