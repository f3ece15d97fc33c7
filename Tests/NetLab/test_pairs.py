"""Two of our peers behind real NATs find the cheapest path to each other."""

import contextlib
import queue
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from lab import SERVERS, Lab  # noqa: E402
from server import binary, eventually  # noqa: E402
from test_nats import Case  # noqa: E402


def program() -> Path:
    path = binary().parent / "PathPeer"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: swift build --product PathPeer")
    return path


class Peer:
    """One of two. Its lines are kept, and what the other side should hear of them is handed on."""

    def __init__(self, lab: Lab, number: int, role: str):
        words = [str(program()), role, f"10.{number}.0.2", f"{SERVERS[0]}:3478", f"{SERVERS[0]}:3478"]
        self.process = subprocess.Popen(
            lab.command(f"lan{number}", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines: list[tuple[float, str]] = []
        self.heard: queue.Queue = queue.Queue()
        self.other: Peer | None = None

    def meet(self, other: "Peer") -> None:
        self.other = other
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            line = line.strip()
            self.lines.append((time.monotonic(), line))
            if line.startswith(("remote ", "candidate:", "end")):
                with contextlib.suppress(BrokenPipeError, ValueError):
                    self.other.process.stdin.write(line + "\n")
                    self.other.process.stdin.flush()

    def said(self, start: str) -> list[str]:
        return [line for _, line in self.lines if line.startswith(start)]

    def is_settled(self) -> bool:
        """Whether it is connected and has not changed its mind for longer than better paths are looked for."""
        chosen = [moment for moment, line in self.lines if line.startswith("selected")]
        is_connected = self.said("state")[-1] in ("state connected", "state completed")
        return is_connected and bool(chosen) and time.monotonic() - chosen[-1] > 4

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


class PairTests(Case):
    """The cheapest path there can be, for each two kinds of NAT."""

    def route(self, one: str, other: str) -> str:
        """Lets two peers meet and says how they speak at the end: direct, or through a relay."""
        with Lab(one, other) as lab, self.coturn(lab):
            peers = [Peer(lab, 1, "controlling"), Peer(lab, 2, "controlled")]
            try:
                peers[0].meet(peers[1])
                peers[1].meet(peers[0])
                eventually(lambda: "heard hello yourself" in peers[0].said("heard"), f"{one} reaches {other}")
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
