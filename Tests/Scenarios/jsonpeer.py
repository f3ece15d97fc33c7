"""`parley peer`, whose signals are lines of JSON."""

import contextlib
import json
import queue
import subprocess
import tempfile
import threading

from server import TIMEOUT, binary


class JSONPeer:
    def __init__(self, role: str, *options: str):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [str(binary()), "peer", role, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
            text=True)
        self.lines: queue.Queue[dict] = queue.Queue()
        self.seen: list[dict] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        # Closed while it is read from, at the end.
        with contextlib.suppress(ValueError):
            for line in self.process.stdout:
                self.lines.put(json.loads(line))

    def say(self, **fields) -> None:
        self.process.stdin.write(json.dumps(fields) + "\n")
        self.process.stdin.flush()

    def expect(self, kind: str, matches=lambda line: True, within: float = TIMEOUT) -> dict:
        """The next line of that kind; others are kept in `seen`."""
        for line in self.seen:
            if line["t"] == kind and matches(line):
                self.seen.remove(line)
                return line
        while True:
            try:
                line = self.lines.get(timeout=within)
            except queue.Empty:
                raise AssertionError(f"no {kind}; what came: {self.seen}; {self.complaints()}") from None
            if line["t"] == kind and matches(line):
                return line
            self.seen.append(line)

    def connected(self) -> int:
        """The milliseconds it took."""
        return self.expect("state", lambda line: line["v"] == "connected")["ms"]

    def described(self) -> str:
        """The description with all candidates in it, for those who do not trickle."""
        sdp = self.expect("sdp")["sdp"]
        while candidate := self.expect("cand")["candidate"]:
            sdp += f"a={candidate}\r\n"
        return sdp + "a=end-of-candidates\r\n"

    def complaints(self) -> str:
        self.log.seek(0)
        return self.log.read()

    def close(self) -> int:
        if self.process.poll() is None:
            self.say(t="quit")
        code = self.process.wait(TIMEOUT)
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()
        return code
