#!/usr/bin/env python3
"""Runs the Python tests of a folder and writes down what became of each."""

import argparse
import inspect
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

from results import FAILED, PASSED, SKIPPED, Result, write_results


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


class Recorder(unittest.TextTestResult):
    """Keeps the outcome of every test; what failed or was left out in a subtest counts for the whole."""

    def __init__(self, *options, **more):
        super().__init__(*options, **more)
        self.outcomes: dict[str, tuple[str, str]] = {}
        # A class or a module that is left out as a whole, by the words it is reported with.
        self.left_out: list[tuple[str, str]] = []

    def _note(self, test, outcome: str, reason: str = "") -> None:
        test = getattr(test, "test_case", test)
        if not isinstance(test, unittest.TestCase):
            self.left_out.append((str(test), reason))
        elif self.outcomes.get(test.id(), (PASSED,))[0] != FAILED:
            self.outcomes[test.id()] = (outcome, reason)

    def addSuccess(self, test):
        super().addSuccess(test)
        if test.id() not in self.outcomes:
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


def results(tests: list[unittest.TestCase], recorder: Recorder) -> list[Result]:
    """Of every test that was found, also of those that never began because their class or module did not."""
    found = []
    for test in tests:
        outcome, reason = recorder.outcomes.get(test.id()) or (SKIPPED, _why_it_never_began(test, recorder))
        if isinstance(test, unittest.loader._FailedTest):
            outcome, reason = FAILED, "cannot be loaded"
        found.append(Result(name(test), outcome, reason))
    return found


def _why_it_never_began(test: unittest.TestCase, recorder: Recorder) -> str:
    kind = type(test)
    for words, reason in recorder.left_out:
        if f"({kind.__module__})" in words or f"({kind.__module__}.{kind.__qualname__})" in words:
            return reason or "its preparation failed"
    return "it never began"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="where the files test_*.py are")
    parser.add_argument("results", type=Path, help="the file that is written, a line of JSON for each test")
    parser.add_argument("-k", dest="filters", action="append", default=[], metavar="FILTER", help="only tests with this in their name")
    options = parser.parse_args()
    loader = unittest.TestLoader()
    loader.testNamePatterns = [text if "*" in text else f"*{text}*" for text in options.filters] or None
    suite = loader.discover(options.folder, pattern="test_*.py")
    tests = list(each(suite))
    recorder = unittest.TextTestRunner(resultclass=Recorder).run(suite)
    write_results(options.results, results(tests, recorder))
    return 0 if recorder.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
