"""Programs on a terminal."""

import os
import pty
import subprocess
import time

from server import TIMEOUT, binary


class Screen:
    """A terminal with a program on it."""

    def __init__(self, words: tuple[str, ...], env: dict | None = None):
        self.terminal, inner = pty.openpty()
        self.process = subprocess.Popen([binary(), *words], stdin=inner, stdout=inner, stderr=inner, env=env)
        os.close(inner)
        self.text = ""

    def wait_for(self, words: str, within: float = TIMEOUT) -> None:
        deadline = time.monotonic() + within
        os.set_blocking(self.terminal, False)
        while words not in self.text:
            if time.monotonic() > deadline:
                raise AssertionError(f"'{words}' did not appear in: {self.text}")
            try:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")
            except BlockingIOError:
                time.sleep(0.02)

    def type(self, line: str) -> None:
        os.write(self.terminal, f"{line}\n".encode())

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)
