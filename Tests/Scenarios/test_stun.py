"""`parley stun` as people run it: our own responder, coturn, servers that are not there."""

import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from coturn import IS_INSTALLED, Coturn  # noqa: E402
from ports import free_port
from server import TIMEOUT, Server, binary  # noqa: E402

ACCOUNT = ("--lt-cred-mech", "--user=user:pass")
SIGNED_IN = ("--username", "user", "--credential", "pass")


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="parley-stun-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def stun(self, *words, **environment) -> subprocess.CompletedProcess:
        command = [str(binary()), "stun", *map(str, words)]
        return subprocess.run(
            command, capture_output=True, check=False, timeout=90, text=True, env={**os.environ, **environment})

    def report(self, *words, code: int = 0, **environment) -> dict:
        done = self.stun(*words, "--json", "--insecure", **environment)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)


class StunTests(Case):
    def test_J09_our_own_responder_answers_over_both_families(self):
        """J09.binding"""
        port = free_port()
        for host in ("127.0.0.1", "[::1]"):
            with Server("--stun", f"{host}:{port}"):
                report = self.report(f"stun:{host}:{port}")
            over_udp = report["servers"][0]
            self.assertTrue(over_udp["works"])
            self.assertTrue(over_udp["mapped"].startswith(host))
            self.assertEqual((over_udp["requests"], over_udp["lost"]), (5, 0))
            self.assertLess(over_udp["rtt_ms"]["min"], over_udp["rtt_ms"]["max"])

    def test_servers_that_are_not_there_are_said_to_be_so(self):
        port = free_port()
        report = self.report(f"stun:127.0.0.1:{port}", "stun:nobody.invalid", code=69)
        self.assertEqual(report["verdict"], "unknown")
        errors = [server["error"] for server in report["servers"]]
        self.assertEqual(errors[0], "no answer")
        self.assertIn("connection refused", errors[1])
        self.assertIn("cannot resolve", errors[2])

    def test_a_dead_server_does_not_delay_the_others(self):
        with Server("--stun", f"127.0.0.1:{free_port()}") as server:
            port = server.options[1].rpartition(":")[2]
            report = self.report(f"stun:127.0.0.1:{port}", f"stun:127.0.0.1:{free_port()}", code=1)
        self.assertEqual((report["working"], report["asked"]), (1, 2))
        self.assertLess(report["servers"][0]["rtt_ms"]["median"], 50)

    def test_wrong_usage_is_refused(self):
        for words in ([], ["stun://x"], ["turn:x"], ["x", "--username", "me"]):
            self.assertEqual(self.stun(*words).returncode, 64, words)
        self.assertEqual(self.stun("--ice-servers", self.folder / "none.json").returncode, 66)

    def test_watching_goes_on_until_it_is_interrupted(self):
        with Server("--stun", f"127.0.0.1:{free_port()}") as server:
            address = server.options[1]
            command = [str(binary()), "stun", f"stun:{address}", "--json", "--watch", "--every", "100ms"]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
                lines = [json.loads(watching.stdout.readline()) for _ in range(3)]
                watching.terminate()
                watching.wait(timeout=TIMEOUT)
        self.assertEqual([line["working"] for line in lines], [1, 1, 1])


@unittest.skipUnless(IS_INSTALLED, "coturn is not installed: Scripts/install tests")
class CoturnTests(Case):
    def test_every_transport_and_both_families_are_asked(self):
        with Coturn(*ACCOUNT, addresses=("127.0.0.1", "::1")) as coturn:
            words = [f"{kind}:{host}:{coturn.port}" for kind in ("turn", "turns") for host in ("127.0.0.1", "[::1]")]
            report = self.report(*words, *SIGNED_IN)
        rows = {(server["url"], server["transport"]): server for server in report["servers"]}
        self.assertEqual(len(rows), 8)
        for (url, transport), row in rows.items():
            self.assertTrue(row["works"], (url, transport, row))
            self.assertGreaterEqual(len(row["relay"]["addresses"]), 1)
            self.assertEqual(row["lost"], 0)
        self.assertIn("Coturn", rows[(words[0], "udp")]["software"])

    def test_a_bare_host_is_asked_in_every_way(self):
        with Coturn() as coturn:
            report = self.report(f"127.0.0.1:{coturn.port}")
        self.assertEqual([server["transport"] for server in report["servers"]], ["udp", "tcp", "tls", "dtls"])
        self.assertTrue(all(server["works"] for server in report["servers"]))

    def test_a_certificate_that_nobody_vouches_for_is_refused(self):
        with Coturn(*ACCOUNT) as coturn:
            done = self.stun(f"turns:127.0.0.1:{coturn.port}", *SIGNED_IN, "--json")
        self.assertEqual(done.returncode, 69)
        for server in json.loads(done.stdout)["servers"]:
            self.assertIn("certificate verify failed", server["error"])

    def test_J09_the_nat_is_described_as_coturns_own_tool_describes_it(self):
        with Coturn() as coturn:
            report = self.report(f"stun:127.0.0.1:{coturn.port}")["networks"]["ipv4"]
            told = subprocess.run(
                ["turnutils_natdiscovery", "-m", "-f", "-p", str(coturn.port), "127.0.0.1"],
                capture_output=True, check=False, text=True, timeout=60).stdout
        for property in ("mapping", "filtering"):
            words = re.search(rf"NAT with (.*) {property}!", told, re.IGNORECASE).group(1)
            self.assertEqual(report[property], words.lower().replace(" ", "-"))
        self.assertFalse(report["translated"])

    def test_credentials_that_end_by_themselves_are_good_until_then(self):
        secret = "north by northwest"
        with Coturn("--use-auth-secret", f"--static-auth-secret={secret}") as coturn:
            url = f"turn:127.0.0.1:{coturn.port}?transport=udp"
            self.assertEqual(self.report(url, *self.made(secret, 60))["working"], 1)
            refused = self.report(url, *self.made(secret, -60), code=69)
            self.assertEqual(refused["servers"][0]["relay"]["code"], 401)
            forged = self.report(url, *self.made("another secret", 60), code=69)
            self.assertEqual(forged["servers"][0]["relay"]["code"], 401)
            file = self.folder / "ice-servers.json"
            file.write_text(json.dumps({"iceServers": [{"urls": url, "secret": "env:TURN_SECRET"}]}))
            self.assertEqual(self.report("--ice-servers", file, TURN_SECRET=secret)["working"], 1)

    @staticmethod
    def made(secret: str, seconds: int) -> list[str]:
        username = f"{int(time.time()) + seconds}:somebody"
        code = hmac.new(secret.encode(), username.encode(), hashlib.sha1).digest()
        return ["--username", username, "--credential", base64.b64encode(code).decode()]

    def test_the_best_are_kept_with_their_credentials_as_they_stood(self):
        secret = "north by northwest"
        best = self.folder / "best.json"
        with Coturn("--use-auth-secret", f"--static-auth-secret={secret}") as coturn:
            urls = [f"turn:127.0.0.1:{coturn.port}?transport={kind}" for kind in ("udp", "tcp")]
            servers = [
                {"urls": [*urls, "turn:127.0.0.1:9"], "secret": "env:TURN_SECRET", "ttl": 300},
                {"urls": ["stun:nobody.invalid", f"stun:127.0.0.1:{coturn.port}"]},
            ]
            file = self.folder / "ice-servers.json"
            file.write_text(json.dumps({"iceServers": servers}))
            self.report("--ice-servers", file, "--best", best, TURN_SECRET=secret, code=1)
            kept = json.loads(best.read_text())["iceServers"]
            self.assertEqual({entry["urls"] for entry in kept}, {*urls, f"stun:127.0.0.1:{coturn.port}"})
            for entry in kept:
                if entry["urls"].startswith("turn"):
                    self.assertEqual((entry["secret"], entry["ttl"]), ("env:TURN_SECRET", 300))
            self.assertEqual(self.report("--ice-servers", best, TURN_SECRET=secret)["working"], 3)

    def test_people_get_a_table_and_a_verdict(self):
        with Coturn(*ACCOUNT) as coturn:
            done = self.stun(f"turn:127.0.0.1:{coturn.port}", *SIGNED_IN)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0].split()[:3], ["SERVER", "OVER", "ADDRESS"])
        self.assertRegex(lines[1], r"udp +127\.0\.0\.1:\d+ +\d+\.\d+ ms .* in \d+\.\d+ ms$")
        self.assertIn("not translated, mapping endpoint-independent, filtering endpoint-independent", done.stdout)
        self.assertIn("The server works; no NAT: calls connect directly", lines[-1])


if __name__ == "__main__":
    unittest.main()
