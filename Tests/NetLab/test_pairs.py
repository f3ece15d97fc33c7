"""Two of our peers behind real NATs find the cheapest path to each other."""

import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from lab import SERVERS, Lab  # noqa: E402
from pathpeer import PathPeer, introduce  # noqa: E402
from server import eventually  # noqa: E402
from test_nats import Case  # noqa: E402


class Peer(PathPeer):
    """One of two, each on a LAN of its own."""

    def __init__(self, lab: Lab, number: int, role: str):
        server = f"{SERVERS[0]}:3478"
        super().__init__(
            role, f"10.{number}.0.2", f"stun={server}", f"turn={server}", within=tuple(lab.command(f"lan{number}")))

    def is_settled(self) -> bool:
        """Whether it is connected and has not changed its mind for longer than better paths are looked for."""
        chosen = [moment for moment, line in self.lines if line.startswith("selected")]
        is_connected = self.said("state")[-1] in ("state connected", "state completed")
        return is_connected and bool(chosen) and time.monotonic() - chosen[-1] > 4


class PairTests(Case):
    """The cheapest path there can be, for each two kinds of NAT."""

    def route(self, one: str, other: str) -> str:
        """Lets two peers meet and says how they speak at the end: direct, or through a relay."""
        with Lab(one, other) as lab, self.coturn(lab):
            peers = [Peer(lab, 1, "controlling"), Peer(lab, 2, "controlled")]
            try:
                introduce(*peers)
                eventually(lambda: peers[0].has_said("heard hello yourself"), f"{one} reaches {other}")
                eventually(
                    lambda: all(peer.is_settled() for peer in peers), f"{one} and {other} have tried everything")
            finally:
                for peer in peers:
                    peer.end()
        kinds = {self.kind(peer) for peer in peers}
        self.assertEqual(len(kinds), 1, [peer.lines for peer in peers])
        return kinds.pop()

    @staticmethod
    def kind(peer: Peer) -> str:
        _, way, remote = peer.said("selected")[-1].split()
        return "relay" if way == "relay" or remote.startswith(SERVERS[0]) else "direct"

    def test_two_cones_are_punched_through(self):
        self.assertEqual(self.route("cone", "cone"), "direct")

    def test_a_full_cone_is_reached_from_a_symmetric_nat(self):
        self.assertEqual(self.route("full-cone", "symmetric"), "direct")

    def test_two_symmetric_nats_need_a_relay(self):
        self.assertEqual(self.route("symmetric", "symmetric"), "relay")

    def test_where_udp_is_blocked_the_relay_is_reached_over_tcp(self):
        self.assertEqual(self.route("udp-blocked", "cone"), "relay")


if __name__ == "__main__":
    unittest.main()
