import asyncio
import base64
import contextlib
import itertools
import json
import select
import signal
import socket
import threading
import time
import unittest
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from background import repeated
from house import House
from people import APP, APP_SECRET, vouch
from server import TIMEOUT, eventually, of_one_process
from wire import PollingLink, ask_http

UPGRADE = (
    "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n"
    f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\n\r\n")


def answered(sockets: list[socket.socket]) -> list[int]:
    """On which of them something can be read."""
    ready = select.poll()
    for connection in sockets:
        ready.register(connection, select.POLLIN)
    return [descriptor for descriptor, _ in ready.poll(0)]


@dataclass
class Newcomer:
    """A client that connects, asks to be let in, and comes again when it is told so."""

    number: int
    token: str
    #: How long it was told to stay away, in seconds, by the header and by the body.
    told: list[tuple[int, float]] = field(default_factory=list)
    #: What it was called when it was let in.
    member: str | None = None
    writer: asyncio.StreamWriter | None = None

    async def arrive(self, host: str, port: int) -> None:
        while self.member is None:
            reader, self.writer = await asyncio.open_connection(host, port)
            self.writer.write(UPGRADE.encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            if head.startswith("HTTP/1.1 101"):
                await self._connect(reader)
            else:
                await self._stay_away(head, await reader.read())

    async def _stay_away(self, head: str, body: bytes) -> None:
        lines = head.split("\r\n")
        fields = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines[1:] if line)}
        assert lines[0].split()[1] == "503", head
        error = json.loads(body)["error"]
        assert error["code"] == "unavailable", body
        self.told.append((int(fields["retry-after"]), error["retryAfter"] / 1000))
        self.writer.close()
        await asyncio.sleep(self.told[-1][1])

    async def _connect(self, reader: asyncio.StreamReader) -> None:
        assert (await self._receive(reader)).startswith("0")
        self._send("40" + json.dumps({"token": self.token}))
        while not (packet := await self._receive(reader)).startswith("40"):
            assert not packet.startswith("44"), packet
        self.member = json.loads(packet[2:])["sid"]

    def _send(self, text: str) -> None:
        data = text.encode()
        length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0x80 | 126]) + len(data).to_bytes(2)
        self.writer.write(b"\x81" + length + bytes(4) + data)

    async def _receive(self, reader: asyncio.StreamReader) -> str:
        _, length = await reader.readexactly(2)
        if length == 126:
            length = int.from_bytes(await reader.readexactly(2))
        return (await reader.readexactly(length)).decode()


class Arrivals(House):
    def arrive(self, count: int, then=lambda: None) -> list[Newcomer]:
        """So many at once; whoever is late comes again as told. All stay until `then` has been called."""
        newcomers = [Newcomer(number, vouch(APP, APP_SECRET, f"newcomer-{number}")) for number in range(count)]

        async def all_of_them() -> None:
            async with asyncio.timeout(TIMEOUT * 3):
                await asyncio.gather(*(newcomer.arrive(*self.server.address) for newcomer in newcomers))
            await asyncio.to_thread(then)
            for newcomer in newcomers:
                newcomer.writer.close()

        asyncio.run(all_of_them())
        return newcomers


class ManyAtOnce(Arrivals):
    """Nobody is told to come later, however slow the machine is."""

    options = ("--arrival-wait", "5m")

    def test_who_is_there_is_served_between_newcomers(self):
        """B15.between somebody who is there already hears answers while a thousand want in."""
        resident = self.person("resident")
        waits: list[float] = []

        def talk() -> None:
            start = time.monotonic()
            resident.ask("ice.servers")
            waits.append(time.monotonic() - start)

        start = time.monotonic()
        # Its own allowance is not what this is about.
        with repeated(talk, every=0.02):
            newcomers = self.arrive(1000)
            took = time.monotonic() - start
        self.assertEqual(len({newcomer.member for newcomer in newcomers}), 1000)
        self.assertEqual([newcomer.number for newcomer in newcomers if newcomer.told], [])
        self.assertGreater(len(waits), 10)
        self.assertLess(sorted(waits)[len(waits) // 2], took / 20)
        self.assertLess(max(waits), took / 2)

    def test_who_is_there_does_not_wait_for_all_whose_requests_were_first(self):
        """B15.between: a thousand requests are ready before a resident's, and not all of them are answered before it."""
        resident = self.person("resident")
        sockets = [self.server.connect() for _ in range(1000)]
        for connection in sockets:
            self.addCleanup(connection.close)
        eventually(lambda: self.server.metric("parley_connections") > 1000, "all are accepted")
        with self.standing_still():
            for connection in sockets:
                connection.sendall(UPGRADE.encode())
            resident.send("ice.servers", {}, number=77)
        self.assertIn("iceServers", resident.answer(77))
        self.assertLess(len(answered(sockets)), 250)
        eventually(lambda: len(answered(sockets)) == 1000, "all are answered")

    @contextlib.contextmanager
    def standing_still(self) -> Iterator[None]:
        self.server.tell(signal.SIGSTOP)
        try:
            stat = Path(f"/proc/{self.server.process.pid}/stat")
            eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T", "it stands still")
            yield
        finally:
            self.server.tell(signal.SIGCONT)

    def test_who_polls_waits_in_the_same_line(self):
        """B15.polling clients that begin with polling are let in among the others."""
        polling: list = []

        def poll() -> None:
            polling.extend(self.person(f"polls-{number}", link=PollingLink) for number in range(20))

        poller = threading.Thread(target=poll)
        poller.start()
        newcomers = self.arrive(300, then=poller.join)
        self.assertEqual(len({newcomer.member for newcomer in newcomers}), 300)
        self.assertEqual(len({person.member for person in polling}), 20)
        self.assertIn("iceServers", polling[-1].ask("ice.servers"))


@of_one_process
class TooManyAtOnce(Arrivals):
    options = ("--arrival-wait", "1ms")

    def test_the_limit_of_waiting_to_be_let_in_when_many_arrive_at_once(self):
        """B16.told 503 with Retry-After and the milliseconds, each another; as told they are let in."""
        newcomers = self.arrive(600, then=lambda: self.assertEqual(self.server.metric("parley_users_online"), 600))
        told = list(itertools.chain.from_iterable(newcomer.told for newcomer in newcomers))
        self.assertEqual(len({newcomer.member for newcomer in newcomers}), 600)
        self.assertGreater(len(told), 50)
        self.assertTrue(all(seconds - 1 <= exactly <= seconds for seconds, exactly in told), told[:5])
        exact = {exactly for _, exactly in told}
        self.assertGreater(len(exact), len(told) / 3, "they do not come back together")
        self.assertGreater(max(exact) - min(exact), 0.5)
        self.assertEqual(self.server.metric("parley_arrivals_put_off_total"), len(told))

    def test_one_alone_is_never_told(self):
        """B16.alone whoever comes when nobody else does is let in, also by polling, and pages are served."""
        for _ in range(20):
            self.person("alone").link.close()
            self.assertEqual(ask_http(self.server, "GET", "/socket.io/?EIO=4&transport=polling").status, 200)
            self.assertEqual(ask_http(self.server, "GET", "/").status, 200)


if __name__ == "__main__":
    unittest.main()
