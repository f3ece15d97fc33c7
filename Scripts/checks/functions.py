"""Finds the functions of a Swift file and how many lines they take."""

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"(?<![.\w])(?:func\b|init\b[?!]?(?=\s*[(<])|deinit\b|subscript\b)")
_STOP = re.compile(r"[(){}\[\]]|(?<![.\w])(?:func|init|deinit|subscript|var|let|case|typealias|associatedtype)\b")
_BRACE = re.compile(r"[{}]")


def functions(code: str) -> Iterator[tuple[int, int, str]]:
    """The first line, the count of lines and the head of every function with a body."""
    for begin in _BEGIN.finditer(code):
        opening = _body(code, begin.end())
        if opening is None:
            continue
        closing = _closing(code, opening)
        first = code.count("\n", 0, begin.start()) + 1
        head = code[begin.start() : code.find("\n", begin.start())].split("(")[0].strip()
        yield first, code.count("\n", begin.start(), closing) + 1, head


def _body(code: str, start: int) -> int | None:
    """Where the body opens; None for a requirement of a protocol, which has none."""
    depth = 0
    for stop in _STOP.finditer(code, start):
        token = stop[0]
        if token in "([":
            depth += 1
        elif token in ")]":
            depth -= 1
        elif depth == 0:
            return stop.start() if token == "{" else None
    return None


def _closing(code: str, opening: int) -> int:
    depth = 0
    for brace in _BRACE.finditer(code, opening):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(code)
