"""`parley call` and `parley answer` beside a server, each as somebody who is known by a name."""

import json
import os
import signal
import subprocess
import tempfile
import unittest

from people import VOUCHED
from server import TIMEOUT, Server, binary


class Household:
    """A home directory for programs that keep who they are."""

    def __init__(self, server: Server):
        self.folder = tempfile.TemporaryDirectory()
        host, port = server.address
        self.server = ("--server", f"http://{host}:{port}")
        # Nobody's own microphone takes part.
        self.environment = {
            **os.environ, "XDG_CONFIG_HOME": self.folder.name, "PULSE_SERVER": f"unix:{self.folder.name}/no-sound"}
        self.answering: list[Answering] = []

    def call(self, target: str, *options: str) -> subprocess.Popen:
        return subprocess.Popen(
            [str(binary()), "call", target, *self.server, "--json", *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, env=self.environment)

    def answer(self, *options: str) -> "Answering":
        answering = Answering([str(binary()), "answer", *self.server, "--json", *options], self.environment)
        self.answering.append(answering)
        return answering

    def close(self) -> None:
        for answering in self.answering:
            answering.close()
        self.folder.cleanup()


class Answering:
    """Somebody who takes every call."""

    def __init__(self, command: list[str], environment: dict):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL, text=True, env=environment)

    def expect(self, event: str) -> dict:
        """The next event of that name; other kinds are passed over."""
        for line in self.process.stdout:
            if (fields := json.loads(line))["event"] == event:
                return fields
        self.log.seek(0)
        raise AssertionError(f"no {event}: {self.log.read()}")

    def close(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(TIMEOUT)
        self.process.stdout.close()
        self.log.close()
        return code


class AtHome(unittest.TestCase):
    """A server for each test, and a home beside it."""

    def setUp(self) -> None:
        self.server = Server(*VOUCHED, testing=False)
        self.addCleanup(self.server.__exit__)
        self.home = Household(self.server)
        self.addCleanup(self.home.close)


def usage(command: str, *options: str) -> tuple[int, str]:
    """How the program ends that is called wrongly, and what it says."""
    done = subprocess.run(
        [str(binary()), command, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT)
    return done.returncode, done.stderr


def outcome(call: subprocess.Popen) -> tuple[int, dict]:
    """How the program ended, and what it says of the call."""
    out, complaints = call.communicate(timeout=3 * TIMEOUT)
    try:
        return call.returncode, json.loads(out)
    except ValueError:
        raise AssertionError(f"exit {call.returncode}: {out} {complaints}") from None
