#!/usr/bin/env python3
"""Rules over the text of the project, each a small function that names what is wrong and what to do."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from functions import functions
from sources import Source, read_sources

LONGEST_FILE = 500
FUNCTION_HORIZON = 45
LONGEST_FUNCTION = 60

Finding = tuple[int, str]
Guard = Callable[[Source], Iterator[Finding]]


def _search(lines: list[str], pattern: re.Pattern, advice: str) -> Iterator[Finding]:
    for number, line in enumerate(lines, start=1):
        if match := pattern.search(line):
            yield number, advice.format(match[0].strip())


def unchecked_has_reason(source: Source) -> Iterator[Finding]:
    """`@unchecked Sendable` tells why, in a comment on its own line or the next one."""
    if not source.is_swift:
        return
    for number, line in enumerate(source.code_lines, start=1):
        if "@unchecked Sendable" not in line:
            continue
        if not any("//" in text for text in source.lines[number - 1 : number + 1]):
            yield number, "`@unchecked Sendable` needs its reason in a comment on the next line"


_TRAPS = re.compile(r"(?<![.\w])(?:try!|fatalError\()")


def no_traps(source: Source) -> Iterator[Finding]:
    """A guest can never stop the program; our own mistakes stop it by `precondition` with a message."""
    if source.is_swift:
        yield from _search(source.code_lines, _TRAPS, "`{}`: throw an error, or state the promise with `precondition`")


_SLEEPS = re.compile(r"\bTask\.sleep\b|(?<![\w.])(?:u|nano)?sleep\(|\bThread\.sleep\b|\.sleep\((?:for|until|nano)")


def no_sleep_in_tests(source: Source) -> Iterator[Finding]:
    """Time is moved, never waited for."""
    if source.is_swift and source.is_test:
        yield from _search(source.code_lines, _SLEEPS, "`{}` in a test: move a manual clock, or wait for the event itself")


_PUT_OFF = re.compile(r"\b(?:TOD[O]|FIXM[E]|XX[X])\b")


def nothing_put_off(source: Source) -> Iterator[Finding]:
    yield from _search(source.lines, _PUT_OFF, "`{}`: finish it, or leave it out")


def file_is_short(source: Source) -> Iterator[Finding]:
    if source.is_program and len(source.lines) > LONGEST_FILE:
        yield LONGEST_FILE + 1, f"{len(source.lines)} lines: there is a second idea in this file, give it its own"


def functions_are_short(source: Source) -> Iterator[Finding]:
    if not source.is_swift:
        return
    for line, length, head in functions(source.code):
        if length > LONGEST_FUNCTION:
            yield line, f"`{head}` takes {length} lines, {LONGEST_FUNCTION} is the end: take it apart"


def no_foundation(source: Source) -> Iterator[Finding]:
    """Foundation brings ICU and megabytes; FoundationEssentials does for JSON."""
    pattern = re.compile(r"^\s*(?:\w+\s+)?import Foundation(?:Networking|XML)?\s*$")
    if source.is_swift and source.path.startswith("Sources/"):
        yield from _search(source.code_lines, pattern, "`{}`: use the standard library or FoundationEssentials")


_SYSTEM_ROOMS = ("Sources/System/", "Sources/Reactor/")


def system_behind_one_room(source: Source) -> Iterator[Finding]:
    """The C library is spoken to by the room System, and by Reactor, which speaks sockets."""
    pattern = re.compile(r"^\s*(?:\w+\s+)?import (?:Glibc|Musl|Darwin)\s*$")
    if source.is_swift and source.path.startswith("Sources/") and not source.path.startswith(_SYSTEM_ROOMS):
        yield from _search(source.code_lines, pattern, "`{}`: use the room System, and add there what it lacks")


_REGISTRIES = re.compile(
    r"\b(?:registry[.]npmjs|npmjs|registry[.]yarnpkg|files[.]pythonhosted|crates|repo[.]maven|rubygems|deb[.]debian)"
    r"[.](?:org|com|io)\b"
)


def no_registry_hosts(source: Source) -> Iterator[Finding]:
    """Where packages come from is a matter of the machine's own settings."""
    yield from _search(source.lines, _REGISTRIES, "`{}`: leave the package source to apt's and pip's own settings")


_HOME_FOLDERS = re.compile(r"(?<![\w.}/])/(?:home|Users|work|root)/(?!\.\.\.|…)[\w.-]+")


def no_private_paths(source: Source) -> Iterator[Finding]:
    """A path of one machine means nothing on the next."""
    yield from _search(source.lines, _HOME_FOLDERS, "`{}` is a path of one machine: use one relative to the project")


_CUSTOMERS = re.compile(
    r'(?i:flsocketim|jpush|rongcloud|order-?chats?\b)|\bFL[A-Z][a-z]\w*|\bOrder(?:Chat|Door|Repl(?:y|ies)|Routes|Service|Words)\w*'
    r'|"(?:fl|oc|rc|order)[-:]?"'
)
_OLD_VERSION = re.compile(r"\.v3\b")
_DOORS = ("Sources/Service/Doors/", "Sources/parley/DoorOptions.swift")
_LINK_ROOMS = ("Sources/SocketIO/", "Sources/Sessions/", "Sources/SocketServer/")


def customers_stay_behind_their_doors(source: Source) -> Iterator[Finding]:
    """What is special about clients from elsewhere is said in the folder of their door, and nowhere else."""
    if not source.is_swift or not source.path.startswith("Sources/") or source.path.startswith(_DOORS):
        return
    advice = "`{}` belongs into Sources/Service/Doors: see docs/adding-a-door.md"
    yield from _search(source.lines, _CUSTOMERS, advice)
    if not source.path.startswith(_LINK_ROOMS):
        yield from _search(source.code_lines, _OLD_VERSION, "`{}` stands for a customer: ask the door's `claims`")


_TITLE = re.compile(r'@Test\(\s*"((?:[^"\\]|\\.)*)"')
_FEATURES = re.compile(r"^(?:[A-Z]\d{2}(?:\.[a-z0-9]+)?[ ,_]+)*")
SHORTEST_TITLE = 4


def titles_stand_alone(source: Source) -> Iterator[Finding]:
    """A failure list shows the title alone: "has a sign" says nothing there."""
    if not source.is_test:
        return
    titles = []
    if source.is_swift:
        titles = [
            (source.text.count("\n", 0, match.start(1)) + 1, match[1], _FEATURES.sub("", match[1]).split())
            for match in _TITLE.finditer(source.text)]
    elif source.path.endswith(".py"):
        titles = [(line, name, _FEATURES.sub("", name.removeprefix("test_")).split("_")) for line, name in _tests(source)]
    for line, title, words in titles:
        if len(words) < SHORTEST_TITLE:
            yield line, f"`{title}` says too little in a list of failures: name the subject and what it does"


def _tests(source: Source) -> list[tuple[int, str]]:
    """The test functions of a Python file, not those in texts."""
    nodes = ast.walk(ast.parse(source.text))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(node.lineno, node.name) for node in functions if node.name.startswith("test_")]


GUARDS: list[Guard] = [
    unchecked_has_reason,
    no_traps,
    no_sleep_in_tests,
    nothing_put_off,
    file_is_short,
    functions_are_short,
    no_foundation,
    system_behind_one_room,
    no_registry_hosts,
    no_private_paths,
    titles_stand_alone,
    customers_stay_behind_their_doors,
]


# Kept apart on purpose: steps of a schema are read one by one.
_IN_SEVERAL_FILES = {"Migration"}

_DECLARATION = re.compile(r"\b(?:struct|class|enum|actor|protocol)\s+(\w+)")


def facets_that_cost(sources: list[Source]) -> Iterator[tuple[str, str]]:
    """`Type+Facet.swift` only where the whole type exceeds a file, or the type is another room's: `private` ends with it."""
    rooms: dict[str, list[Source]] = {}
    for source in sources:
        if source.is_swift and source.path.startswith("Sources/"):
            rooms.setdefault(source.path.split("/")[1], []).append(source)
    for room in rooms.values():
        declared = {name for source in room for name in _DECLARATION.findall(source.code)}
        wholes: dict[str, int] = {}
        for source in room:
            name = Path(source.path).stem.split("+")[0]
            wholes[name] = wholes.get(name, 0) + len(source.lines)
        for source in room:
            name, plus, _ = Path(source.path).stem.partition("+")
            if plus and name in declared and wholes[name] <= LONGEST_FILE and name not in _IN_SEVERAL_FILES:
                yield source.path, f"`{name}` takes {wholes[name]} lines in all: join its files, and give `private` back"


def beyond_the_horizon(source: Source) -> Iterator[Finding]:
    """Not wrong yet, but listed."""
    if source.is_swift:
        for line, length, head in functions(source.code):
            if FUNCTION_HORIZON < length <= LONGEST_FUNCTION:
                yield line, f"note: `{head}` takes {length} lines, our horizon is {FUNCTION_HORIZON}"


def main() -> int:
    count = 0
    sources = read_sources(Path.cwd())
    for path, message in facets_that_cost(sources):
        print(f"{path}:1: {message}", file=sys.stderr)
        count += 1
    for source in sources:
        for line, message in beyond_the_horizon(source):
            print(f"{source.path}:{line}: {message}")
        for guard in GUARDS:
            for line, message in guard(source):
                print(f"{source.path}:{line}: {message}", file=sys.stderr)
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
