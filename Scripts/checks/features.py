#!/usr/bin/env python3
"""Which features are proven, and by which test.

A row of docs/features.md has an id and may list the parts of its claim: `| E02 | … | count, beyond |`. A test names the
part that it proves, `E02.beyond`, or the id alone when the row lists no parts: in Swift at the start of the title
(`@Test("B06 long text survives …")`, also several), in Python in the name (`def test_B06_…`, only for rows without parts)
or at the start of the docstring, in a shell scenario in a line `# proves: B06 E02.beyond`.

A part is proven when such a test ran and passed in the last `Scripts/test`, and none that names it failed.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from results import FAILED, FOLDER, PASSED, Result, read_results, worst_of
from sources import Source, read_sources

_ID = r"[A-Z]\d{2}"
_NAME = rf"{_ID}(?:\.[a-z0-9]+)?"
_NAMES = rf"{_NAME}(?:[ ,]+{_NAME})*"
_ROW = re.compile(rf"^\|\s*({_ID})\s*\|\s*([^|]+?)\s*\|(?:\s*([^|]*?)\s*\|)?$", re.MULTILINE)
_SWIFT = re.compile(rf'@Test\(\s*"(({_NAMES})(?![\w.])[^"]*)"')
_PYTHON_NAME = re.compile(rf"^\s*(?:async )?def (test_((?:{_ID}_)+)\w*)\(", re.MULTILINE)
_PYTHON_DOC = re.compile(
    rf'^\s*(?:async )?def (test_\w+)\([^)]*\)[^:]*:\s*\n\s*"""({_NAMES})(?![\w.])', re.MULTILINE
)
_SHELL = re.compile(rf"^# proves: ({_NAMES})\s*$", re.MULTILINE)
WHOLE = ""


@dataclass
class Feature:
    id: str
    text: str
    parts: dict[str, list[str]] = field(default_factory=dict)

    def open_parts(self, results: dict[str, Result] | None) -> dict[str, str]:
        """Each part that is not proven, and why."""
        reasons = {part: why_open(tests, results) for part, tests in self.parts.items()}
        return {part: why for part, why in reasons.items() if why}


def why_open(tests: list[str], results: dict[str, Result] | None) -> str:
    """Nothing when one of the tests passed and none failed; without results a title is enough."""
    if not tests:
        return "no test"
    if results is None:
        return ""
    found = [results[test] for test in tests if test in results]
    if failed := [result.test for result in found if result.outcome == FAILED]:
        return f"failed: {failed[0]}"
    if any(result.outcome == PASSED for result in found):
        return ""
    return f"skipped: {found[0].reason}" if found else "its test did not run"


def read_features(table: str) -> list[Feature]:
    features = []
    for id, text, parts in _ROW.findall(table):
        names = [part.strip() for part in parts.split(",") if part.strip()] or [WHOLE]
        features.append(Feature(id, text, {part: [] for part in names}))
    return features


def proofs(source: Source) -> list[tuple[str, str]]:
    """Pairs of what is proven, a feature's id or a part of it, and the test that shows it."""
    found: list[tuple[str, str]] = []

    def add(names: str, test: str) -> None:
        found.extend((name, f"{source.path}: {test}") for name in re.findall(_NAME, names))

    if not source.is_test:
        return found
    if source.is_swift:
        for title, names in _SWIFT.findall(source.text):
            add(names, title)
    elif source.path.endswith(".py"):
        for test, names in _PYTHON_NAME.findall(source.text) + _PYTHON_DOC.findall(source.text):
            add(names, test)
    elif source.path.startswith("Tests/Scenarios/"):
        for names in _SHELL.findall(source.text):
            add(names, Path(source.path).name)
    return found


def gather(table: str, sources: Iterable[Source]) -> tuple[list[Feature], list[str]]:
    """The features with their tests, and the tests that name what no row has."""
    features = read_features(table)
    by_id = {feature.id: feature for feature in features}
    strays = []
    for source in sources:
        for name, test in proofs(source):
            id, _, part = name.partition(".")
            parts = by_id[id].parts if id in by_id else {}
            if part in parts:
                if test not in parts[part]:
                    parts[part].append(test)
            # The id alone of a row with parts only says what a test is about.
            elif part or id not in by_id:
                strays.append(f"{name}: {test}")
    return features, strays


def show(features: list[Feature], results: dict[str, Result] | None) -> None:
    for feature in features:
        missing = feature.open_parts(results)
        tests = [test for tests in feature.parts.values() for test in tests]
        if missing:
            proof = "not yet" + (": " if tests else "") + "; ".join(
                f"{part}, {why}" if part else why for part, why in missing.items() if tests)
        else:
            proof = f"proven by {tests[0]}" + (f" and {len(tests) - 1} more" if len(tests) > 1 else "")
        print(f"{feature.id}  {feature.text}  —  {proof}")
    proven = sum(1 for feature in features if not feature.open_parts(results))
    how = "named by a test; whether these ran is not looked at" if results is None else "proven by tests that ran and passed"
    print(f"{proven} of {len(features)} features are {how}")


def as_json(features: list[Feature], results: dict[str, Result] | None) -> str:
    rows = [
        {"id": feature.id, "text": feature.text, "parts": feature.parts, "open": feature.open_parts(results)}
        for feature in features
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Scripts/features",
        description="Prints every feature of docs/features.md and the tests that prove it, as they went in the last Scripts/test.",
        epilog="Exit codes: 0 printed · 1 a test names what no row has · 2 wrong usage · 66 there are no results yet",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    parser.add_argument("--titles", action="store_true", help="count what titles say, whether or not the tests ran")
    options = parser.parse_args()
    root = Path.cwd()
    stages = {} if options.titles else read_results(root / FOLDER)
    if not stages and not options.titles:
        print(f"{FOLDER} is empty: run Scripts/test, or ask for --titles", file=sys.stderr)
        return 66
    results = None if options.titles else worst_of(result for stage in stages.values() for result in stage)
    features, strays = gather((root / "docs/features.md").read_text(), read_sources(root))
    print(as_json(features, results)) if options.json else show(features, results)
    for stray in strays:
        print(f"no such feature: {stray}", file=sys.stderr)
    return 1 if strays else 0


if __name__ == "__main__":
    sys.exit(main())
