"""What became of the tests in the last `Scripts/test`: one line of JSON for each, a file for each stage."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

FOLDER = Path(".build/test-results")
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
# The reason of a test that failed among all others and passed when it ran once more: a defect to mend, named at the end.
UNSTABLE = "only when run once more"
# More failures than this are no accident of a busy machine: nothing runs again.
MOST_RUN_AGAIN = 10
_WORST_FIRST = (FAILED, SKIPPED, PASSED)


@dataclass(frozen=True)
class Result:
    """`test` is the file and the title or function, as `Scripts/features` names it."""

    test: str
    outcome: str
    reason: str = ""
    seconds: float = 0


def write_results(path: Path, results: Iterable[Result]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(asdict(result), ensure_ascii=False) + "\n" for result in results))


def read_results(folder: Path) -> dict[str, list[Result]]:
    """By stage."""
    return {
        path.stem: [Result(**json.loads(line)) for line in path.read_text().splitlines()]
        for path in sorted(folder.glob("*.jsonl"))
    }


def worst_of(results: Iterable[Result]) -> dict[str, Result]:
    """One result for each test, however often it ran: the worst."""
    found: dict[str, Result] = {}
    for result in results:
        known = found.setdefault(result.test, result)
        if _WORST_FIRST.index(result.outcome) < _WORST_FIRST.index(known.outcome):
            found[result.test] = result
    return found


def merged(first: Iterable[Result], again: Iterable[Result]) -> list[Result]:
    """Of two runs, where the second had only what failed in the first."""
    second = worst_of(again)
    return [
        Result(result.test, PASSED, UNSTABLE, result.seconds)
        if result.test in second and second[result.test].outcome == PASSED else result
        for result in first
    ]
