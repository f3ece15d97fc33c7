"""A coturn that runs for as long as a test looks at it."""

import random
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from server import TIMEOUT, eventually

IS_INSTALLED = shutil.which("turnserver") is not None and shutil.which("openssl") is not None


class Coturn:
    """Listens on `addresses` for UDP, TCP, TLS and DTLS on one port; two IPv4 addresses make it help with RFC 5780."""

    def __init__(self, *options: str, addresses: tuple[str, ...] = ("127.0.0.1", "127.0.0.2")):
        self.folder = Path(tempfile.mkdtemp(prefix="parley-coturn-"))
        self.port = random.randrange(20_000, 32_000, 4)
        self.log = self.folder / "log"
        certificate, key = self.folder / "cert.pem", self.folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            + ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        command = ["turnserver", "-n", "--no-cli", "--fingerprint", "--realm=lab.example", "--allow-loopback-peers"]
        command += [f"--listening-ip={address}" for address in addresses]
        command += [f"--relay-ip={addresses[0]}", f"--listening-port={self.port}"]
        command += [f"--tls-listening-port={self.port + 2}", f"--cert={certificate}", f"--pkey={key}"]
        command += [f"--userdb={self.folder}/db", f"--pidfile={self.folder}/pid", "--log-file=stdout", "--simple-log"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([*command, *options], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(lambda: self._listens(addresses[0]), "coturn listens")

    def _listens(self, address: str) -> bool:
        if self.process.poll() is not None:
            raise AssertionError(f"coturn ended: {self.log.read_text()[-1000:]}")
        try:
            socket.create_connection((address, self.port), timeout=TIMEOUT).close()
        except ConnectionRefusedError:
            return False
        return True

    def __enter__(self) -> "Coturn":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
