#!/usr/bin/env python3
"""Reads the event stream of Swift Testing and writes down what became of each test."""

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

from results import FAILED, PASSED, SKIPPED, Result, write_results


def results(lines: Iterable[str], root: Path) -> list[Result]:
    """Of every test function in the stream; one that never began was left out, or the run ended before it."""
    names: dict[str, str] = {}
    outcomes: dict[str, tuple[str, str]] = {}
    for line in lines:
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            names[payload["id"]] = _name(payload, root)
        elif record["kind"] == "event" and (test := payload.get("testID")):
            _note(outcomes, test, payload)
    return [Result(name, *_outcome(outcomes, test)) for test, name in names.items()]


def _name(test: dict, root: Path) -> str:
    place = test["sourceLocation"]
    path = Path(place.get("filePath") or place["_filePath"])
    title = test.get("displayName") or test["name"]
    return f"{path.relative_to(root) if path.is_relative_to(root) else path}: {title}"


def _note(outcomes: dict[str, tuple[str, str]], test: str, event: dict) -> None:
    known = outcomes.get(test, ("", ""))[0]
    if event["kind"] == "issueRecorded":
        issue = event.get("issue", {})
        if not issue.get("isKnown") and issue.get("isFailure", True):
            outcomes[test] = (FAILED, "")
    elif event["kind"] == "testEnded" and not known:
        outcomes[test] = (PASSED, "")
    elif event["kind"] == "testSkipped" and not known:
        words = [message["text"] for message in event.get("messages", []) if message.get("symbol") == "skip"]
        outcomes[test] = (SKIPPED, words[0].partition("skipped: ")[2].strip('"') if words else "")


def _outcome(outcomes: dict[str, tuple[str, str]], test: str) -> tuple[str, str]:
    """A test of a suite that was left out has its reason from there."""
    while test:
        if test in outcomes:
            return outcomes[test]
        test = test.rpartition("/")[0]
    return FAILED, "it never ended"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path, help="what swift test --event-stream-output-path wrote")
    parser.add_argument("results", type=Path, help="the file that is written, a line of JSON for each test")
    options = parser.parse_args()
    if not options.stream.exists():
        print(f"there is no {options.stream}: no test of the rooms ran", file=sys.stderr)
        return 66
    with options.stream.open() as lines:
        write_results(options.results, results((line for line in lines if line.strip()), Path.cwd()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
