"""A certificate from an authority (RFC 8555), asked of Pebble, which is not ours."""

import json
import os
import queue
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from authority import IS_INSTALLED, Pebble, certificate, pem
from ports import free_port
from server import TIMEOUT, Server, binary, eventually
from test_serve import tls_client

NAME, OTHER = "talk.example.org", "chat.example.org"


def served(port: int, name: str, context: ssl.SSLContext) -> ssl.SSLSocket:
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT), server_hostname=name)


def seen(port: int, name: str = NAME) -> bytes:
    """The certificate, whoever vouches for it."""
    with served(port, name, tls_client()) as line:
        return line.getpeercert(binary_form=True)


@unittest.skipUnless(IS_INSTALLED, "pebble is not installed")
class Authority(unittest.TestCase):
    def setUp(self) -> None:
        self.port = free_port()
        self.pebble = Pebble(self.port)
        self.addCleanup(self.pebble.close)

    def server(self, *names: str, data: str | None = None, options: list[str] | None = None) -> Server:
        server = Server(
            "--listen", f"127.0.0.1:{self.port}", *(options or self.pebble.options(*names)), data=data, testing=False)
        self.addCleanup(server.__exit__)
        return server

    def issued(self, server: Server) -> dict:
        """A machine that is busy may be too late for the authority once; the operator asks again."""
        try:
            return server.event("tls.renewed")
        except queue.Empty:
            server.process.send_signal(signal.SIGHUP)
            return server.event("tls.renewed")

    def trusted(self, name: str) -> bytes:
        with served(self.port, name, ssl.create_default_context(cadata=self.pebble.root())) as line:
            return line.getpeercert(binary_form=True)

    def test_P10_a_certificate_for_all_names_is_there_soon_after_the_first_start_and_at_once_after_the_next(self):
        """P10.issued"""
        server = self.server(NAME, OTHER)
        # Whoever is impatient disturbs nothing.
        for _ in range(20):
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.05)
        event = self.issued(server)
        self.assertEqual(event["names"], f"{NAME}, {OTHER}")
        first = self.trusted(NAME)
        self.assertEqual(self.trusted(OTHER), first)
        for file in ("acme-account.pem", "acme-certificate.pem"):
            self.assertEqual(os.stat(f"{server.data}/{file}").st_mode & 0o777, 0o600, file)
        self.assertGreater(server.metric("parley_certificate_days_left"), 1)
        account = Path(server.data, "acme-account.pem").read_bytes()
        trusting = ssl.create_default_context(cadata=self.pebble.root())
        self.pebble.stop()
        server.restart()
        with served(self.port, NAME, trusting) as line:
            self.assertEqual(line.getpeercert(binary_form=True), first)
        self.assertEqual(Path(server.data, "acme-account.pem").read_bytes(), account)
        self.assertGreater(server.metric("parley_certificate_days_left"), 1)

    def test_P10_a_certificate_near_its_end_is_served_and_replaced_while_the_server_runs(self):
        """P10.renewed"""
        data = tempfile.mkdtemp(prefix="parley-test-")
        old = certificate([NAME], (-60, 1))
        Path(data, "acme-certificate.pem").write_bytes(pem(*old))
        self.pebble.lead(NAME, "127.0.0.9")
        server = self.server(NAME, data=data)
        failure = server.event("acme.failed")["error"]
        self.assertIn(f"did not find this server at {NAME}", failure)
        self.assertIn("port 443 of the name has to lead to this server", failure)
        # What was there stays in use, and what was shown to the authority is gone.
        self.assertEqual(seen(self.port), ssl.PEM_cert_to_DER_cert(pem(*old).decode().partition("-----END PRIVATE KEY-----\n")[2]))
        self.assertEqual(server.metric("parley_acme_failures_total"), 1)
        eventually(lambda: server.metric("parley_certificate_days_left") < 1, "less than a day is left")
        self.pebble.lead(NAME, "127.0.0.1")
        server.process.send_signal(signal.SIGHUP)
        self.issued(server)
        self.assertNotEqual(self.trusted(NAME), old)
        self.assertIsNone(server.process.poll())

    def test_P10_an_authority_that_is_away_or_none_is_named_and_the_server_serves(self):
        """P10.trouble"""
        unused = free_port()
        away = ["--acme", NAME, "--acme-agree", "--acme-directory", f"https://localhost:{unused}/dir"]
        server = self.server(options=away)
        self.assertIn(f"https://localhost:{unused}/dir did not answer", server.event("acme.failed")["error"])
        self.assertTrue(seen(self.port))
        server.__exit__()
        # Without its root nobody vouches for the directory.
        foreign = self.pebble.options(NAME)[:-2]
        self.assertIn("certificate verify failed", self.server(options=foreign).event("acme.failed")["error"])

    def test_P10_a_page_that_is_no_directory_is_named(self):
        """P10.trouble"""
        options = self.pebble.options(NAME)
        options[options.index(self.pebble.directory)] = self.pebble.directory.replace("/dir", "/nothing")
        self.assertIn("the authority refused the question for its directory", self.server(options=options).event("acme.failed")["error"])

    def test_P10_what_is_known_before_a_start_is_said_by_the_check(self):
        """P10.checked"""
        data = tempfile.mkdtemp(prefix="parley-test-")
        Path(data, "acme-certificate.pem").write_bytes(pem(*certificate([NAME], (-60, 3.5))))
        run = self.run_command("check", "config", "--data", data, "--json", *self.pebble.options(NAME))
        texts = [finding["text"] for finding in json.loads(run.stdout)["findings"] if finding["subject"].startswith("--acme")]
        self.assertIn("good for 3 more days", texts[0])
        self.assertIn("comes to port 443", texts[1])
        self.assertIn("whose terms of service are", texts[2])
        self.assertEqual(run.returncode, 0, run.stdout)
        self.pebble.stop()
        run = self.run_command("check", "config", "--data", data, *self.pebble.options(OTHER))
        self.assertEqual(run.returncode, 1)
        self.assertIn(f"is not for {OTHER}", run.stdout)
        self.assertIn("did not answer", run.stdout)

    @staticmethod
    def run_command(*words: str) -> subprocess.CompletedProcess:
        return subprocess.run([binary(), *words], capture_output=True, text=True, timeout=60)


class Options(unittest.TestCase):
    def test_P10_options_that_cannot_work_are_refused_in_words(self):
        """P10.options"""
        for options, words in [
            (["--acme", NAME], "say --acme-agree"),
            (["--acme-agree"], "need --acme"),
            (["--acme", "*.example.org", "--acme-agree"], "a domain name such as"),
            (["--acme", "192.0.2.1", "--acme-agree"], "a domain name such as"),
            (["--acme", "localhost", "--acme-agree"], "a domain name such as"),
            (["--acme", NAME, "--acme-agree", "--tls", "self-signed"], "cannot be combined"),
            (["--acme", NAME, "--acme-agree", "--acme-contact", "me"], "a mail address such as"),
            (["--acme", NAME, "--acme-agree", "--acme-directory", "http://ca.example/dir"], "goes by TLS"),
        ]:
            run = Authority.run_command("check", "config", *options)
            self.assertEqual((run.returncode, words in run.stderr), (64, True), f"{options}: {run.stderr}")
        run = Authority.run_command("serve", "--acme", NAME, "--acme-agree", "--acme-ca", "/nowhere", "--data", tempfile.mkdtemp())
        self.assertEqual((run.returncode, "/nowhere" in run.stderr), (66, True), run.stderr)


if __name__ == "__main__":
    unittest.main()
