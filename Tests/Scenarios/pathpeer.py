"""A PathPeer that runs for as long as a test looks at it: its lines are kept, and handed to who wants to hear them."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from server import binary


def program() -> Path:
    path = binary().parent / "PathPeer"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not built: swift build --product PathPeer")
    return path


class PathPeer:
    """One of two who look for a path. What it says is in `lines`, each with its moment."""

    def __init__(self, *words: str, within: tuple[str, ...] = ()):
        self.process = subprocess.Popen(
            [*within, str(program()), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines: list[tuple[float, str]] = []

    def listen(self, hear: Callable[[str], None] = lambda line: None) -> None:
        """From now on `hear` is called with each of its lines, on a thread of its own."""
        self._reader = threading.Thread(target=self._read, args=[hear], daemon=True)
        self._reader.start()

    def _read(self, hear: Callable[[str], None]) -> None:
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line.strip()))
            hear(line.strip())

    def tell(self, line: str) -> None:
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def said(self, start: str) -> list[str]:
        return [line for _, line in list(self.lines) if line.startswith(start)]

    def has_said(self, line: str) -> bool:
        return line in self.said(line)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdin.close()
        self.process.stdout.close()


def introduce(one: PathPeer, other: PathPeer) -> None:
    """Each hears what the other says for it."""
    for speaker, listener in ((one, other), (other, one)):
        speaker.listen(lambda line, to=listener: to.tell(line) if is_for_the_other(line) else None)


def is_for_the_other(line: str) -> bool:
    return line.startswith(("remote ", "candidate:")) or line == "end"
