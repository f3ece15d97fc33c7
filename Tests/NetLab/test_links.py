"""Two of our peers on one link, and who else speaks multicast DNS there."""

import contextlib
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Scenarios"))
from lab import Lab  # noqa: E402
from pathpeer import PathPeer, introduce  # noqa: E402
from server import ROOT, eventually  # noqa: E402
from test_nats import Case  # noqa: E402

# The router and the host of a LAN are the two ends of one cable.
ROUTER, HOST = ("nat1", "10.1.0.1"), ("lan1", "10.1.0.2")

PYTHON = ROOT / ".build/venv-tests/bin/python3"
HAS_AIOICE = PYTHON.exists() and not subprocess.run([PYTHON, "-c", "import aioice"], capture_output=True).returncode

AIOICE = """
import asyncio, sys
from aioice import mdns

async def main():
    names = await mdns.create_mdns_protocol()
    await names.publish("their-name.local", "10.1.0.2")
    print(await names.resolve(sys.argv[1], timeout=5), flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

AVAHI = """
[server]
host-name=neighbour
allow-interfaces=eth0
use-ipv6=no
enable-dbus=no
[publish]
publish-workstation=no
"""


class LinkCase(Case):
    def peer(self, lab: Lab, space: str, role: str, place: str, *words: str) -> PathPeer:
        peer = PathPeer(role, place, *words, within=tuple(lab.command(space)))
        self.addCleanup(peer.end)
        return peer

    def pair(self, lab: Lab, *words: str) -> list[PathPeer]:
        """Both have spoken with each other, on all addresses they have."""
        peers = [self.peer(lab, "lan1", "controlling", "all", *words), self.peer(lab, "nat1", "controlled", "all", *words)]
        introduce(*peers)
        eventually(lambda: peers[0].has_said("heard hello yourself"), "the two speak")
        return peers


class PathTests(LinkCase):
    def test_J09_where_udp_is_blocked_between_two_they_speak_tcp(self):
        with Lab("open") as lab:
            rule = "chain no { type filter hook input priority 0; meta l4proto udp drop; }"
            lab.inside("nat1", "nft", "-f", "-", stdin=f"table ip blocked {{\n{rule}\n}}\n")
            for peer in self.pair(lab):
                self.assertTrue(peer.said("selected")[-1].startswith("selected tcp "), peer.lines)

    def test_J09_they_move_to_another_address_when_theirs_goes(self):
        with Lab("open") as lab:
            host, router = self.pair(lab)
            # Or an address of the same network would go with the first one.
            lab.inside("lan1", "sysctl", "-qw", "net.ipv4.conf.all.promote_secondaries=1")
            lab.ip("lan1", "addr", "add", "10.1.0.3/24", "dev", "eth0")
            eventually(lambda: any(" 10.1.0.3 " in line for line in host.said("candidate:")), "the address is told")
            went = time.monotonic()
            lab.ip("lan1", "addr", "del", "10.1.0.2/24", "dev", "eth0")
            eventually(lambda: router.said("selected")[-1].split()[-1].startswith("10.1.0.3:"), "the other one is used")
            back = time.monotonic() - went
            self.assertLess(back, 1.5)
            host.tell("say from the new address")
            eventually(lambda: router.has_said("heard from the new address"), "packets go there")
            eventually(lambda: host.has_said("heard from the new address yourself"), "and come back")


class NameTests(LinkCase):
    def test_J09_two_who_hide_their_addresses_find_each_other_by_name(self):
        with Lab("open") as lab:
            for peer in self.pair(lab, "hides=yes"):
                told = peer.said("candidate:")
                self.assertTrue(all(".local " in line for line in told), told)

    @unittest.skipUnless(HAS_AIOICE, "aioice is not installed: Scripts/install tests")
    def test_J09_aioice_and_we_know_each_others_names(self):
        with Lab("open") as lab:
            ours = self.peer(lab, ROUTER[0], "controlling", ROUTER[1], "hides=yes")
            ours.listen()
            eventually(lambda: ours.said("candidate:"), "we have a name")
            name = ours.said("candidate:")[0].split()[4]
            with self.started(lab, HOST[0], str(PYTHON), "-c", AIOICE, name) as theirs:
                self.assertEqual(theirs.stdout.readline().strip(), ROUTER[1])
                ours.tell("resolve their-name.local")
                eventually(lambda: ours.has_said(f"found their-name.local {HOST[1]}"), "we find theirs")

    @unittest.skipUnless(shutil.which("avahi-daemon"), "avahi is not installed: Scripts/install tests")
    def test_J09_avahi_is_found_from_elsewhere_and_from_its_own_host(self):
        file = Path(self.folder) / "avahi.conf"
        file.write_text(AVAHI)
        words = ["--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title"]
        with Lab("open") as lab, self.started(lab, HOST[0], "avahi-daemon", "-f", str(file), *words):
            for space, address in (ROUTER, HOST):
                with self.subTest(space):
                    ours = self.peer(lab, space, "controlling", address)
                    ours.listen()
                    # Avahi first makes sure for a while that nobody else has its name.
                    eventually(lambda: self.finds(ours, "neighbour.local", HOST[1]), "avahi's host is found")

    @staticmethod
    def finds(peer: PathPeer, name: str, address: str) -> bool:
        asked = len(peer.said("found"))
        peer.tell(f"resolve {name}")
        eventually(lambda: len(peer.said("found")) > asked, "somebody answers, or nobody")
        return peer.said("found")[-1] == f"found {name} {address}"

    @contextlib.contextmanager
    def started(self, lab: Lab, space: str, *words: str):
        process = subprocess.Popen(
            lab.command(space, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    unittest.main()
