"""What became of tests is written down as it was: passed, failed, or skipped with its reason."""

import json
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

import swift_results  # noqa: E402
from results import FAILED, PASSED, SKIPPED, UNSTABLE, Result, merged, read_results, worst_of  # noqa: E402
from summary import summary  # noqa: E402

PYTHON = '''
import unittest
def give_up():
    raise unittest.SkipTest("no browser")
class Some(unittest.TestCase):
    def test_good(self): pass
    def test_bad(self): self.fail()
    def test_half(self):
        for ok in (True, False):
            with self.subTest(ok): self.assertTrue(ok)
    def test_left(self): self.skipTest("no ffmpeg")
    @unittest.skip("not here")
    def test_marked(self): pass
class Others(unittest.TestCase):
    @classmethod
    def setUpClass(cls): give_up()
    def test_never(self): pass
class Broken(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError
    def test_never_either(self): pass
'''
MODULE = '''
import unittest
def setUpModule(): raise unittest.SkipTest("no coturn")
class All(unittest.TestCase):
    def test_whole(self): pass
'''
UNSTABLE_TESTS = '''
import unittest
from pathlib import Path
class Some(unittest.TestCase):
    def test_good(self): pass
    def test_second_time(self):
        mark = Path(__file__).with_suffix(".mark")
        was_here = mark.exists()
        mark.touch()
        self.assertTrue(was_here)
'''
MEASURING_TESTS = '''
import fcntl, unittest
from pathlib import Path
class Some(unittest.TestCase):
    runs_alone = True
    def test_alone(self): self.look(fcntl.LOCK_EX | fcntl.LOCK_NB)
    def look(self, kind):
        with Path(__file__).with_name("lock").open("w") as file:
            fcntl.flock(file, kind)
            self.wait(0.2)
    def wait(self, seconds): __import__("time").sleep(seconds)
class Other(Some):
    runs_alone = False
    def test_alone(self): self.look(fcntl.LOCK_SH)
'''
# Each of the three is there until all are.
MEETING_TESTS = '''
import time, unittest
from pathlib import Path
class First(unittest.TestCase):
    def test_meet(self):
        folder, deadline = Path(__file__).parent, time.monotonic() + 20
        (folder / f"{type(self).__name__}.here").touch()
        while len(list(folder.glob("*.here"))) < 3:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
class Second(First): pass
class Waiting(First): mostly_waits = True
'''


class PythonRunTests(unittest.TestCase):
    def run_tests(self, *options: str, **files: str) -> tuple[int, str, dict[str, tuple[str, str]]]:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        target = folder / "out" / "some.jsonl"
        done = subprocess.run(
            [sys.executable, ROOT / "Scripts/checks/run_python_tests.py", folder, target, *options],
            capture_output=True, text=True)
        found = read_results(target.parent)["some"]
        return done.returncode, done.stderr, {
            Path(r.test.partition(": ")[0]).name + " " + r.test.partition(": ")[2]: (r.outcome, r.reason) for r in found}

    def test_every_test_has_its_outcome_also_those_that_never_began(self):
        code, words, found = self.run_tests(test_some=PYTHON, test_module=MODULE)
        self.assertEqual(code, 1)
        self.assertIn("Ran 5 tests", words)
        self.assertEqual(found, {
            "test_some.py test_good": (PASSED, ""), "test_some.py test_bad": (FAILED, ""),
            "test_some.py test_half": (FAILED, ""), "test_some.py test_left": (SKIPPED, "no ffmpeg"),
            "test_some.py test_marked": (SKIPPED, "not here"), "test_some.py test_never": (SKIPPED, "no browser"),
            "test_some.py test_never_either": (SKIPPED, "its preparation failed"),
            "test_module.py test_whole": (SKIPPED, "no coturn")})

    def test_classes_that_run_at_the_same_time_have_the_same_outcomes(self):
        _, _, one_by_one = self.run_tests(test_some=PYTHON, test_module=MODULE)
        code, words, together = self.run_tests("--jobs", "2", test_some=PYTHON, test_module=MODULE)
        self.assertEqual((code, together), (1, one_by_one), words)
        self.assertIn("-- test_some.Some", words)

    def test_a_class_that_measures_runs_when_no_other_does(self):
        code, words, _ = self.run_tests("--jobs", "2", test_a=MEASURING_TESTS.replace("Some", "First"), test_b=MEASURING_TESTS)
        self.assertEqual(code, 0, words)

    def test_a_class_that_mostly_waits_runs_beside_as_many_others_as_there_are_jobs(self):
        code, words, _ = self.run_tests("--jobs", "2", test_a=MEETING_TESTS)
        self.assertEqual(code, 0, words)
        self.assertRegex(words, r"-- test_a\.Waiting, \d+ s, \d+ s of CPU")

    def test_long_tests_run_where_they_are_asked_for(self):
        tests = "import unittest\nclass Some(unittest.TestCase):\n    is_long = True\n    def test_all(self): pass\n"
        all_of_it = {"test_some.py test_all": (PASSED, "")}
        self.assertEqual(self.run_tests(test_some=tests)[2], {})
        self.assertEqual(self.run_tests("-k", "all", test_some=tests)[2], all_of_it)
        self.enterContext(unittest.mock.patch.dict("os.environ", PARLEY_LONG_TESTS="1"))
        self.assertEqual(self.run_tests(test_some=tests)[2], all_of_it)

    def test_a_process_that_dies_fails_the_run(self):
        tests = "import os, unittest\nclass Some(unittest.TestCase):\n    def test_end(self): os._exit(0)\n"
        with self.assertRaises(KeyError):
            self.run_tests("--jobs", "2", test_some=tests)

    def test_a_filter_runs_only_what_it_names(self):
        code, _, found = self.run_tests("-k", "good", test_some=PYTHON)
        self.assertEqual((code, found), (0, {"test_some.py test_good": (PASSED, "")}))

    def test_what_passes_only_when_run_once_more_is_unstable(self):
        code, words, found = self.run_tests(test_some=UNSTABLE_TESTS)
        self.assertEqual((code, found), (0, {
            "test_some.py test_good": (PASSED, ""), "test_some.py test_second_time": (PASSED, UNSTABLE)}), words)

    def test_many_failures_are_no_accident_and_do_not_run_again(self):
        tests = "\n".join(f"    test_{n} = lambda self: self.fail()" for n in range(11))
        code, words, _ = self.run_tests(test_some=f"import unittest\nclass Some(unittest.TestCase):\n{tests}\n")
        self.assertEqual((code, words.count("Ran ")), (1, 1))

    def test_a_module_that_cannot_be_loaded_has_failed(self):
        code, _, found = self.run_tests(test_wrong="import nothing_of_this_name")
        self.assertEqual((code, [outcome for outcome, _ in found.values()]), (1, [FAILED]))


class SwiftRunTests(unittest.TestCase):
    def lines(self, *events: dict) -> list[str]:
        tests = [
            {"kind": "suite", "id": "Room.Suite", "name": "Suite"},
            *({"kind": "function", "id": f"Room.Suite/{name}()/A.swift:1:2", "name": f"{name}()", "displayName": name,
               "sourceLocation": {"filePath": "/top/Tests/A/A.swift"}} for name in ("one", "two"))]
        records = [{"kind": "test", "payload": test} for test in tests]
        records += [{"kind": "event", "payload": event} for event in events]
        return [json.dumps(record) for record in records]

    def filters(self, *events: dict) -> list[str]:
        return swift_results.filters_of_failed(self.lines(*events), Path("/top"))

    def found(self, *events: dict) -> dict[str, tuple[str, str]]:
        found = swift_results.results(self.lines(*events), Path("/top"))
        return {result.test: (result.outcome, result.reason) for result in found}

    def event(self, kind: str, name: str, **more) -> dict:
        return {"kind": kind, "testID": f"Room.Suite/{name}()/A.swift:1:2"} | more

    def test_a_swift_test_passes_or_fails_by_its_issues(self):
        found = self.found(
            self.event("testEnded", "one"), self.event("issueRecorded", "two", issue={"isKnown": False}),
            self.event("testEnded", "two"))
        self.assertEqual(found, {"Tests/A/A.swift: one": (PASSED, ""), "Tests/A/A.swift: two": (FAILED, "")})

    def test_a_known_issue_fails_no_swift_test(self):
        found = self.found(
            self.event("issueRecorded", "one", issue={"isKnown": True}), self.event("testEnded", "one"),
            self.event("testEnded", "two"))
        self.assertEqual({outcome for outcome, _ in found.values()}, {PASSED})

    def test_a_skipped_suite_skips_its_swift_tests_with_its_reason(self):
        skip = {"kind": "testSkipped", "testID": "Room.Suite", "messages": [
            {"symbol": "skip", "text": 'Suite "A suite" skipped: "needs coturn"'}]}
        self.assertEqual(set(self.found(skip).values()), {(SKIPPED, "needs coturn")})

    def test_a_swift_test_that_never_ended_has_failed(self):
        self.assertEqual(self.found(self.event("testEnded", "one"))["Tests/A/A.swift: two"], (FAILED, "it never ended"))


    def test_a_few_swift_tests_that_failed_are_named_to_run_once_more(self):
        self.assertEqual(self.filters(self.event("issueRecorded", "two", issue={}), self.event("testEnded", "one")),
                         [r"^Room\.Suite/two\(\)"])

    def test_a_stream_may_have_other_ends_of_lines_in_its_texts(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        text = self.event("testEnded", "one", messages=[{"text": "\u2028 and \u0085"}])
        lines = [json.dumps(json.loads(line), ensure_ascii=False) for line in self.lines(text, self.event("testEnded", "two"))]
        (folder / "stream").write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [sys.executable, ROOT / "Scripts/checks/swift_results.py", folder / "stream", folder / "swift.jsonl"],
            capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({result.outcome for result in read_results(folder)["swift"]}, {PASSED})

    def test_no_swift_test_runs_again_after_a_run_that_broke_off(self):
        self.assertEqual(self.filters(self.event("issueRecorded", "two", issue={})), [])

    def test_swift_tests_that_stood_still_run_once_more(self):
        lines = self.lines(self.event("testEnded", "one"))
        self.assertEqual(swift_results.filters_of_failed(lines, Path("/top"), stood_still=True), [r"^Room\.Suite/two\(\)"])


class StandingStillTests(unittest.TestCase):
    def run_watched(self, *words: str) -> tuple[int, str, Path]:
        """A program that gets the place of its stream as its last word."""
        stream = Path(self.enterContext(tempfile.TemporaryDirectory())) / "stream"
        done = subprocess.run(
            [sys.executable, ROOT / "Scripts/checks/run_swift_tests.py", "--longest-silence", "1", stream, "--", *words, stream],
            capture_output=True, text=True)
        return done.returncode, done.stdout, stream

    def test_tests_that_stand_still_are_ended_and_named(self):
        events = [{"kind": "event", "payload": {"kind": kind, "testID": name}} for kind, name in
                  (("testStarted", "one"), ("testStarted", "two"), ("testEnded", "one"))]
        lines = "\n".join(json.dumps(event) for event in events)
        code, words, _ = self.run_watched("sh", "-c", f"echo '{lines}' >\"$1\"; sleep 1000 & wait", "sh")
        self.assertEqual((code, words.split("\n")[1]), (75, "two"))
        # The children too: this one would still hold on to the pipe that was read to its end.
        self.assertIn("sleep 1000", words)

    def test_a_program_that_goes_on_is_waited_for_also_before_its_stream_begins(self):
        steps = "import sys, time\ntime.sleep(1.5)\nfor _ in range(15): open(sys.argv[1], 'a').write('{}'); time.sleep(0.1)\nsys.exit(3)"
        code, _, stream = self.run_watched(sys.executable, "-c", steps)
        self.assertEqual((code, stream.read_text()), (3, "{}" * 15))


class SummaryTests(unittest.TestCase):
    def stage(self, name: str, *skips: str) -> dict[str, list[Result]]:
        return {name: [Result("a", PASSED), *(Result(f"b{n}", SKIPPED, skip) for n, skip in enumerate(skips))]}

    def test_the_closing_lines_count_skips_by_their_reason(self):
        lines, is_wrong = summary(self.stage("scenarios", "no browser", "no browser", "no sox"), is_ci=False)
        self.assertEqual(lines, [
            "== SKIPPED in scenarios: 2 × no browser", "== SKIPPED in scenarios: 1 × no sox",
            "== 1 passed, 0 failed, 3 skipped"])
        self.assertFalse(is_wrong)

    def test_in_ci_a_skip_fails_but_for_what_not_every_machine_can_do(self):
        self.assertTrue(summary(self.stage("scenarios", "no browser"), is_ci=True)[1])
        self.assertFalse(summary(self.stage("scenarios"), is_ci=True)[1])
        self.assertFalse(summary(self.stage("netlab", "no namespaces"), is_ci=True)[1])

    def test_the_closing_lines_name_what_failed_and_what_is_unstable(self):
        second = merged([Result("a", FAILED), Result("b", FAILED), Result("c", PASSED)], [Result("a", PASSED), Result("b", FAILED)])
        self.assertEqual(summary({"swift": second}, is_ci=True)[0], [
            "== FAILED in swift: b", "== UNSTABLE in swift, passed only when run once more: a",
            "== 2 passed, 1 failed, 0 skipped"])

    def test_the_worst_outcome_of_one_test_counts(self):
        ran = [Result("a", PASSED), Result("a", FAILED), Result("a", SKIPPED)]
        self.assertEqual(worst_of(ran)["a"].outcome, FAILED)


if __name__ == "__main__":
    unittest.main()
