"""The official JavaScript client under Node, as it comes with a Python package."""

import base64
import json
import os
import queue
import shutil
import subprocess
import threading
import time
from pathlib import Path

from server import TIMEOUT, ROOT, Server

CLIENT = ROOT / ".build/venv-tests/socket.io.min.js"
DRIVER = Path(__file__).parent / "official.cjs"


def is_there() -> bool:
    return CLIENT.exists() and shutil.which("node") is not None


class Official:
    def __init__(self, server: Server, **options):
        environment = os.environ | {"NODE_PATH": "/usr/share/nodejs"}
        self.process = subprocess.Popen(
            ["node", DRIVER, CLIENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.lines: queue.Queue = queue.Queue()
        self.pending: list[list] = []
        threading.Thread(target=self._read, daemon=True).start()
        host, port = server.address
        self.do("connect", f"http://{host}:{port}", options)

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(json.loads(line, object_hook=lambda o: base64.b64decode(o["base64"]) if "base64" in o else o))

    def do(self, *command) -> None:
        self.process.stdin.write(json.dumps(command, default=lambda b: {"base64": base64.b64encode(b).decode()}) + "\n")
        self.process.stdin.flush()

    def expect(self, *start, within: float = TIMEOUT) -> list:
        """The rest of the next line that begins like this."""
        deadline = time.monotonic() + within
        while True:
            for index, line in enumerate(self.pending):
                if line[: len(start)] == list(start):
                    del self.pending[index]
                    return line[len(start) :]
            try:
                self.pending.append(self.lines.get(timeout=max(0.01, deadline - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"{start} did not come; what came: {self.pending}") from None

    def ask(self, event: str, *arguments) -> list:
        self.do("ask", event, *arguments)
        error, *answer = self.expect("answer")
        assert error is None, error
        return answer

    def events(self, name: str) -> list[list]:
        """Everything of that name up to now."""
        self.ask("ice.servers", {})
        return [line[2:] for line in self.pending if line[:2] == ["event", name]]

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait(timeout=TIMEOUT)
        self.process.stdout.close()
