"""What the person who runs a server meets: addresses, certificates, damage, and a look before the start."""

import contextlib
import json
import os
import re
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from people import Person, VOUCHED
from ports import free_blocked_port, free_port
from server import ROOT, Server, binary, eventually, of_one_process
from test_serve import make_certificate, tls_client


def certificate_of(address: tuple) -> bytes:
    with socket.create_connection(address, timeout=20) as line, tls_client().wrap_socket(line) as secure:
        return secure.getpeercert(binary_form=True)


def run(*command: str) -> tuple[int, str]:
    done = subprocess.run(
        [binary(), *command], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "PARLEY_CONFIG": ""})
    return done.returncode, done.stdout + done.stderr


class Addresses(unittest.TestCase):
    def test_P01_one_server_listens_on_several_addresses(self):
        """P01.several"""
        port = free_port()
        with Server("--listen", f"127.0.0.2:{port}", testing=False) as server:
            ready = next(event for event in server.log if event["event"] == "serve.ready")
            self.assertIn(f"127.0.0.2:{port}", ready["addresses"])
            for address in (server.address, ("127.0.0.2", port)):
                with socket.create_connection(address, timeout=20) as line:
                    line.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                    self.assertIn(b"200 OK", line.recv(4096))

    def test_P01_an_address_of_ipv6_for_all_takes_clients_of_ipv4(self):
        """P01.both"""
        port = free_port()
        with Server("--listen", f"[::]:{port}", "--plain-http", *VOUCHED, testing=False) as server:
            for host in ("127.0.0.1", "::1"):
                with socket.create_connection((host, port), timeout=20) as line:
                    line.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                    self.assertIn(b"200 OK", line.recv(4096))
            server.address = ("127.0.0.1", port)
            with Person(server) as person:
                self.assertTrue(person.member)

    def test_P01_both_may_be_said_side_by_side(self):
        port = free_port()
        with Server("--listen", f"[::]:{port}", "--listen", f"0.0.0.0:{port}", "--plain-http", testing=False):
            for host in ("127.0.0.1", "::1"):
                socket.create_connection((host, port), timeout=20).close()

    def test_P01_the_address_that_cannot_be_had_is_named(self):
        """P01.named"""
        with socket.create_server(("127.0.0.1", 0)) as taken, tempfile.TemporaryDirectory() as data:
            address = "127.0.0.1:{}".format(taken.getsockname()[1])
            code, words = run(
                "serve", "--listen", "127.0.0.1:0", "--listen", address, "--admin", "127.0.0.1:0", "--data", data,
                "--stun", "off")
            self.assertEqual(code, 71)
            self.assertIn(f"listen {address}: address already in use", words)

    def test_P01_a_port_that_no_browser_opens_is_said(self):
        """P01.blocked"""
        blocked, other = free_blocked_port(), free_port()
        options = "--listen", f"127.0.0.1:{blocked}", "--listen", f"127.0.0.1:{other}"
        with Server(*options, testing=False) as server:
            warnings = [event for event in server.log if event["event"] == "serve.port_blocked"]
            self.assertEqual([event["address"] for event in warnings], [f"127.0.0.1:{blocked}"])
            self.assertIn("--listen", warnings[0]["message"])
        with tempfile.TemporaryDirectory() as data:
            code, words = run("check", "config", *options, "--admin", "127.0.0.1:0", "--data", data)
        self.assertEqual(code, 0)
        self.assertIn(f"browsers refuse to connect to port {blocked}", words)


class Certificates(unittest.TestCase):
    def test_P02_a_self_signed_certificate_is_the_same_after_a_restart_and_names_the_address(self):
        """P02.kept P02.named"""
        with Server("--tls", "self-signed", testing=False) as server:
            first = certificate_of(server.address)
            server.restart()
            self.assertEqual(certificate_of(server.address), first)
        port = free_port()
        with Server("--tls", "self-signed", "--listen", f"127.0.0.9:{port}", testing=False) as server:
            trusted = ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(certificate_of(("127.0.0.9", port))))
            with socket.create_connection(("127.0.0.9", port), timeout=20) as line:
                # Compares the address with the names in the certificate.
                trusted.wrap_socket(line, server_hostname="127.0.0.9").close()

    def test_P02_a_command_that_does_not_trust_a_certificate_says_what_to_add(self):
        """P02.advice"""
        with Server("--tls", "self-signed", testing=False) as server:
            code, words = run("send", "@anna", "hello", "--as", "bob", "--server", "https://{}:{}".format(*server.address))
            self.assertNotEqual(code, 0)
            self.assertIn("--trust-anybody", words)


@of_one_process
class Damage(unittest.TestCase):
    def start_in_vain(self, data: str) -> tuple[int, str]:
        return run(
            "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data", data, "--stun", "off")

    def test_P03_a_damaged_database_stops_the_start_and_is_named(self):
        """P03.damaged"""
        with Server(*VOUCHED, testing=False) as server:
            people = [Person(server) for _ in range(2)]
            for number in range(200):
                people[0].ask("chat.send", user=people[1].user, body={"text": "word " * 40 + str(number)})
            server.tell(15)
            server.wait()
            path = Path(server.data, "parley.db")
            with path.open("r+b") as file:
                file.seek(4_096)
                file.write(os.urandom(3 * 4_096))
            code, words = self.start_in_vain(server.data)
            self.assertEqual(code, 65, words)
            self.assertIn(str(path), words)
            self.assertIn("backup", words)
            code, words = run("check", "--data", server.data)
            self.assertEqual(code, 1)
            self.assertIn("backup", words)

    def test_P03_a_missing_secret_stops_the_start_and_is_named(self):
        """P03.secret"""
        with Server(testing=False) as server:
            server.tell(15)
            server.wait()
            secret = Path(server.data, "secret")
            words_before = secret.read_text()
            secret.unlink()
            code, words = self.start_in_vain(server.data)
            self.assertEqual(code, 66, words)
            self.assertIn(f"{secret} is missing", words)
            self.assertFalse(secret.exists())
            secret.write_text(words_before)
            secret.chmod(0o600)
            server.begin()


class LookBefore(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.data = folder.name
        os.chmod(self.data, 0o700)

    def check(self, *options: str) -> tuple[int, dict]:
        listen = [] if "--listen" in options else ["--listen", "127.0.0.1:0"]
        code, words = run(
            "check", "config", *listen, "--admin", "127.0.0.1:0", "--data", self.data, "--json", *options)
        return code, {finding["subject"]: finding for finding in json.loads(words)["findings"]}

    def test_P04_good_options_are_good_and_nothing_is_begun(self):
        """P04.good"""
        code, findings = self.check()
        self.assertEqual(code, 0, findings)
        self.assertEqual({finding["severity"] for finding in findings.values()}, {"ok"})
        self.assertEqual(os.listdir(self.data), [])

    def test_P04_what_would_not_work_is_found(self):
        """P04.addresses P04.certificates P04.permissions"""
        certificate, key = make_certificate(self.data, "localhost")
        other = tempfile.mkdtemp(dir=self.data)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            code, findings = self.check(
                "--listen", "127.0.0.1:{}".format(taken.getsockname()[1]), "--tls-cert", certificate,
                "--tls-key", make_certificate(other, "other")[1])
        self.assertEqual(code, 1)
        self.assertIn("already in use", findings["--listen"]["text"])
        self.assertEqual(findings["--tls-cert"]["severity"], "error")
        os.chmod(self.data, 0o755)
        os.chmod(key, 0o644)
        code, findings = self.check("--tls-cert", certificate, "--tls-key", key)
        self.assertEqual(code, 0)
        for subject in ("--data", "--tls-cert", "--tls-key"):
            self.assertEqual(findings[subject]["severity"], "warning", findings)
        self.assertIn("more days", findings["--tls-cert"]["text"])

    def test_P04_a_running_server_is_not_in_its_own_way(self):
        with Server(testing=False, data=self.data) as server:
            code, findings = self.check("--listen", "{}:{}".format(*server.address))
            self.assertEqual(code, 0, findings)
            self.assertIn("running", findings["--listen"]["text"])

    def test_P04_a_wrong_option_is_a_wrong_command_line(self):
        self.assertEqual(run("check", "config", "--loops", "0")[0], 64)
        self.assertEqual(run("check", "config", "--listen", "0.0.0.0:0")[0], 64)


SAMPLE = re.compile(
    r"^([a-z_]+)(?:\{([a-z_]+)=\"([^\"\\]*)\"\})? (-?[0-9.e+-]+|\+Inf|NaN)$")


@of_one_process
class Counted(unittest.TestCase):
    """Metrics, in the text format of Prometheus (version 0.0.4)."""

    def read(self, server: Server) -> dict[str, float]:
        """Every sample by its name and label; the format is looked at on the way."""
        kinds: dict[str, str] = {}
        samples: dict[str, float] = {}
        status, text = server.get("/metrics", admin=True)
        self.assertEqual(status, 200)
        self.assertTrue(text.endswith("\n"))
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.assertNotIn(name, kinds)
                self.assertEqual(name.endswith("_total"), kind == "counter", name)
                kinds[name] = kind
            elif not line.startswith("# HELP "):
                found = SAMPLE.match(line)
                self.assertIsNotNone(found, line)
                family = re.sub(r"_(bucket|sum|count)$", "", found[1]) if found[1] not in kinds else found[1]
                self.assertIn(family, kinds)
                key = f"{found[1]}:{found[3]}" if found[2] else found[1]
                self.assertNotIn(key, samples)
                samples[key] = float(found[4])
        return samples

    def test_P06_people_calls_rooms_messages_and_the_store_are_counted(self):
        """P06.levels P06.counters P06.store"""
        with Server(*VOUCHED, testing=False) as server, Person(server, "A") as a, Person(server, "B") as b:
            for person in (a, b):
                person.ask("room.join", room="tea")
            call = a.ask("call.invite", user=b.user, kind="audio")["call"]
            b.expect("call.incoming")
            b.ask("call.accept", call=call)
            a.ask("chat.send", user=b.user, body={"text": "hello"})
            before = self.read(server)
            levels = {"users_online": 2, "calls": 1, "rooms": 1, "room_members": 2, "messages_total": 1}
            levels |= {"calls_started_total": 1, "calls_answered_total": 1, "calls_ended_total:completed": 0}
            for name, level in levels.items():
                self.assertEqual(before[f"parley_{name}"], level, name)
            a.ask("call.hangup", call=call)
            a.ask("chat.sync", {})
            after = self.read(server)
            self.assertEqual((after["parley_calls"], after["parley_calls_ended_total:completed"]), (0, 1))
            self.assertGreater(after["parley_store_commit_seconds_count"], 0)
            self.assertEqual(
                after["parley_store_commit_seconds_count"], after["parley_store_commit_seconds_bucket:+Inf"])
            self.assertEqual((after["parley_store_queue"], after["parley_store_failures_total"]), (0, 0))

    def test_P06_what_a_webhook_does_not_take_is_counted(self):
        """P06.outbox"""
        options = ("--webhook", "http://127.0.0.1:9/hook", "--webhook-secret", "w" * 8 + "ebhook secret of these tests, long enough")
        with Server(*VOUCHED, *options, testing=False) as server, Person(server, "A") as a, Person(server, "B") as b:
            a.ask("chat.send", user=b.user, body={"text": "hello"})
            eventually(lambda: self.read(server)["parley_outbox_failures_total"] > 0, "a failure")
            self.assertGreater(self.read(server)["parley_outbox_waiting"], 0)


class AccessLog(unittest.TestCase):
    #: The filter of docs/operations.md, for the text format.
    FILTER = re.search(r"^failregex = (.+)$", (ROOT / "docs/operations.md").read_text(), re.MULTILINE)[1]

    def lines(self, *options: str) -> str:
        """What a server writes for people, to whom somebody comes with a wrong password and an odd path."""
        with tempfile.TemporaryDirectory() as data:
            command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", data]
            process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
            with process.stderr as log:
                text = next(line for line in log if "serve.ready" in line)
                host, _, port = re.search(r" address=(\S+)", text)[1].rpartition(":")
                body = json.dumps({"userName": "mallory", "password": "guess-guess"})
                odd = "auth.refused:%20a%20sign-in%20was%20refused%20address=192.0.2.1?token=secret"
                for path, data in (("v1/auth/login", body.encode()), (odd, None)):
                    with contextlib.suppress(urllib.error.HTTPError):
                        urllib.request.urlopen(f"http://{host}:{port}/{path}", data=data, timeout=20).close()
                process.terminate()
                return text + log.read()

    def test_P07_each_request_and_each_refused_sign_in_leaves_a_line_with_its_address(self):
        """P07.requests P07.signins"""
        text = self.lines("--access-log")
        self.assertRegex(text, r"http\.request: .* address=127\.0\.0\.1 method=POST path=/v1/auth/login status=401")
        self.assertRegex(text, r"auth\.refused: .* address=127\.0\.0\.1 reason=unauthorized status=401")
        self.assertNotIn("token=secret", text)
        self.assertNotIn("http.request", self.lines())

    def test_P07_the_filter_of_the_documents_finds_the_guesser_and_nobody_else(self):
        """P07.filter"""
        found = re.compile(self.FILTER.replace("<HOST>", r"(?P<host>[0-9a-f.:]+)"))
        hosts = [match["host"] for line in self.lines("--access-log").splitlines() if (match := found.search(line))]
        self.assertEqual(hosts, ["127.0.0.1"])


if __name__ == "__main__":
    unittest.main()
