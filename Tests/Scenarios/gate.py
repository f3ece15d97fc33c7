"""A firewall between two programs: what stands in front of a listener and passes connections on, until it is told otherwise."""

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path


class Gate:
    """`target` is an address, or the path of a Unix socket. `who` says who connects from a port, where that matters."""

    def __init__(self, target: tuple[str, int] | Path | None = None, who: Callable[[int], Hashable] = lambda port: None):
        self.target, self.who = target, who
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.is_open = True
        self._is_stopped = False
        self._dropped: set[Hashable] = set()
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, (_, port) = self.listener.accept()
            except OSError:
                return
            if not self.is_open or not self.target:
                near.close()
                continue
            threading.Thread(target=self._serve, args=[near, self.who(port)], daemon=True).start()

    def _serve(self, near: socket.socket, source: Hashable) -> None:
        """What is dropped on its way hears nothing, also when it connects."""
        far = socket.socket(socket.AF_UNIX if isinstance(self.target, Path) else socket.AF_INET)
        self.pairs.append((near, far))
        try:
            self._wait_while_silent(near, source)
            far.connect(str(self.target) if isinstance(self.target, Path) else self.target)
            while self._carry(near, far, source):
                pass
        except (OSError, ValueError):
            pass  # One of the two ends is gone, so both are.
        self._end(near, far)

    def _carry(self, near: socket.socket, far: socket.socket, source: Hashable) -> bool:
        for ready in select.select([near, far], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return False
            self._wait_while_silent(near, source)
            (far if ready is near else near).sendall(data)
        return True

    def _wait_while_silent(self, near: socket.socket, source: Hashable) -> None:
        while (self._is_stopped or source in self._dropped) and near.fileno() >= 0:
            time.sleep(0.05)

    @staticmethod
    def _end(*ends: socket.socket) -> None:
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def cut(self) -> None:
        """All connections break, and no other comes through."""
        self.is_open = False
        self.end_all()

    def end_all(self) -> None:
        pairs, self.pairs = self.pairs, []
        for pair in pairs:
            self._end(*pair)

    def stop(self) -> None:
        """Nothing comes through any more on the connections that are there, and nobody is told; new ones are refused."""
        self.is_open = False
        self._is_stopped = True

    def drop(self, *sources: Hashable) -> None:
        """Nothing of these comes through, on old connections or new ones, and nobody is told."""
        self._dropped |= set(sources)

    def open(self) -> None:
        self._dropped = set()
        self._is_stopped = False
        self.is_open = True

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, *_) -> None:
        self.listener.close()
        self._dropped = set()
        self._is_stopped = False
        self.end_all()


def process_of(port: int, candidates: list[int]) -> int | None:
    """Which of the processes has a connection from this port of 127.0.0.1."""
    local = f"0100007F:{port:04X}"
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    sockets = {f"socket:[{row[9]}]" for row in rows if row[1] == local}
    return next((process for process in candidates if sockets & _files(process)), None)


def _files(process: int) -> set[str]:
    folder = Path(f"/proc/{process}/fd")
    try:
        return {target for target in map(_target, folder.iterdir()) if target}
    except OSError:
        return set()  # The process has ended.


def _target(file: Path) -> str | None:
    try:
        return os.readlink(file)
    except OSError:
        return None  # It was closed meanwhile.
