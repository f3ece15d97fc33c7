"""Our ICE agent and aioice's: each in both roles, candidates over pipes, packets both ways."""

import asyncio
import importlib.util
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from coturn import IS_INSTALLED, Coturn  # noqa: E402
from pathpeer import PathPeer  # noqa: E402
from server import TIMEOUT  # noqa: E402

HAS_AIOICE = importlib.util.find_spec("aioice") is not None
if HAS_AIOICE:
    import aioice
    import aioice.ice

    # It leaves the loopback interface out, and these tests are to need no other.
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]


class Theirs:
    """A connection of aioice, and our peer on the other end of the pipes."""

    def __init__(self, ours: PathPeer, *, controlling: bool, **options):
        self.ours = ours
        self.connection = aioice.Connection(ice_controlling=controlling, **options)
        self.lines: asyncio.Queue[str] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        ours.listen(lambda line: loop.call_soon_threadsafe(self.lines.put_nowait, line))

    async def connect(self) -> None:
        """aioice takes candidates while it connects, but has to know the password before."""
        await self.connection.gather_candidates()
        self.ours.tell(f"remote {self.connection.local_username} {self.connection.local_password}")
        for candidate in self.connection.local_candidates:
            self.ours.tell(f"candidate:{candidate.to_sdp()}")
        self.ours.tell("end")
        described = asyncio.Event()
        listening = asyncio.create_task(self._listen(described))
        await described.wait()
        await self.connection.connect()
        await listening

    async def _listen(self, described: asyncio.Event) -> None:
        while True:
            line = await self.lines.get()
            if line.startswith("remote "):
                _, self.connection.remote_username, self.connection.remote_password = line.split()
                described.set()
            elif line.startswith("candidate:"):
                candidate = aioice.Candidate.from_sdp(line.removeprefix("candidate:"))
                await self.connection.add_remote_candidate(candidate)
            elif line == "end":
                return await self.connection.add_remote_candidate(None)

    async def hear(self, words: str) -> None:
        while await self.connection.recv() != words.encode():
            continue

    async def our_line(self, wanted: str) -> None:
        while await self.lines.get() != wanted:
            continue


@unittest.skipUnless(HAS_AIOICE, "aioice is not installed: Scripts/install tests")
class AioiceTests(unittest.IsolatedAsyncioTestCase):
    def meet(self, role: str, *words: str, controlling: bool, **options) -> Theirs:
        ours = PathPeer(role, "127.0.0.1", *words)
        self.addCleanup(ours.end)
        return Theirs(ours, controlling=controlling, **options)

    async def talk(self, role: str, *words: str, **options) -> None:
        """Connects the two, sends a hundred packets each way, and sees whether they went to a candidate of theirs."""
        theirs = self.meet(role, *words, controlling=role == "controlled", **options)
        async with asyncio.timeout(2 * TIMEOUT):
            await theirs.connect()
            await theirs.connection.send(b"hello")
            await theirs.our_line("heard hello")
            for number in range(100):
                theirs.ours.tell(f"say {number}")
                await theirs.hear(f"{number}")
                await theirs.connection.send(f"{number} too".encode())
                await theirs.our_line(f"heard {number} too")
            places = {f"{candidate.host}:{candidate.port}" for candidate in theirs.connection.local_candidates}
            await theirs.connection.close()
        self.assertIn(theirs.ours.said("selected")[-1].split()[-1], places)

    async def test_J09_we_control_and_aioice_follows(self):
        await self.talk("controlling")

    async def test_J09_aioice_controls_and_we_follow(self):
        await self.talk("controlled")

    async def test_J09_both_want_to_control_and_one_gives_way(self):
        theirs = self.meet("controlling", controlling=True)
        async with asyncio.timeout(2 * TIMEOUT):
            await theirs.connect()
            await theirs.hear("hello")
            await theirs.connection.send(b"hello yourself")
            await theirs.our_line("heard hello yourself")
            await theirs.connection.close()
        self.assertEqual(theirs.connection.ice_controlling, theirs.ours.said("role") == ["role controlled"])

    @unittest.skipUnless(IS_INSTALLED, "coturn is not installed: Scripts/install tests")
    async def test_J09_aioice_behind_a_relay_is_reached_in_both_roles(self):
        for role in ("controlling", "controlled"):
            with self.subTest(role), Coturn("--lt-cred-mech", "--user=user:pass") as coturn:
                relay = {"turn_server": ("127.0.0.1", coturn.port), "turn_username": "user", "turn_password": "pass"}
                await self.talk(
                    role, f"turn=127.0.0.1:{coturn.port}", transport_policy=aioice.TransportPolicy.RELAY, **relay)


if __name__ == "__main__":
    unittest.main()
