"""The built binary behind real NATs, with a real coturn on the other side."""

import contextlib
import dataclasses
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from impairment import Direction, Line  # noqa: E402
from lab import KINDS, SERVERS, Lab  # noqa: E402
from server import TIMEOUT, binary, eventually  # noqa: E402

ACCOUNT = ("--username", "user", "--credential", "pass")


class Case(unittest.TestCase):
    """A laboratory with a server on the wan."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="parley-netlab-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def running(self, lab: Lab, *words: str):
        """A server on the wan, ready to answer over UDP."""
        process = subprocess.Popen(
            lab.command("wan", *words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            eventually(lambda: ":3478 " in lab.inside("wan", "ss", "-Hlnu"), f"{words[0]} listens")
            yield
        finally:
            process.kill()
            process.wait()

    def coturn(self, lab: Lab):
        return self.running(
            lab, "turnserver", "-n", "--no-cli", "--lt-cred-mech", "--user=user:pass", "--realm=lab.example",
            *(f"--listening-ip={address}" for address in SERVERS), f"--relay-ip={SERVERS[0]}",
            f"--userdb={self.folder}/db", f"--pidfile={self.folder}/pid", "--log-file=stdout", "--simple-log")


class NATTests(Case):
    def stun(self, lab: Lab, *words: str, space: str = "lan1") -> dict:
        done = subprocess.run(
            lab.command(space, str(binary()), "stun", "--json", *words), capture_output=True, check=False, text=True,
            timeout=4 * TIMEOUT)
        self.assertIn(done.returncode, (0, 1, 69), done.stderr)
        return json.loads(done.stdout)

    def natdiscovery(self, lab: Lab) -> dict[str, str]:
        told = subprocess.run(
            lab.command("lan1", "turnutils_natdiscovery", "-m", "-f", SERVERS[0]), capture_output=True, check=False,
            text=True, timeout=4 * TIMEOUT).stdout
        found = {}
        for words, property_ in re.findall(r"NAT with (.*) (Mapping|Filtering)!", told):
            found[property_.lower()] = words.lower().replace(" ", "-")
        return found

    def test_J09_every_nat_is_described_as_it_was_built_and_as_coturns_own_tool_describes_it(self):
        for name, kind in KINDS.items():
            with self.subTest(name), Lab(name) as lab, self.coturn(lab):
                found = self.stun(lab, f"stun:{SERVERS[0]}")["networks"].get("ipv4", {})
                if kind.mapping is None:
                    self.assertEqual((found.get("mapping"), self.natdiscovery(lab)), (None, {}))
                    continue
                self.assertEqual((found["mapping"], found["filtering"]), (kind.mapping, kind.filtering))
                self.assertEqual(found["translated"], name != "open")
                if name != "open":
                    self.assertTrue(found["mapped"].startswith(f"{lab.outer(1)}:"))
                self.assertEqual(self.natdiscovery(lab), {"mapping": kind.mapping, "filtering": kind.filtering})

    def test_J09_how_long_a_nat_keeps_a_binding_is_found_out(self):
        with Lab("cone") as lab, self.coturn(lab):
            for setting in ("nf_conntrack_udp_timeout", "nf_conntrack_udp_timeout_stream"):
                lab.inside("nat1", "sysctl", "-qw", f"net.netfilter.{setting}=25")
            report = self.stun(lab, f"stun:{SERVERS[0]}", "--lifetime", "45s")
        self.assertEqual(report["networks"]["ipv4"]["lifetime_s"], {"known": 20, "forgotten": 30})

    def test_J09_our_own_service_finds_the_address_behind_a_nat(self):
        """J09.nat"""
        serving = [str(binary()), "serve", "--listen", f"{SERVERS[0]}:8080", "--admin", "127.0.0.1:0"]
        serving += ["--plain-http", "--stun", f"{SERVERS[0]}:3478", "--data", self.folder]
        with Lab("cone") as lab, self.running(lab, *serving):
            report = self.stun(lab, f"stun:{SERVERS[0]}")
        self.assertTrue(report["servers"][0]["mapped"].startswith(f"{lab.outer(1)}:"))
        self.assertTrue(report["networks"]["ipv4"]["translated"])

    def test_where_udp_is_blocked_a_relay_over_tcp_is_what_is_left(self):
        with Lab("udp-blocked") as lab, self.coturn(lab):
            self.assertEqual(self.stun(lab, f"stun:{SERVERS[0]}")["verdict"], "blocked")
            report = self.stun(lab, f"turn:{SERVERS[0]}", *ACCOUNT)
        self.assertEqual(report["verdict"], "relay-only")
        self.assertEqual([server["works"] for server in report["servers"]], [False, True])

    def test_a_relay_is_had_through_every_nat_also_when_every_fifth_packet_is_lost(self):
        for name in ("full-cone", "cone", "symmetric"):
            with self.subTest(name), Lab(name, loss=20) as lab, self.coturn(lab):
                # Two exchanges within eight seconds: once in a while too many of their packets are lost.
                rows = (self.stun(lab, f"turn:{SERVERS[0]}?transport=udp", *ACCOUNT)["servers"][0] for _ in range(3))
                self.assertTrue(any(row["works"] for row in rows))

    def test_a_bad_line_is_measured_as_it_is(self):
        line = Line(delay=30, jitter=2, loss=10)
        with Lab("cone", line=line) as lab, self.coturn(lab):
            rows = [self.stun(lab, f"stun:{SERVERS[0]}")["servers"][0] for _ in range(6)]
        self.assertGreater(sum(row["lost"] for row in rows), 0)
        for row in rows:
            self.assertLess(abs(row["rtt_ms"]["median"] - 60), 15, row)


class LineTests(unittest.TestCase):
    """The line by itself, in numbers."""

    @staticmethod
    def arrivals(line: Line, count: int = 5000, gap: float = 0.02) -> list[float | None]:
        direction = Direction(line, line.seed)
        return [direction.arrival(128, number * gap) for number in range(count)]

    def test_it_loses_its_share_alone_or_in_bursts(self):
        for burst in (1.0, 3.0):
            lost = [arrival is None for arrival in self.arrivals(Line(loss=10, burst=burst), 20_000)]
            bursts = sum(1 for before, now in zip([False, *lost], lost) if now and not before)
            self.assertAlmostEqual(sum(lost) / len(lost), 0.10, delta=0.015)
            self.assertAlmostEqual(sum(lost) / bursts, max(burst, 1 / 0.9), delta=0.3)

    def test_it_is_late_by_its_delay_and_keeps_the_order_unless_it_is_told_not_to(self):
        arrivals = self.arrivals(Line(delay=50, jitter=5))
        delays = [arrival - number * 0.02 for number, arrival in enumerate(arrivals)]
        self.assertAlmostEqual(sum(delays) / len(delays), 0.05, delta=0.002)
        self.assertEqual(arrivals, sorted(arrivals))
        late = self.arrivals(Line(delay=50, reorder=10), gap=0.005)
        self.assertAlmostEqual(sum(1 for one, other in zip(late, late[1:]) if one > other) / len(late), 0.1, delta=0.02)

    def test_it_writes_at_its_rate_and_drops_what_would_wait_too_long(self):
        arrivals = self.arrivals(Line(rate=64, queue=165), 100, gap=0)
        self.assertEqual(sum(arrival is not None for arrival in arrivals), 11)
        self.assertAlmostEqual(arrivals[9], 10 * 0.016)

    def test_the_same_seed_does_the_same_again(self):
        line = Line(delay=20, jitter=10, loss=10, burst=2, reorder=5, seed=7)
        self.assertEqual(self.arrivals(line), self.arrivals(line))
        self.assertNotEqual(self.arrivals(line), self.arrivals(dataclasses.replace(line, seed=8)))


if __name__ == "__main__":
    unittest.main()
