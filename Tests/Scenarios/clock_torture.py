"""A server whose clock on the wall is set wrong and right again while people write, as by a bad time server."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

from people import APP, APP_SECRET, Refused, vouch
from server import Server, eventually
from torture import LOST, StoreTorture, expect

HOUR, DAY = 3_600, 86_400
#: An hour ahead, two back, a day ahead, and back where it was.
JUMPS = (HOUR, -2 * HOUR, DAY, -DAY + HOUR)


class Clock:
    """What time it is for a program that is started with `environment`. The clock that only measures goes on as it was."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="parley-clock-")
        self._path = Path(self._folder.name, "offset")
        self.offset = 0
        self.jump(0)
        library, = Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
        self.environment = {
            "LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(self._path), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}
        # What programs share is made by the first of them, which has to outlive the others: one that makes it for itself changes
        # its environment, before which it no longer finds what it was started with.
        self._keeper = subprocess.Popen(
            ["cat"], env=os.environ | self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._keeper.stdin.write(b"\n")
        self._keeper.stdin.flush()
        self._keeper.stdout.readline()
        self.environment["FAKETIME_SHARED"] = "/faketime_sem_{0} /faketime_shm_{0}".format(self._keeper.pid)

    @property
    def now(self) -> float:
        return time.time() + self.offset

    def jump(self, seconds: int) -> None:
        self.offset += seconds
        new = self._path.with_suffix(".new")
        new.write_text(f"{self.offset:+d}\n")
        os.replace(new, self._path)

    def token(self, name: str) -> str:
        """What an application vouches for whose clock is the same."""
        return vouch(APP, APP_SECRET, name, iat=int(self.now), exp=int(self.now) + 36_000)

    def close(self) -> None:
        self._keeper.communicate()
        self._folder.cleanup()


class ClockTorture(StoreTorture):
    """The clock jumps each time; each third time the server is killed right behind it."""

    kills_too = True
    #: When the clock is set between a token and its use, the token is refused; the next one is of the new time.
    lost = (*LOST, Refused)

    def make_server(self, *options: str) -> Server:
        self.clock = Clock()
        return Server(*options, testing=False, environment=self.clock.environment)

    def token(self, name: str) -> str:
        return self.clock.token(name)

    def disturb(self, kill: int) -> None:
        self.clock.jump(JUMPS[kill % len(JUMPS)])
        if self.kills_too and kill % 3 == 2:
            return self.server.restart()
        before, began = self.acknowledged(), time.monotonic()
        eventually(lambda: self.acknowledged() > before + len(self.senders), "people are heard right behind the jump")
        expect(time.monotonic() - began < 10, "a jump of the clock keeps people waiting")

    def close(self) -> None:
        super().close()
        self.clock.close()
