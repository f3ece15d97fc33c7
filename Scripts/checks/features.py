#!/usr/bin/env python3
"""Which features are proven, and by which test.

A row of docs/features.md counts as proven when a test carries its id: in Swift at the start of the
name (`@Test("B06 long text survives …")`, also several: `"B06 B07 …"`), in Python in the name
(`def test_B06_…`) or at the start of the docstring, in a shell scenario in a line `# proves: B06 B07`.
"""

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sources import Source, read_sources

_ID = r"[A-N]\d{2}"
_IDS = rf"{_ID}(?:[ ,]+{_ID})*"
_ROW = re.compile(rf"^\|\s*({_ID})\s*\|\s*(.+?)\s*\|$", re.MULTILINE)
_SWIFT = re.compile(rf'@Test\(\s*"(({_IDS})\b[^"]*)"')
_PYTHON_NAME = re.compile(rf"^\s*(?:async )?def (test_((?:{_ID}_)+)\w*)\(", re.MULTILINE)
_PYTHON_DOC = re.compile(
    rf'^\s*(?:async )?def (test_\w+)\([^)]*\)[^:]*:\s*\n\s*"""({_IDS})\b', re.MULTILINE
)
_SHELL = re.compile(rf"^# proves: ({_IDS})\s*$", re.MULTILINE)


@dataclass
class Feature:
    id: str
    text: str
    tests: list[str] = field(default_factory=list)


def read_features(table: str) -> list[Feature]:
    return [Feature(id, text) for id, text in _ROW.findall(table)]


def proofs(source: Source) -> list[tuple[str, str]]:
    """Pairs of a feature's id and the test that shows it."""
    found: list[tuple[str, str]] = []

    def add(ids: str, test: str) -> None:
        found.extend((id, f"{source.path}: {test}") for id in re.findall(_ID, ids))

    if not source.is_test:
        return found
    if source.is_swift:
        for name, ids in _SWIFT.findall(source.text):
            add(ids, name)
    elif source.path.endswith(".py"):
        for name, ids in _PYTHON_NAME.findall(source.text) + _PYTHON_DOC.findall(source.text):
            add(ids, name)
    elif source.path.startswith("Tests/Scenarios/"):
        for ids in _SHELL.findall(source.text):
            add(ids, Path(source.path).name)
    return found


def gather(table: str, sources: list[Source]) -> tuple[list[Feature], list[str]]:
    """The features with their tests, and the tests that name an id that no row has."""
    features = read_features(table)
    by_id = {feature.id: feature for feature in features}
    strays = []
    for source in sources:
        for id, test in proofs(source):
            if id in by_id:
                if test not in by_id[id].tests:
                    by_id[id].tests.append(test)
            else:
                strays.append(f"{id}: {test}")
    return features, strays


def show(features: list[Feature]) -> None:
    for feature in features:
        proof = "not yet"
        if feature.tests:
            more = f" and {len(feature.tests) - 1} more" if len(feature.tests) > 1 else ""
            proof = f"proven by {feature.tests[0]}{more}"
        print(f"{feature.id}  {feature.text}  —  {proof}")
    proven = sum(1 for feature in features if feature.tests)
    print(f"{proven} of {len(features)} features are proven by a test")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="Scripts/features",
        description="Prints every feature of docs/features.md and the test that proves it.",
        epilog="Exit codes: 0 printed · 1 a test names an id that no row has · 2 wrong usage",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    options = parser.parse_args()
    root = Path.cwd()
    features, strays = gather((root / "docs/features.md").read_text(), read_sources(root))
    if options.json:
        print(json.dumps([asdict(feature) for feature in features], ensure_ascii=False, indent=2))
    else:
        show(features)
    for stray in strays:
        print(f"no such feature: {stray}", file=sys.stderr)
    return 1 if strays else 0


if __name__ == "__main__":
    sys.exit(main())
