"""A line that is slow, loses, jitters and reorders, for real programs: two TUN devices with a queue between them.

It stands between two network namespaces and lives until it is told to go. The same seed loses the same packets.
"""

import argparse
import ctypes
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time
from dataclasses import dataclass, fields

_TUNSETIFF = 0x400454CA
_TUN_WITHOUT_HEADER = 0x0001 | 0x1000
_NEWNET = 0x40000000
_LARGEST = 65_536


@dataclass(frozen=True)
class Line:
    """What each direction does: milliseconds, percent, packets and kilobits per second."""

    delay: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    burst: float = 1.0
    reorder: float = 0.0
    rate: float = 0.0
    queue: float = 200.0
    seed: int = 1

    def words(self) -> list[str]:
        return [f"--{field.name}={getattr(self, field.name)}" for field in fields(self)]


class Direction:
    """When what is put in comes out."""

    def __init__(self, line: Line, seed: int):
        self.line = line
        self.random = random.Random(seed)
        self.is_bad = False
        self.is_free_at = 0.0
        self.last = 0.0

    def arrival(self, size: int, now: float) -> float | None:
        """In seconds; None for what is lost."""
        if self._loses():
            return None
        start = max(now, self.is_free_at)
        if self.line.rate > 0:
            if (start - now) * 1000 > self.line.queue:
                return None
            start += size * 8 / (self.line.rate * 1000)
            self.is_free_at = start
        arrival = start + max(0.0, self.random.gauss(self.line.delay, self.line.jitter)) / 1000
        if self.random.random() * 100 < self.line.reorder:
            return arrival + max(0.005, self.line.delay / 2000)
        # Jitter alone does not reorder.
        self.last = max(self.last, arrival)
        return self.last

    def _loses(self) -> bool:
        """Alone, or in bursts of a mean length (Gilbert–Elliott)."""
        share = self.line.loss / 100
        if self.line.burst <= 1 or share in (0.0, 1.0):
            return self.random.random() < share
        to_good = 1 / self.line.burst
        if self.random.random() < (to_good if self.is_bad else to_good * share / (1 - share)):
            self.is_bad = not self.is_bad
        return self.is_bad


def open_tun(space: str, device: str) -> int:
    """A TUN device inside of a namespace. Its descriptor is good anywhere."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{space}", os.O_RDONLY)
    try:
        _enter(libc, there)
        tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH", device.encode(), _TUN_WITHOUT_HEADER))
        return tun
    finally:
        _enter(libc, home)
        os.close(there)
        os.close(home)


def _enter(libc: ctypes.CDLL, namespace: int) -> None:
    if libc.setns(namespace, _NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def carry(one: int, other: int, line: Line) -> None:
    """Until the end of the process."""
    ways = {one: (other, Direction(line, line.seed)), other: (one, Direction(line, ~line.seed))}
    waiting: list[tuple[float, int, int, bytes]] = []
    number = 0
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, target, packet = heapq.heappop(waiting)
            try:
                os.write(target, packet)
            except OSError:
                # The device is down for the moment, as a cable that is pulled out.
                continue
        timeout = waiting[0][0] - now if waiting else None
        for source in select.select([one, other], [], [], timeout)[0]:
            packet = os.read(source, _LARGEST)
            target, direction = ways[source]
            arrival = direction.arrival(len(packet), time.monotonic())
            if arrival is not None:
                number += 1
                heapq.heappush(waiting, (arrival, number, target, packet))


class Impairment:
    """The line as a process of its own: `one` and `other` are a namespace and the name of the device in it."""

    def __init__(self, one: tuple[str, str], other: tuple[str, str], line: Line):
        words = [sys.executable, __file__, *one, *other, *line.words()]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise OSError(f"no TUN devices: {self.process.wait()}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("space", "device", "other_space", "other_device"):
        parser.add_argument(name)
    for field in fields(Line):
        parser.add_argument(f"--{field.name}", type=field.type, default=field.default)
    options = vars(parser.parse_args())
    one = open_tun(options.pop("space"), options.pop("device"))
    other = open_tun(options.pop("other_space"), options.pop("other_device"))
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    print("ready", flush=True)
    carry(one, other, Line(**options))


if __name__ == "__main__":
    main()
