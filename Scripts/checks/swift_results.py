#!/usr/bin/env python3
"""Reads the event stream of Swift Testing and writes down what became of each test."""

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from results import FAILED, MOST_RUN_AGAIN, PASSED, SKIPPED, Result, merged, write_results

NEVER_ENDED = "it never ended"


def results(lines: Iterable[str], root: Path) -> list[Result]:
    """Of every test function in the stream; one that never began was left out, or the run ended before it."""
    return list(_results_by_id(lines, root).values())


def filters_of_failed(lines: Iterable[str], root: Path, stood_still: bool = False) -> list[str]:
    """What `swift test --filter` takes to run them once more; none when there are many, or the run itself broke off
    for another reason than that it stood still."""
    failed = {test: result for test, result in _results_by_id(lines, root).items() if result.outcome == FAILED}
    broke_off = any(result.reason == NEVER_ENDED for result in failed.values()) and not stood_still
    if len(failed) > MOST_RUN_AGAIN or broke_off:
        return []
    # An id ends with the place in the source, which the filter does not know.
    return ["^" + re.escape(test.rpartition("/")[0]) for test in failed]


def _results_by_id(lines: Iterable[str], root: Path) -> dict[str, Result]:
    names: dict[str, str] = {}
    outcomes: dict[str, tuple[str, str]] = {}
    for line in lines:
        record = json.loads(line)
        payload = record["payload"]
        if record["kind"] == "test" and payload["kind"] == "function":
            names[payload["id"]] = _name(payload, root)
        elif record["kind"] == "event" and (test := payload.get("testID")):
            _note(outcomes, test, payload)
    return {test: Result(name, *_outcome(outcomes, test)) for test, name in names.items()}


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
    return FAILED, NEVER_ENDED


def _lines(stream: Path) -> list[str]:
    # Only at line feeds: a test's argument may have other ends of lines in it.
    with stream.open(newline="\n") as lines:
        return [line for line in lines if line.strip()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stream", type=Path, help="what swift test --event-stream-output-path wrote")
    parser.add_argument("results", type=Path, nargs="?", help="the file that is written, a line of JSON for each test")
    parser.add_argument("--stood-still", action="store_true", help="the run was ended because nothing happened any more")
    parser.add_argument("--again", type=Path, metavar="STREAM", help="of a second run of what failed in the first")
    options = parser.parse_args()
    if not options.stream.exists():
        print(f"there is no {options.stream}: no test of the rooms ran", file=sys.stderr)
        return 66
    lines, root = _lines(options.stream), Path.cwd()
    if not options.results:
        print("\n".join(filters_of_failed(lines, root, options.stood_still)), end="")
        return 0
    found = results(lines, root)
    if options.again:
        found = merged(found, results(_lines(options.again), root))
    write_results(options.results, found)
    return 1 if any(result.outcome == FAILED for result in found) else 0


if __name__ == "__main__":
    sys.exit(main())
