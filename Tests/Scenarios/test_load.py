"""`parley load`: what it measures, and that it finds what a server does wrong."""

import importlib.util
import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))
from coturn import IS_INSTALLED, Coturn  # noqa: E402
from people import APP, APP_SECRET, VOUCHED  # noqa: E402
from ports import free_port
from server import Server, binary  # noqa: E402

QUICK = ("--request-rate", "100000")
CALLING = ("--users", "12", "--calls", "6", "--call-duration", "200ms", "--duration", "2s", "--no-media")


class MeddlingServer:
    """Passes everything between clients and a server, and asks `meddle` about each WebSocket frame that the server sends:
    nothing drops it, twice repeats it, a number delays it by so many seconds."""

    def __init__(self, target: tuple[str, int], meddle: Callable[[bytes], int | float]):
        self.target, self.meddle = target, meddle
        self.door = socket.create_server(("127.0.0.1", 0))
        self.address = self.door.getsockname()
        self.streams: list[socket.socket] = [self.door]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.door.accept()
            except OSError:
                return
            server = socket.create_connection(self.target)
            self.streams += [client, server]
            threading.Thread(target=self._copy, args=[client, server], daemon=True).start()
            threading.Thread(target=self._frames, args=[server.makefile("rb"), client], daemon=True).start()

    @staticmethod
    def _copy(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def _frames(self, source, sink: socket.socket) -> None:
        try:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += source.readline() or b"\r\n\r\n"
            sink.sendall(head)
            while frame := self._frame(source):
                self._pass(frame, sink)
            sink.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    @staticmethod
    def _frame(source) -> bytes:
        """RFC 6455, as a server sends it: without a mask."""
        head = source.read(2)
        if len(head) < 2:
            return b""
        more = {126: 2, 127: 8}.get(head[1], 0)
        length = source.read(more)
        return head + length + source.read(int.from_bytes(length, "big") if more else head[1])

    def _pass(self, frame: bytes, sink: socket.socket) -> None:
        verdict = self.meddle(frame)
        if isinstance(verdict, float):
            time.sleep(verdict)
        for _ in range(verdict if isinstance(verdict, int) else 1):
            sink.sendall(frame)

    def close(self) -> None:
        for stream in self.streams:
            stream.close()


class LoadCase(unittest.TestCase):
    runs_alone = True

    def load(self, address, *words, app: bool = True) -> subprocess.CompletedProcess:
        command = [binary(), "load", "--server", f"http://{address[0]}:{address[1]}"]
        command += ["--app", f"{APP}:{APP_SECRET}"] if app else []
        return subprocess.run(
            [*map(str, command), *map(str, words)], capture_output=True, text=True, timeout=120, check=False)

    def report(self, address, *words, code: int = 0, **options) -> dict:
        done = self.load(address, *words, "--json", **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)


class LoadTests(LoadCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*VOUCHED, *QUICK)
        cls.addClassCleanup(cls.server.end)

    def test_R01_people_who_chat_meet_and_call_are_measured(self):
        """R01.all"""
        report = self.report(
            self.server.address, "--users", 24, "--messages", 60, "--room-size", 4, "--signals", 30, "--calls", 3,
            "--call-duration", "1s", "--listeners", 100, "--watch", 3, "--turnover", 2, "--duration", "3s",
            "--timeout", "60s")
        counts = report["counts"]
        self.assertEqual((counts["users"], counts["rooms"]), (24, 6))
        for name in ("messages", "signals", "calls", "packets", "samples"):
            self.assertGreater(counts[name], 0, name)
        self.assertEqual(counts["deliveries"], counts["messages"])
        for name in ("lost", "duplicates", "lost-signals", "failed-calls", "errors"):
            self.assertEqual(counts.get(name, 0), 0, report)
        for name in ("connect", "join", "signal", "ring", "answer", "path", "first-sound", "ack", "delivery", "presence"):
            times = report["times"][name]
            self.assertGreater(times["number"], 0)
            self.assertLessEqual(times["p50Ms"], times["p99Ms"])
            self.assertLessEqual(times["p99Ms"], times["maxMs"])

    def test_R01_groups_are_founded_and_each_member_gets_each_message(self):
        """R01.groups"""
        counts = self.report(
            self.server.address, "--users", 15, "--messages", 40, "--group-size", 5, "--duration", "2s", "--timeout",
            "60s")["counts"]
        self.assertEqual(counts["deliveries"], 4 * counts["messages"])

    def test_R01_connections_that_are_cut_come_back_and_nothing_is_lost(self):
        """R01.cuts"""
        # Ten clients are disconnected four times; on a busy machine some still reconnect when the next time comes.
        report = self.report(
            self.server.address, "--users", 10, "--messages", 50, "--cut-every", "1s", "--duration", "5s", "--timeout",
            "60s")
        self.assertGreaterEqual(report["counts"]["recovered"], 20)
        self.assertEqual(report["counts"]["deliveries"], report["counts"]["messages"])
        self.assertIn("resume", report["times"])

    def test_R01_files_are_brought_fetched_and_compared(self):
        """R01.files"""
        report = self.report(
            self.server.address, "--users", 4, "--files", 10, "--file-size", "20k", "--duration", "2s", "--timeout", "60s")
        self.assertGreaterEqual(report["counts"]["files"], 10)
        self.assertEqual(report["times"]["download"]["number"], report["counts"]["files"])
        self.assertNotIn("damaged", report["counts"])

    def test_R01_a_bad_network_is_heard(self):
        """R01.impaired"""
        counts = self.report(
            self.server.address, "--users", 4, "--calls", 2, "--call-duration", "3s", "--loss", 10, "--jitter", "30ms",
            "--listeners", 100, "--duration", "3s", "--timeout", "60s")["counts"]
        share = counts["lost-packets"] / (counts["packets"] + counts["lost-packets"])
        self.assertTrue(0.02 < share < 0.25, counts)
        self.assertGreater(counts["concealed"], 0)

    def test_R01_newcomers_sign_in_by_themselves(self):
        """R01.anonymous"""
        report = self.report(self.server.address, "--users", 3, "--duration", "100ms", app=False)
        self.assertEqual(report["times"]["sign-in"]["number"], 3)

    def test_R01_people_read_a_table_and_a_file_holds_a_scenario(self):
        """R01.table, R01.file"""
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as file:
            file.write("users = 4\nmessages = 20\nduration = 1s\nexpect = lost = 0\n")
            file.flush()
            done = self.load(self.server.address, "--config", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^TIME +NUMBER +MEAN +P50")
        self.assertRegex(done.stdout, r"(?m)^ack +\d+ ")
        self.assertIn("met     lost = 0", done.stdout)

    def test_R02_expectations_that_are_not_met_end_with_a_failure(self):
        """R02.met, R02.unmet, R02.refused"""
        chat = ("--users", 4, "--messages", 20, "--duration", "1s")
        self.report(self.server.address, *chat, "--expect", "p99 ack < 1m", "--expect", "lost = 0")
        report = self.report(
            self.server.address, *chat, "--expect", "max ack < 1us", "--expect", "users = 4", code=1)
        self.assertEqual([one["met"] for one in report["expectations"]], [False, True])
        done = self.load(self.server.address, *chat, "--expect", "p99 ack < soon")
        self.assertEqual(done.returncode, 64)
        self.assertIn("an expectation such as", done.stderr)

    def test_R02_nobody_who_gets_in_is_no_result(self):
        """R02.nobody"""
        self.report(("127.0.0.1", 9), "--users", 2, "--duration", "1s", code=69)


ECHO = """
import asyncio, sys, socketio
from aiohttp import web

server = socketio.AsyncServer(cors_allowed_origins="*", async_mode="aiohttp")
server.on("hello", lambda sid, words: words)
app = web.Application()
server.attach(app)


async def main():
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(site._server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


class NeighbourTests(LoadCase):
    def start(self, *command) -> subprocess.Popen:
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    @unittest.skipUnless(importlib.util.find_spec("socketio"), "needs python-socketio: Scripts/install tests")
    def test_R04_any_socket_io_server_is_loaded(self):
        """R04.echo"""
        port = int(self.start(sys.executable, "-c", ECHO).stdout.readline())
        report = self.report(
            ("127.0.0.1", port), "--no-sign-in", "--users", 3, "--echoes", 50, "--echo-event", "hello", "--duration", "1s",
            app=False)
        self.assertGreaterEqual(report["counts"]["echoes"], 30)
        self.assertEqual(report["times"]["echo"]["number"], report["counts"]["echoes"])

    def test_R04_whoever_answers_offers_is_loaded(self):
        """R04.offers"""
        process = self.start(binary(), "answer", "--http", "127.0.0.1:0", "--echo", "--json")
        port = urlsplit(json.loads(process.stdout.readline())["url"]).port
        report = self.report(
            ("127.0.0.1", port), "--users", 0, "--offers", 3, "--call-duration", "1s", "--duration", "2s", "--timeout",
            "60s", app=False)
        self.assertGreaterEqual(report["counts"]["calls"], 3)
        self.assertGreater(report["counts"]["packets"], 30)
        self.assertIn("first-sound", report["times"])


class MeddlingTests(LoadCase):
    """A server that does not do what it says is found out."""

    def through(self, meddle: Callable[[bytes], int | float]):
        server = Server(*VOUCHED, *QUICK)
        self.addCleanup(server.end)
        between = MeddlingServer(server.address, meddle)
        self.addCleanup(between.close)
        return between.address

    def test_R03_one_lost_message_is_missed(self):
        """R03.lost"""
        address = self.through(lambda frame: 0 if b'"text":"57 ' in frame and b"chat.entry" in frame else 1)
        counts = self.report(
            address, "--users", 6, "--messages", 100, "--duration", "2s", "--timeout", "3s", code=1)["counts"]
        self.assertEqual(counts["lost"], 1)
        self.assertEqual(counts["deliveries"], counts["messages"] - 1)

    def test_R03_a_message_that_comes_twice_is_seen(self):
        """R03.twice"""
        address = self.through(lambda frame: 2 if b'"text":"57 ' in frame and b"chat.entry" in frame else 1)
        counts = self.report(address, "--users", 6, "--messages", 100, "--duration", "2s", code=1)["counts"]
        self.assertEqual(counts["duplicates"], 1)

    def test_R03_one_late_call_among_many_is_seen(self):
        """R03.late"""
        calls = iter(range(1_000_000))
        late = []

        def meddle(frame: bytes) -> int | float:
            if b"call.incoming" not in frame or next(calls) != 11:
                return 1
            late.append(frame)
            return 3.0

        report = self.report(self.through(meddle), *CALLING, "--expect", "max ring < 3s", code=1)
        self.assertEqual(len(late), 1)
        self.assertGreater(report["counts"]["calls"], 12)
        self.assertLess(report["times"]["ring"]["p50Ms"], 3000)


class RelayLoadTests(LoadCase):
    def test_R04_our_own_relays_are_loaded(self):
        """R04.ours"""
        port = free_port()
        server = Server(
            *VOUCHED, *QUICK, "--stun", f"127.0.0.1:{port}", "--turn", "on", "--turn-external-address", "127.0.0.1",
            "--turn-allow-peer", "127.0.0.0/8")
        self.addCleanup(server.end)
        counts = self.report(server.address, "--users", 2, "--relays", 8, "--relay-rate", 20, "--duration", "2s")["counts"]
        self.assertEqual(counts["allocations"], 8)
        self.assertGreater(counts["packets"], 100)
        self.assertEqual(counts.get("foreign", 0), 0)

    @unittest.skipUnless(IS_INSTALLED, "needs coturn: Scripts/install tests")
    def test_R04_any_turn_server_is_loaded_without_another_one(self):
        """R04.coturn"""
        with Coturn("--lt-cred-mech", "--user=user:pass", "--allow-loopback-peers") as coturn:
            counts = self.report(
                ("127.0.0.1", 9), "--users", 0, "--relays", 4, "--duration", "2s", "--turn",
                f"turn:127.0.0.1:{coturn.port}", "--username", "user", "--credential", "pass", app=False)["counts"]
        self.assertEqual(counts["allocations"], 4)
        self.assertGreater(counts["packets"], 100)


if __name__ == "__main__":
    unittest.main()
