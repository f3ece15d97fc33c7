#!/usr/bin/env python3
"""Sums up a run of Scripts/test: how many tests passed, which failed or are unstable, and what was
left out, with its reason."""

import os
import sys
from collections import Counter
from pathlib import Path

from results import FAILED, FOLDER, PASSED, SKIPPED, UNSTABLE, Result, read_results

# What not every machine can do: network namespaces, an image with Python 2, and a toolchain with a fuzzer.
MAY_BE_LEFT_OUT = {"netlab", "conformance", "fuzz"}


def summary(stages: dict[str, list[Result]], is_ci: bool) -> tuple[list[str], bool]:
    """The closing lines, and whether a test was left out that must not be."""
    counts = Counter(result.outcome for stage in stages.values() for result in stage)
    lines, is_wrong = [], False
    for stage, results in stages.items():
        lines += [f"== FAILED in {stage}: {result.test}" for result in results if result.outcome == FAILED]
        lines += [f"== UNSTABLE in {stage}, passed {UNSTABLE}: {result.test}" for result in results if result.reason == UNSTABLE]
        reasons = Counter(result.reason or "no reason given" for result in results if result.outcome == SKIPPED)
        for reason, count in reasons.most_common():
            is_wrong |= is_ci and stage not in MAY_BE_LEFT_OUT
            lines.append(f"== SKIPPED in {stage}: {count} × {reason}")
    if is_wrong:
        lines.append("== with CI=true nothing may be skipped that Scripts/install can provide")
    lines.append(f"== {counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped")
    return lines, is_wrong


def main() -> int:
    lines, is_wrong = summary(read_results(Path.cwd() / FOLDER), os.environ.get("CI") == "true")
    print("\n".join(lines))
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
