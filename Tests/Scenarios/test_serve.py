"""`parley serve` from its start to its end."""

import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import warnings
from pathlib import Path

from server import Server, binary, eventually, of_one_process
from test_hostile import HEAD, UPGRADE, frame, read_all


def make_certificate(folder: str, name: str) -> tuple[str, str]:
    """A fresh certificate and its key, as PEM files that are overwritten."""
    certificate, key = f"{folder}/cert.pem", f"{folder}/key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    return certificate, key


def tls_client(lowest=ssl.TLSVersion.TLSv1_2, highest=ssl.TLSVersion.TLSv1_3, alpn=()) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    # Old versions are off in clients, too; a test has to be able to ask for them.
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version, context.maximum_version = lowest, highest
    if alpn:
        context.set_alpn_protocols(list(alpn))
    return context


def dial_tls(server: Server, context: ssl.SSLContext) -> ssl.SSLSocket:
    return context.wrap_socket(server.connect(), server_hostname="localhost")


class Life(unittest.TestCase):
    def test_health_and_metrics_are_off_the_public_port(self):
        with Server() as server:
            self.assertEqual(server.get("/livez", admin=True), (200, "alive\n"))
            # Over PostgreSQL it is followed by what an acknowledgement is worth.
            status, words = server.get("/readyz", admin=True)
            self.assertEqual((status, words.splitlines()[0]), (200, "ready"))
            self.assertGreaterEqual(server.metric("parley_http_requests_total"), 0)
            for path in ("/livez", "/readyz", "/metrics"):
                self.assertEqual(server.get(path)[0], 404)

    def test_an_idle_server_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server() as server, server.connect() as idle:
                # Without the body, whatever the front page holds.
                idle.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                self.assertIn(b"200 OK", idle.recv(4096))
                server.tell(number)
                self.assertEqual(server.wait(within=5), 0)
                self.assertEqual(read_all(idle), b"")

    @of_one_process
    def test_what_is_under_way_is_finished(self):
        with Server() as server, server.connect() as upload, server.connect() as web_socket:
            upload.sendall(b"POST /test/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            web_socket.sendall(UPGRADE + b"\r\n")
            self.assertIn(b" 101 ", web_socket.recv(1000))
            eventually(lambda: server.metric("parley_connections") == 2, "both are there")
            server.tell(signal.SIGTERM)
            server.event("serve.draining")
            # 1001: going away.
            self.assertEqual(web_socket.recv(1000)[:4][2:], b"\x03\xe9")
            web_socket.sendall(frame(8, b"\x03\xe9"))
            self.assertEqual(server.get("/readyz", admin=True), (503, "the service is shutting down\n"))
            self.assertEqual(server.get("/livez", admin=True)[0], 200)
            with self.assertRaises(ConnectionRefusedError):
                server.connect()
            upload.sendall(b"world")
            self.assertTrue(read_all(upload).endswith(b"\r\n\r\n10\n"))
            self.assertEqual(server.wait(within=5), 0)

    @of_one_process
    def test_a_stuck_connection_is_cut_at_the_deadline(self):
        with Server("--drain-timeout", "1s") as server, server.connect() as stuck:
            stuck.sendall(b"POST /test/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            eventually(lambda: server.metric("parley_connections") == 1, "it is there")
            began = time.monotonic()
            server.tell(signal.SIGTERM)
            self.assertEqual(server.event("serve.cut_off")["count"], 1)
            self.assertEqual(server.wait(within=5), 0)
            self.assertGreater(time.monotonic() - began, 0.9)
            self.assertEqual(read_all(stuck), b"")

    @of_one_process
    def test_a_second_signal_does_not_wait(self):
        with Server("--drain-timeout", "60s") as server, server.connect() as stuck:
            stuck.sendall(b"POST /test/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            eventually(lambda: server.metric("parley_connections") == 1, "it is there")
            server.tell(signal.SIGTERM)
            server.event("serve.draining")
            server.tell(signal.SIGINT)
            self.assertEqual(server.wait(within=5), 0)

    def test_a_taken_port_is_told_with_the_way_out(self):
        with Server() as server, tempfile.TemporaryDirectory() as data:
            listen = "{}:{}".format(*server.address)
            command = [binary(), "serve", "--listen", listen, "--admin", "127.0.0.1:0", "--data", data]
            outcome = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(outcome.returncode, 71)
            self.assertIn(f"listen {listen}: address already in use", outcome.stderr)
            self.assertIn("choose another with --listen", outcome.stderr)

    def start_in_vain(self, data: str, *options: str) -> tuple[int, str]:
        """Its exit code and what it says; far too late when it starts after all."""
        command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off"]
        outcome = subprocess.run(
            [*command, "--data", data, *options], capture_output=True, text=True, timeout=20, check=False)
        return outcome.returncode, outcome.stderr

    def test_a_file_that_was_named_has_to_be_there(self):
        with tempfile.TemporaryDirectory() as data:
            missing = f"{data}/typo.json"
            code, words = self.start_in_vain(data, "--ice-servers", missing)
            self.assertEqual(code, 66)
            self.assertIn(f"parley serve: {missing}: the file cannot be read", words)
            code, words = self.start_in_vain(data, "--tls-cert", missing, "--tls-key", missing)
            self.assertEqual(code, 66)
            self.assertIn(missing, words)
            code, words = self.start_in_vain(data, "--web", missing)
            self.assertEqual(code, 66)
            self.assertIn(f"parley serve: {missing}: not a readable directory", words)

    def test_a_mistake_in_ice_servers_is_told_with_its_place(self):
        with tempfile.TemporaryDirectory() as data:
            path = Path(data, "ice-servers.json")
            path.write_text('{"iceServers":[{"urls":"stun:a"},{"urls":"turn:b"}]}')
            code, words = self.start_in_vain(data)
            self.assertEqual(code, 66)
            self.assertIn(f"parley serve: {path}: iceServers[1]", words)

    def test_a_weak_secret_is_a_wrong_command_line(self):
        with tempfile.TemporaryDirectory() as data:
            code, words = self.start_in_vain(data, "--app", "a:b")
            self.assertEqual(code, 64)
            self.assertIn("the secret has 1 bytes", words)

    def test_a_reader_of_the_log_that_has_gone_does_not_end_it(self):
        with Server("--log-level", "trace") as server:
            server.stop_reading_log()
            for _ in range(3):
                with server.connect() as peer:
                    peer.sendall(b"nonsense\r\n\r\n")
                    self.assertIn(b" 400 ", read_all(peer))
            self.assertEqual(server.get("/")[0], 200)

    def test_descriptors_are_raised_to_the_hard_limit(self):
        with Server("--log-level", "debug") as server:
            limits = Path(f"/proc/{server.process.pid}/limits").read_text()
            _, _, _, soft, hard, *_ = next(line for line in limits.splitlines() if "open files" in line).split()
            self.assertEqual(soft, hard)


class Encrypted(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def serve(self) -> Server:
        certificate, key = make_certificate(self.folder.name, "first.example")
        server = Server("--tls-cert", certificate, "--tls-key", key)
        self.addCleanup(server.__exit__)
        return server

    @staticmethod
    def ask(peer: ssl.SSLSocket) -> bytes:
        peer.sendall(HEAD + b"\r\n")
        return peer.recv(1000)

    def names(self, server: Server) -> bytes:
        with dial_tls(server, tls_client()) as peer:
            return peer.getpeercert(binary_form=True)

    def test_tls_of_1_2_and_1_3_is_spoken_and_nothing_older(self):
        server = self.serve()
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            with dial_tls(server, tls_client(version, version)) as peer:
                self.assertEqual(peer.version(), version.name.replace("_", "."))
                self.assertIn(b"200 OK", self.ask(peer))
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            with self.assertRaises(ssl.SSLError) as caught:
                dial_tls(server, tls_client(version, version))
            self.assertRegex(str(caught.exception), "(?i)protocol.version")

    def test_the_protocol_is_agreed_on(self):
        server = self.serve()
        for offered, chosen in [(["h2", "http/1.1"], "http/1.1"), (["h2"], None), ([], None)]:
            with dial_tls(server, tls_client(alpn=offered)) as peer:
                self.assertEqual(peer.selected_alpn_protocol(), chosen)
                self.assertIn(b"200 OK", self.ask(peer))

    def test_plain_http_is_turned_away(self):
        server = self.serve()
        with server.connect() as peer:
            peer.sendall(HEAD + b"\r\n")
            self.assertNotIn(b"HTTP/1.1 200", read_all(peer))

    def test_a_new_certificate_is_taken_on_sighup(self):
        server = self.serve()
        self.assertIn(b"first.example", self.names(server))
        with dial_tls(server, tls_client()) as old:
            make_certificate(self.folder.name, "second.example")
            server.tell(signal.SIGHUP)
            server.event("tls.reloaded")
            self.assertIn(b"second.example", self.names(server))
            self.assertIn(b"200 OK", self.ask(old))

    def test_bad_files_leave_the_old_certificate(self):
        server = self.serve()
        Path(self.folder.name, "cert.pem").write_text("no certificate\n")
        server.tell(signal.SIGHUP)
        event = server.event("tls.reload_failed")
        self.assertIn("cert.pem", str(event["error"]))
        self.assertIn(b"first.example", self.names(server))

    def test_a_certificate_of_its_own_is_made_when_asked_for(self):
        with Server("--tls", "self-signed") as server, dial_tls(server, tls_client()) as peer:
            self.assertIn(b"200 OK", self.ask(peer))
            self.assertIn(b"localhost", peer.getpeercert(binary_form=True))

    def test_a_client_that_goes_away_without_a_word(self):
        server = self.serve()
        for _ in range(50):
            peer = dial_tls(server, tls_client())
            self.assertIn(b"200 OK", self.ask(peer))
            # The descriptor goes without TLS's own goodbye.
            socket.socket(fileno=peer.detach()).close()
        eventually(lambda: server.metric("parley_connections") == 0, "no connection is left")


if __name__ == "__main__":
    unittest.main()
