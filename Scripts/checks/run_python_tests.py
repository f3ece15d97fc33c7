#!/usr/bin/env python3
"""Runs the Python tests of a folder, several classes of them at the same time, and writes down what became of each.

A class that measures time or memory says `runs_alone = True`: it runs when nothing else does. One that waits for most
of its time says `mostly_waits = True`: it may run beside as many others as there are jobs. One that says `is_long = True`
runs with PARLEY_LONG_TESTS=1 in the environment, and where a filter names it.
"""

import argparse
import inspect
import io
import multiprocessing
import os
import sys
import threading
import time
import unittest
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from results import FAILED, MOST_RUN_AGAIN, PASSED, SKIPPED, Result, merged, write_results


BROKEN_PREPARATION = "its preparation failed"


def each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


def name(test: unittest.TestCase) -> str:
    """The file and the function: `Tests/Scenarios/test_a.py: test_b`."""
    method = test._testMethodName
    function = inspect.unwrap(getattr(type(test), method, None) or (lambda: None))
    path = Path(function.__code__.co_filename).resolve()
    root = Path.cwd().resolve()
    return f"{path.relative_to(root) if path.is_relative_to(root) else path}: {method}"


@dataclass
class Outcomes:
    """What became of tests; it travels between processes."""

    by_id: dict[str, tuple[str, str]] = field(default_factory=dict)
    # A class or a module that is left out as a whole, by the words it is reported with.
    left_out: list[tuple[str, str]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    is_good: bool = True

    def add(self, other: "Outcomes") -> None:
        self.by_id |= other.by_id
        self.left_out += other.left_out
        self.seconds |= other.seconds
        self.is_good &= other.is_good


class Recorder(unittest.TextTestResult):
    """Keeps the outcome of every test; what failed or was left out in a subtest counts for the whole."""

    def __init__(self, *options, **more):
        super().__init__(*options, **more)
        self.outcomes = Outcomes()

    def startTest(self, test):
        super().startTest(test)
        self._began = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        self.outcomes.seconds[test.id()] = round(time.monotonic() - self._began, 2)

    def _note(self, test, outcome: str, reason: str = "") -> None:
        test = getattr(test, "test_case", test)
        if not isinstance(test, unittest.TestCase):
            self.outcomes.left_out.append((str(test), reason))
        elif self.outcomes.by_id.get(test.id(), (PASSED,))[0] != FAILED:
            self.outcomes.by_id[test.id()] = (outcome, reason)

    def addSuccess(self, test):
        super().addSuccess(test)
        if test.id() not in self.outcomes.by_id:
            self._note(test, PASSED)

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self._note(test, FAILED, "expected")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._note(test, FAILED, "unexpected success")

    def addError(self, test, error):
        super().addError(test, error)
        self._note(test, FAILED)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._note(test, FAILED)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._note(test, FAILED)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note(test, SKIPPED, reason)


def results(tests: list[unittest.TestCase], outcomes: Outcomes) -> list[Result]:
    """Of every test that was found, also of those that never began because their class or module did not."""
    found = []
    for test in tests:
        outcome, reason = outcomes.by_id.get(test.id()) or (SKIPPED, _why_it_never_began(test, outcomes))
        if isinstance(test, unittest.loader._FailedTest):
            outcome, reason = FAILED, "cannot be loaded"
        found.append(Result(name(test), outcome, reason, outcomes.seconds.get(test.id(), 0)))
    return found


def _why_it_never_began(test: unittest.TestCase, outcomes: Outcomes) -> str:
    kind = type(test)
    for words, reason in outcomes.left_out:
        if f"({kind.__module__})" in words or f"({kind.__module__}.{kind.__qualname__})" in words:
            return reason or BROKEN_PREPARATION
    return "it never began"


def by_class(tests: Iterable[unittest.TestCase]) -> list[list[unittest.TestCase]]:
    """The largest class first: what takes long should not begin last."""
    classes: dict[type, list[unittest.TestCase]] = {}
    for test in tests:
        classes.setdefault(type(test), []).append(test)
    return sorted(classes.values(), key=len, reverse=True)


def says(group: list[unittest.TestCase], wish: str) -> bool:
    return getattr(type(group[0]), wish, False)


def run(tests: Iterable[unittest.TestCase], stream=None) -> Outcomes:
    recorder = unittest.TextTestRunner(stream=stream, resultclass=Recorder).run(unittest.TestSuite(tests))
    recorder.outcomes.is_good = recorder.wasSuccessful()
    return recorder.outcomes


_groups: list[list[unittest.TestCase]] = []


def run_together(groups: list[list[unittest.TestCase]], jobs: int) -> Outcomes:
    """Each group in a process that has the tests by being forked; what it says comes in one piece. There is one job more
    for those that mostly wait."""
    _groups[:] = groups
    outcomes, lock = Outcomes(), threading.Lock()
    busy, waiting = deque(), deque()
    for number, group in enumerate(groups):
        (waiting if says(group, "mostly_waits") else busy).append(number)

    def work(*queues: deque[int]) -> None:
        while (number := _first_of(queues)) is not None:
            ran, words = pool.submit(_run_group, number).result()
            with lock:
                print(words, end="", file=sys.stderr, flush=True)
                outcomes.add(ran)

    with ProcessPoolExecutor(jobs + 1, multiprocessing.get_context("fork")) as pool, ThreadPoolExecutor(jobs + 1) as workers:
        # All processes are forked by this, while there are no other threads.
        pool.submit(os.getpid).result()
        for ended in [workers.submit(work, waiting), *(workers.submit(work, busy, waiting) for _ in range(jobs))]:
            ended.result()
    return outcomes


def _first_of(queues: Iterable[deque[int]]) -> int | None:
    for queue in queues:
        try:
            return queue.popleft()
        except IndexError:
            continue
    return None


def _run_group(number: int) -> tuple[Outcomes, str]:
    kind = type(_groups[number][0])
    words, began = io.StringIO(), os.times()
    outcomes = run(_groups[number], words)
    ended = os.times()
    # With what its preparation took, and with the programs that it started.
    used = sum(ended[:4]) - sum(began[:4])
    name = f"{kind.__module__}.{kind.__qualname__}"
    return outcomes, f"-- {name}, {ended.elapsed - began.elapsed:.0f} s, {used:.0f} s of CPU\n{words.getvalue()}"


def run_all(tests: list[unittest.TestCase], jobs: int) -> Outcomes:
    if jobs == 1:
        return run(tests)
    groups = by_class(tests)
    alone = [group for group in groups if says(group, "runs_alone")]
    outcomes = run_together([group for group in groups if group not in alone], jobs)
    outcomes.add(run([test for group in alone for test in group]))
    return outcomes


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the files test_*.py are")
    parser.add_argument("results", type=Path, help="the file that is written, a line of JSON for each test")
    parser.add_argument("-k", dest="filters", action="append", default=[], metavar="FILTER", help="only tests with this in their name")
    parser.add_argument("--jobs", type=int, default=1, help="how many classes run at the same time")
    return parser.parse_args()


def main() -> int:
    options = read_options()
    loader = unittest.TestLoader()
    loader.testNamePatterns = [text if "*" in text else f"*{text}*" for text in options.filters] or None
    tests = list(each(loader.discover(options.folder, pattern="test_*.py")))
    if not options.filters and not os.environ.get("PARLEY_LONG_TESTS"):
        tests = [test for test in tests if not getattr(type(test), "is_long", False)]
    outcomes = run_all(tests, options.jobs)
    found, is_good = results(tests, outcomes), outcomes.is_good
    if not is_good and (failed := worth_running_again(tests, found)):
        # New tests: the first have let go of what they had.
        repeated = list(each(unittest.TestLoader().loadTestsFromNames(failed)))
        again = run(repeated)
        found, is_good = merged(found, results(repeated, again)), again.is_good
    write_results(options.results, found)
    return 0 if is_good else 1


def worth_running_again(tests: list[unittest.TestCase], found: list[Result]) -> list[str]:
    """The ids of those that failed; none when there are many, or one cannot be loaded."""
    failed = [
        test for test, result in zip(tests, found, strict=True)
        if result.outcome == FAILED or result.reason == BROKEN_PREPARATION
    ]
    if len(failed) > MOST_RUN_AGAIN or any(isinstance(test, unittest.loader._FailedTest) for test in failed):
        return []
    return [test.id() for test in failed]


if __name__ == "__main__":
    sys.exit(main())
