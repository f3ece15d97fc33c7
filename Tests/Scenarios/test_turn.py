"""The TURN server in the box, and clients of others."""

import asyncio
import base64
import hmac
import importlib.util
import json
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import time
import unittest

import websocket
from callers import Household, outcome
from people import APP, APP_SECRET, VOUCHED, Person, vouch
from ports import free_port
from server import TIMEOUT, Server, binary, eventually
from test_serve import make_certificate, tls_client
from visitors import Company, need_browser
from wire import WebSocketLink


SECRET = "what-applications-share-with-the-relay-6b1d0c9e7f"
#: The peers of these tests are on this machine, which relays do not reach otherwise.
LOOPBACK = ("--turn", "on", "--turn-allow-peer", "127.0.0.0/8", "--turn-secret", SECRET)
RELAY_ONLY = """
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(settings) { super({ ...settings, iceTransportPolicy: 'relay' }); }
};
"""


def credentials(user: str, secret: str = SECRET) -> tuple[str, str]:
    name = f"{int(time.time()) + 500}:{user}"
    return name, base64.b64encode(hmac.digest(secret.encode(), name.encode(), "sha1")).decode()


class Relayed(unittest.TestCase):
    mostly_waits = True
    options: tuple[str, ...] = LOOPBACK

    def setUp(self) -> None:
        self.port = free_port()
        self.server = Server(*VOUCHED, "--stun", f"127.0.0.1:{self.port}", *self.options, testing=False)
        self.addCleanup(self.server.__exit__)

    def metric(self, name: str) -> float:
        text = ask_http_of(self.server.admin, "/metrics")
        return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))

    def person(self, name: str) -> Person:
        person = Person(self.server, name)
        self.addCleanup(person.link.close)
        return person


def ask_http_of(address: tuple[str, int], path: str) -> str:
    import http.client
    connection = http.client.HTTPConnection(*address, timeout=TIMEOUT)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()


class OwnClientTests(Relayed):
    def test_Q09_the_server_tells_users_of_its_relay_with_credentials_that_work(self):
        """Q09.offered"""
        servers = self.person("Anna").welcome["iceServers"]
        relay = next(server for server in servers if server["urls"][0].startswith("turn:"))
        self.assertEqual({url.partition("?")[2] for url in relay["urls"]}, {"transport=udp", "transport=tcp"})
        done = subprocess.run(
            [str(binary()), "stun", *relay["urls"], "--username", relay["username"], "--credential", relay["credential"], "--json"],
            capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len([row for row in json.loads(done.stdout)["servers"] if row["relay"]["addresses"]]), 2)
        eventually(lambda: self.metric("parley_turn_allocations_total") >= 2, "the allocations are counted")
        eventually(lambda: self.metric("parley_turn_allocations ") == 0, "nothing is left open")

    def test_Q09_two_who_reach_each_other_by_the_relay_alone_talk(self):
        """Q09.calls"""
        home = Household(self.server)
        self.addCleanup(home.close)
        home.answer("--as", "echo", "--echo", "--relay-only").expect("ready")
        code, report = outcome(
            home.call("@echo", "--play", "tone:440", "--expect-audio", "--duration", "2s", "--relay-only"))
        self.assertEqual((code, report["heard"]), (0, True))
        eventually(lambda: self.metric("parley_turn_packets_total") > 100, "what they said was relayed")

    def test_Q09_who_is_signed_out_keeps_no_relay(self):
        """Q09.ends"""
        relay = Uclient(self.port, *credentials("mallory"))
        self.addCleanup(relay.end)
        relay.begin("-n", "2000")
        eventually(lambda: self.metric("parley_turn_allocations ") > 0, "there are allocations")
        ask = subprocess.run(
            [binary(), "users", "ban", "mallory", "--admin", "{}:{}".format(*self.server.admin)], capture_output=True, text=True)
        self.assertEqual(ask.returncode, 0, ask.stderr)
        eventually(lambda: self.metric("parley_turn_allocations ") == 0, "they have ended")


class Uclient:
    """coturn's own client: it sends to a peer, or to itself, and counts what comes back."""

    def __init__(self, port: int, name: str, password: str):
        if shutil.which("turnutils_uclient") is None:
            raise unittest.SkipTest("turnutils_uclient (coturn) is not installed")
        self.command = ["turnutils_uclient", "-u", name, "-w", password, "-p", str(port)]
        self.process: subprocess.Popen | None = None

    def run(self, *options: str) -> str:
        done = subprocess.run([*self.command, *options, "127.0.0.1"], capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def begin(self, *options: str) -> None:
        command = [*self.command, "-y", "-m", "2", *options, "127.0.0.1"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()


class CoturnClientTests(Relayed):
    def setUp(self) -> None:
        super().setUp()
        self.client = Uclient(self.port, *credentials("uclient"))
        # Not the relay's own address: that leads to neighbours only.
        peer = free_port()
        self.peer = subprocess.Popen(
            ["turnutils_peer", "-p", str(peer), "-L", "127.0.0.2"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(self.peer.wait)
        self.addCleanup(self.peer.kill)
        self.to_peer = ("-e", "127.0.0.2", "-r", str(peer))

    def test_Q10_coturns_client_loses_nothing(self):
        """Q10.uclient"""
        for options in (self.to_peer, ("-s", *self.to_peer), ("-y",), ("-t", *self.to_peer), ("-t", "-y"), ("-c", "-y", "-s"), ("-T", "-y")):
            with self.subTest(" ".join(options)):
                said = self.client.run("-n", "50", "-m", "2", "-z", "5", *options)
                self.assertIn("Total lost packets 0 (0.000000%)", said)


@unittest.skipIf(importlib.util.find_spec("aioice") is None, "aioice is not installed")
class AioiceTests(Relayed):
    def test_Q10_aioice_finds_its_way_through_the_relay(self):
        """Q10.aioice"""
        asyncio.run(self.meet())

    async def meet(self) -> None:
        import aioice
        import aioice.ice
        aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]

        def connection(user: str, **options) -> "aioice.Connection":
            name, password = credentials(user)
            return aioice.Connection(
                turn_server=("127.0.0.1", self.port), turn_username=name, turn_password=password,
                transport_policy=aioice.TransportPolicy.RELAY, **options)

        one, two = connection("one", ice_controlling=True), connection("two", ice_controlling=False)
        for mine, theirs in ((one, two), (two, one)):
            await mine.gather_candidates()
            for candidate in mine.local_candidates:
                await theirs.add_remote_candidate(candidate)
            await theirs.add_remote_candidate(None)
            theirs.remote_username, theirs.remote_password = mine.local_username, mine.local_password
        await asyncio.wait_for(asyncio.gather(one.connect(), two.connect()), TIMEOUT)
        await one.send(b"through the relay")
        self.assertEqual(await asyncio.wait_for(two.recv(), TIMEOUT), b"through the relay")
        await asyncio.gather(one.close(), two.close())


class BrowserTests(Relayed):
    # Both are behind the relay, so no peer has to be allowed.
    options = ("--turn", "on")

    def test_Q09_two_browsers_behind_the_relay_hear_each_other(self):
        """Q09.browsers"""
        need_browser()
        company = Company()
        self.addCleanup(company.close)
        anna = company.visitor(self.server, 700, (RELAY_ONLY,)).enter("Anna")
        ben = company.visitor(self.server, 1500, (RELAY_ONLY,)).enter("Ben")
        anna.ring("Ben")
        ben.is_rung_by("Anna")
        ben.answer()
        for visitor, other in ((anna, ben), (ben, anna)):
            visitor.talks()
            eventually(lambda: abs(visitor.hears() - other.pitch) < 20, f"{visitor.name} hears {other.name}")
        self.assertEqual(company.go_home(), [])


class SecureLink(WebSocketLink):
    """Behind TLS, whoever vouches for the server."""

    def __init__(self, server: Server, query: str, headers: dict | None = None, origin: str | None = None):
        host, port = server.address
        self.socket = websocket.create_connection(
            f"wss://{host}:{port}/socket.io/?{query}&transport=websocket", timeout=TIMEOUT, suppress_origin=True,
            sslopt={"context": tls_client()}, skip_utf8_validation=True)


class SecureTests(unittest.TestCase):
    """With a certificate, on the port of TURN and beside HTTPS."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate, key = make_certificate(folder.name, "localhost")
        self.port = free_port()
        self.server = Server(
            *VOUCHED, "--stun", f"127.0.0.1:{self.port}", *LOOPBACK, "--tls-cert", certificate, "--tls-key", key, testing=False)
        self.addCleanup(self.server.__exit__)
        self.ports = (self.port, self.server.address[1])

    def test_Q12_our_client_gets_a_relay_by_tls_on_either_port(self):
        """Q12.client"""
        name, password = credentials("x")
        for port in self.ports:
            with self.subTest(port):
                done = subprocess.run(
                    [str(binary()), "stun", f"turns:127.0.0.1:{port}?transport=tcp", "--username", name, "--credential", password,
                     "--insecure", "--json"], capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(len(json.loads(done.stdout)["servers"][0]["relay"]["addresses"]), 1)

    def test_Q12_coturns_client_loses_nothing_by_tls(self):
        """Q12.uclient"""
        for port in self.ports:
            with self.subTest(port):
                said = Uclient(port, *credentials("uclient")).run("-S", "-t", "-y", "-n", "30", "-m", "2", "-z", "5")
                self.assertIn("Total lost packets 0 (0.000000%)", said)

    def test_Q12_our_client_gets_a_relay_by_dtls(self):
        """Q12.dtls"""
        name, password = credentials("x")
        done = subprocess.run(
            [str(binary()), "stun", f"turns:127.0.0.1:{self.port}?transport=udp", "--username", name, "--credential", password,
             "--insecure", "--json"], capture_output=True, text=True, timeout=TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["servers"][0]["relay"]["addresses"]), 1)

    def test_Q12_coturns_client_loses_nothing_by_dtls(self):
        """Q12.dtls"""
        said = Uclient(self.port, *credentials("uclient")).run("-S", "-y", "-n", "30", "-m", "2", "-z", "5")
        self.assertIn("Total lost packets 0 (0.000000%)", said)

    def test_Q12_the_https_port_serves_stun_with_and_without_alpn_and_still_https(self):
        """Q12.https"""
        question = struct.pack("!HHI12s", 1, 0, 0x2112A442, b"who am I now")
        for names in (("stun.turn",), ()):
            with self.subTest(names), self.dial(names) as line:
                self.assertEqual(line.selected_alpn_protocol(), names[0] if names else None)
                line.sendall(question[:7])
                line.sendall(question[7:])
                self.assertEqual(line.recv(100)[:2], b"\x01\x01")
        with self.dial(("stun.turn", "http/1.1")) as line:
            self.assertEqual(line.selected_alpn_protocol(), "http/1.1")
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            self.assertEqual(line.recv(12), b"HTTP/1.1 200")

    def dial(self, names: tuple[str, ...]) -> ssl.SSLSocket:
        line = socket.create_connection(self.server.address, timeout=TIMEOUT)
        return tls_client(alpn=names).wrap_socket(line, server_hostname="localhost")

    def test_Q12_users_are_told_of_the_secure_relay(self):
        """Q12.offered"""
        person = Person(self.server, token=vouch(APP, APP_SECRET, "anna"), link=SecureLink)
        self.addCleanup(person.link.close)
        urls = [url for server in person.welcome["iceServers"] for url in server["urls"]]
        self.assertIn(f"turns:127.0.0.1:{self.server.address[1]}?transport=tcp", urls)


class OptionTests(unittest.TestCase):
    def offered(self, *options: str) -> list[str]:
        with Server(*VOUCHED, *options, testing=False) as server:
            return [url for entry in self.welcome(server)["iceServers"] for url in entry["urls"]]

    def welcome(self, server: Server) -> dict:
        person = Person(server, "Anna")
        self.addCleanup(person.link.close)
        return person.welcome

    def test_Q11_relays_are_there_where_others_can_reach_them_and_off_with_a_word(self):
        """Q11.default Q11.off"""
        port = free_port()
        self.assertFalse(any(url.startswith("turn:") for url in self.offered("--stun", f"127.0.0.1:{port}")))
        self.assertTrue(any(url.startswith("turn:") for url in self.offered("--stun", f"0.0.0.0:{port}")))
        urls = self.offered("--stun", f"0.0.0.0:{port}", "--turn", "off")
        self.assertEqual([url.partition(":")[0] for url in urls], ["stun"])

    def test_Q11_options_that_make_no_sense_are_refused(self):
        """Q11.refused"""
        for words, complaint in (
            (("--turn", "maybe"), "auto, on or off"), (("--turn-ports", "9-1"), "two ports"),
            (("--turn-secret", "short"), "--turn-secret"), (("--turn-external-address", "here"), "an address such as"),
            (("--turn-allow-peer", "10.0.0.0/99"), "network"), (("--turn-rate", "0"), "--turn-rate"),
        ):
            with self.subTest(words):
                done = subprocess.run([binary(), "serve", *words], capture_output=True, text=True, timeout=TIMEOUT)
                self.assertEqual(done.returncode, 64, done.stderr)
                self.assertIn(complaint, done.stderr)

    def test_Q11_behind_a_translator_clients_are_told_the_public_address(self):
        """Q11.external"""
        port = free_port()
        with Server(
            *VOUCHED, "--stun", f"127.0.0.1:{port}", *LOOPBACK, "--turn-external-address", "198.51.100.7", "--turn-ports",
            "50100-50140", testing=False,
        ):
            name, password = credentials("x")
            done = subprocess.run(
                [str(binary()), "stun", f"turn:127.0.0.1:{port}?transport=udp", "--username", name, "--credential", password, "--json"],
                capture_output=True, text=True, timeout=TIMEOUT)
            address = json.loads(done.stdout)["servers"][0]["relay"]["addresses"][0]
            ip, _, at = address.rpartition(":")
            self.assertEqual(ip, "198.51.100.7")
            self.assertIn(int(at), range(50_100, 50_141))
