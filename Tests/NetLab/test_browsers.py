"""Chromium and Firefox behind bad networks call each other with nothing but `parley serve` between them."""

import sys
import unittest
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from authority import certificate, pem  # noqa: E402
from lab import SERVERS, Lab  # noqa: E402
from pages import WATCHED  # noqa: E402
from server import binary, eventually  # noqa: E402
from test_nats import Case  # noqa: E402
from visitors import Company, Visitor, need_browser  # noqa: E402

HOST = SERVERS[0]
# Firefox uses TLS towards a relay only when that has a name.
NAME = "talk.example"
URL = f"https://{NAME}/"
# Outside of a laboratory nobody has such addresses, and relays refuse them.
ALLOWED = ("--turn-allow-peer", "203.0.113.0/24", "--turn-allow-peer", f"{HOST}/32")

# How the pair that is used reaches its relay: udp, tcp or tls; nothing when it is no relay.
WAY = """
async () => {
  const report = await window.peers.at(-1).getStats();
  const stats = [...report.values()];
  const id = stats.find((one) => one.type === 'transport')?.selectedCandidatePairId;
  const pair = report.get(id) ?? stats.find((one) => one.type === 'candidate-pair' && one.selected);
  const local = pair && report.get(pair.localCandidateId);
  return local?.candidateType === 'relay' ? local.relayProtocol : local?.candidateType ?? '';
}
"""

# Leaves a page the relay by UDP alone: where all ways are open, browsers take whichever was there first.
ONLY_UDP = """
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor({ iceServers, ...configuration }) {
    const urls = iceServers.flatMap((server) => [server.urls].flat().map((url) => ({ ...server, urls: url })));
    super({ ...configuration, iceServers: urls.filter(({ urls }) => urls.startsWith('turn:') && !urls.includes('transport=tcp')) });
  }
};
"""

# How loud what arrives is, from 0 to 1.
LOUDNESS = """
async () => {
  const report = await window.peers.at(-1).getStats();
  return Math.max(0, ...[...report.values()].filter((one) => one.type === 'inbound-rtp').map((one) => one.audioLevel ?? 0));
}
"""


def setUpModule() -> None:
    need_browser()


class BrowserTests(Case):
    def setUp(self):
        super().setUp()
        root = certificate(["Laboratory"], (-1, 2), more=[x509.BasicConstraints(True, None)])
        key, own = certificate([NAME], (-1, 2), issuer=root)
        Path(self.folder, "own.pem").write_bytes(pem(key, own))
        Path(self.folder, "root.pem").write_bytes(root[1].public_bytes(serialization.Encoding.PEM))

    def serving(self, lab: Lab):
        """On the ports everybody knows, and with nothing beside it."""
        return self.running(
            lab, str(binary()), "serve", "--listen", f"{HOST}:443", "--admin", "127.0.0.1:0", "--stun", f"{HOST}:3478",
            "--turn", "on", *ALLOWED, "--tls-cert", f"{self.folder}/own.pem", "--tls-key", f"{self.folder}/own.pem",
            "--data", f"{self.folder}/data")

    def company(self, lab: Lab, number: int, browser: str, beside: Company | None = None) -> Company:
        company = Company(browser, lab.name(f"lan{number}"), f"{self.folder}/root.pem", beside)
        self.addCleanup(company.close)
        return company

    @staticmethod
    def visitor(company: Company, name: str, scripts: tuple[str, ...]) -> Visitor:
        return company.visitor_at(URL, 0, (WATCHED, *scripts)).enter(name)

    def assert_talk(self, network: str, *ways: str, scripts: tuple[str, ...] = ()) -> None:
        """Two browsers, each in such a network, hear each other by way of a relay."""
        with Lab(network, network) as lab, self.serving(lab):
            lab.call(NAME, HOST)
            chromium = self.company(lab, 1, "chromium")
            firefox = self.company(lab, 2, "firefox", beside=chromium)
            anna, bo = self.visitor(chromium, "Anna", scripts), self.visitor(firefox, "Bo", scripts)
            anna.ring("Bo")
            bo.is_rung_by("Anna")
            bo.answer()
            for visitor in (anna, bo):
                visitor.talks()
                eventually(lambda: visitor.page.evaluate(LOUDNESS) > 0.05, f"{visitor.name} hears the other")
            # One relay is enough: the other side may send to it directly.
            taken = {visitor.page.evaluate(WAY) for visitor in (anna, bo)}
            self.assertTrue(taken & set(ways), taken)

    def test_J09_browsers_behind_symmetric_nats_talk_through_the_servers_own_relay(self):
        self.assert_talk("symmetric", "udp", "tcp", "tls")

    def test_J09_browsers_behind_symmetric_nats_talk_through_the_servers_own_relay_over_udp(self):
        self.assert_talk("symmetric", "udp", scripts=(ONLY_UDP,))

    def test_J09_browsers_without_udp_talk_through_the_servers_own_relay_over_tcp(self):
        self.assert_talk("udp-blocked", "tcp")

    def test_J09_browsers_that_may_only_use_https_talk_through_the_servers_own_relay_over_tls(self):
        self.assert_talk("https-only", "tls")


if __name__ == "__main__":
    unittest.main()
