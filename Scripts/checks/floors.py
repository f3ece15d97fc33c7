#!/usr/bin/env python3
"""Every room imports what it declares, and only from floors below its own.

Reads `swift package describe --type json` from standard input and the table in Scripts/floors.
Targets outside of Sources/ stand beside the house: they may use every room, and no room may use them.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sources import Source

_IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+"
    r"(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?(\w+)"
)


def read_floors(text: str) -> dict[str, int]:
    """The table: a floor's number, then its rooms; `#` begins a comment."""
    floors: dict[str, int] = {}
    for line in text.splitlines():
        words = line.split("#")[0].split()
        for room in words[1:]:
            floors[room] = int(words[0])
    return floors


def is_room(target: dict) -> bool:
    return target["path"].startswith("Sources/")


def misplaced(targets: list[dict], floors: dict[str, int]) -> Iterator[str]:
    """Rooms without a floor, and dependencies that do not lead downwards."""
    rooms = {target["name"] for target in targets if is_room(target)}
    plugins = {target["name"] for target in targets if target.get("type") == "plugin"}
    for name in sorted(floors.keys() - rooms):
        yield f"Scripts/floors: there is no room `{name}` any more, take it out"
    for target in filter(is_room, targets):
        name = target["name"]
        if name not in floors:
            yield f"Package.swift: `{name}` has no floor, give it one in Scripts/floors"
            continue
        for dependency in target.get("target_dependencies", []):
            if dependency in plugins:
                continue  # What runs while a room is built is not in it.
            if dependency not in rooms:
                yield f"Package.swift: `{name}` depends on `{dependency}`, which stands beside the house"
            elif floors.get(dependency, -1) >= floors[name]:
                where = f"floor {floors[name]} and floor {floors[dependency]}"
                yield f"Package.swift: `{name}` depends on `{dependency}` ({where}): imports run downwards only"


def undeclared(target: dict, rooms: set[str], source: Source) -> Iterator[str]:
    """The compiler lets a target import whatever was built before it; we do not."""
    allowed = {target["name"], *target.get("target_dependencies", [])}
    for number, line in enumerate(source.code_lines, start=1):
        match = _IMPORT.match(line)
        if match and match[1] in rooms - allowed:
            yield f"{source.path}:{number}: `{match[1]}` is no declared dependency of `{target['name']}` (Package.swift)"


def findings(description: dict, table: str, root: Path) -> Iterator[str]:
    targets = description["targets"]
    yield from misplaced(targets, read_floors(table))
    names = {target["name"] for target in targets}
    for target in targets:
        for file in target.get("sources", []):
            path = f"{target['path']}/{file}"
            if path.endswith(".swift"):
                yield from undeclared(target, names, Source(path, (root / path).read_text()))


def main() -> int:
    messages = list(findings(json.load(sys.stdin), Path("Scripts/floors").read_text(), Path.cwd()))
    for message in messages:
        print(message, file=sys.stderr)
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
