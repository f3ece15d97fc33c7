"""Pebble, the small certificate authority of Let's Encrypt for tests, with a name server in which every name is this machine."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ports import free_ports
from server import TIMEOUT, eventually

IS_INSTALLED = shutil.which("pebble") is not None and shutil.which("pebble-challtestsrv") is not None


def certificate(names: list[str], days: tuple[float, float], issuer=None, more=()) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    """A certificate that is good from and until so many days from now, signed by the issuer or by itself."""
    now, key = datetime.now(timezone.utc), ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
    signer, signing = (issuer[1].subject, issuer[0]) if issuer else (subject, key)
    builder = x509.CertificateBuilder(
        signer, subject, key.public_key(), x509.random_serial_number(), now + timedelta(days[0]), now + timedelta(days[1]))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), False)
    for extension in more:
        builder = builder.add_extension(extension, True)
    return key, builder.sign(signing, hashes.SHA256())


def pem(key: ec.EllipticCurvePrivateKey, found: x509.Certificate) -> bytes:
    text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return text + found.public_bytes(serialization.Encoding.PEM)


class Pebble:
    """Looks for challenges at `port` of this machine. One nonce in five is not taken."""

    def __init__(self, port: int):
        self.folder = Path(tempfile.mkdtemp(prefix="parley-pebble-"))
        own, management, names, self._records = free_ports(4)
        self.directory = f"https://localhost:{own}/dir"
        self._management = f"https://localhost:{management}"
        self._write(own, management, port)
        self._processes: list[subprocess.Popen] = []
        self._start(
            "pebble-challtestsrv", "-dns01", f"127.0.0.1:{names}", "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "",
            "-management", f"127.0.0.1:{self._records}", "-http01", "", "-https01", "", "-tlsalpn01", "")
        self._start("pebble", "-strict", "-config", f"{self.folder}/pebble.json", "-dnsserver", f"127.0.0.1:{names}")
        eventually(lambda: self._answers(own) and self._answers(self._records), "Pebble answers")

    def _write(self, own: int, management: int, port: int) -> None:
        root = certificate(["Test root"], (-1, 2), more=[x509.BasicConstraints(True, None)])
        key, found = certificate(["localhost"], (-1, 2), issuer=root)
        text = pem(key, found)
        (self.folder / "own.pem").write_bytes(text)
        self.trust = str(self.folder / "root.pem")
        Path(self.trust).write_bytes(root[1].public_bytes(serialization.Encoding.PEM))
        (self.folder / "pebble.json").write_text(json.dumps({"pebble": {
            "listenAddress": f"127.0.0.1:{own}", "managementListenAddress": f"127.0.0.1:{management}",
            "certificate": f"{self.folder}/own.pem", "privateKey": f"{self.folder}/own.pem",
            "httpPort": 1, "tlsPort": port, "ocspResponderURL": "", "externalAccountBindingRequired": False,
        }}))

    def _start(self, *command: str) -> None:
        environment = os.environ | {"PEBBLE_VA_NOSLEEP": "1", "PEBBLE_WFE_NONCEREJECT": "20", "PEBBLE_AUTHZREUSE": "0"}
        with (self.folder / f"{command[0]}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment))

    def _answers(self, port: int) -> bool:
        for process in self._processes:
            if process.poll() is not None:
                logs = "".join(log.read_text()[-1000:] for log in self.folder.glob("*.log"))
                raise AssertionError(f"{process.args[0]} ended: {logs}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT).close()
            return True
        except OSError:
            return False

    def options(self, *names: str) -> list[str]:
        given = [option for name in names for option in ("--acme", name)]
        return [*given, "--acme-agree", "--acme-directory", self.directory, "--acme-ca", self.trust]

    def root(self) -> str:
        """Who vouches for what it issues, as PEM."""
        with urllib.request.urlopen(
            f"{self._management}/roots/0", timeout=TIMEOUT,
            context=ssl.create_default_context(cafile=self.trust)) as answer:
            return answer.read().decode()

    def lead(self, name: str, address: str) -> None:
        """The name server says this address for the name from now on."""
        body = json.dumps({"host": f"{name}.", "addresses": [address]}).encode()
        for deed in ("clear-a", "add-a"):
            with urllib.request.urlopen(f"http://127.0.0.1:{self._records}/{deed}", data=body, timeout=TIMEOUT):
                pass

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
