#!/usr/bin/env python3
"""Runs `swift test`, and ends it where its tests stand still: it says which ones have begun and not ended, and what
every thread of theirs waits for."""

import argparse
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

# No test is silent for so long; the longest one rests for 14 seconds.
LONGEST_SILENCE = 240.0
STOOD_STILL = 75


def unfinished(stream: Path) -> list[str]:
    """The tests that have begun and not ended, and their cases."""
    open_tests: dict[str, None] = {}
    for line in stream.read_text(errors="replace").split("\n"):
        try:
            payload = json.loads(line)["payload"]
        except (ValueError, KeyError, TypeError):
            continue
        if payload.get("kind") == "testStarted":
            open_tests[payload["testID"]] = None
        elif payload.get("kind") in ("testEnded", "testSkipped"):
            open_tests.pop(payload.get("testID"), None)
    return list(open_tests)


def processes_of(session: int) -> dict[int, str]:
    """All of a session, with what they were started as: the tests have a process group of their own."""
    found = subprocess.run(["ps", "-o", "pid=,args=", "-g", str(session)], capture_output=True, text=True, check=False).stdout
    return {int(line.split()[0]): line for line in found.splitlines() if line.strip()}


def say_what_waits(session: int, stream: Path) -> None:
    print("== the tests stand still; these have begun and not ended:", flush=True)
    print("\n".join(unfinished(stream)) or "none: all have ended, their process has not", flush=True)
    subprocess.run(["ps", "-o", "pid,ppid,stat,etimes,wchan:20,args", "-g", str(session)], check=False)
    for process, program in processes_of(session).items():
        if ".xctest" in program and shutil.which("gdb"):
            stacks = ["gdb", "-p", str(process), "-batch", "-ex", "thread apply all bt 30"]
            subprocess.run(stacks, check=False, stderr=subprocess.DEVNULL)


def run(words: list[str], stream: Path, longest_silence: float) -> int:
    """Its exit code, or `STOOD_STILL`. While it builds there is no stream, and nothing to wait for."""
    stream.unlink(missing_ok=True)
    program = subprocess.Popen(words, start_new_session=True)
    size, changed = -1, time.monotonic()
    try:
        while True:
            try:
                return program.wait(timeout=min(1, longest_silence / 4))
            except subprocess.TimeoutExpired:
                pass
            now = stream.stat().st_size if stream.exists() else 0
            if now != size or now == 0:
                size, changed = now, time.monotonic()
            elif time.monotonic() - changed > longest_silence:
                say_what_waits(program.pid, stream)
                return STOOD_STILL
    finally:
        if program.poll() is None:
            for process in processes_of(program.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            program.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path, help="where the events of the tests are written")
    parser.add_argument("words", nargs="+", metavar="WORD", help="the program that runs them, behind `--`: `-- swift test …`")
    parser.add_argument("--longest-silence", type=float, default=LONGEST_SILENCE, metavar="SECONDS")
    options = parser.parse_args()
    return run(options.words, options.stream, options.longest_silence)


if __name__ == "__main__":
    sys.exit(main())
