"""Every guard speaks up for what it guards against, and keeps quiet otherwise."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts/checks"))

import guards  # noqa: E402
from functions import functions  # noqa: E402
from sources import Source  # noqa: E402

ROOM = "Sources/Room/Room.swift"
TEST = "Tests/RoomTests/RoomTests.swift"


def lines(guard, path, text):
    return [line for line, _ in guard(Source(path, text))]


class GuardTests(unittest.TestCase):
    def test_unchecked_sendable_needs_a_reason(self):
        bare = "final class A: @unchecked Sendable {\n    let a = 1\n}\n"
        reasoned = "final class A: @unchecked Sendable {\n    // Unchecked because of the lock.\n}\n"
        self.assertEqual(lines(guards.unchecked_has_reason, ROOM, bare), [1])
        self.assertEqual(lines(guards.unchecked_has_reason, ROOM, reasoned), [])

    def test_traps_are_found_in_code_only(self):
        text = 'let a = try! b()\n// try! in words\nlet c = "fatalError()"\nfatalError("x")\n'
        self.assertEqual(lines(guards.no_traps, ROOM, text), [1, 4])

    def test_sleeps_are_refused_in_tests(self):
        text = "try await Task.sleep(for: .seconds(1))\nsleep(1)\nusleep(5)\ntry await clock.sleep(until: then)\nasleep(1)\n"
        self.assertEqual(lines(guards.no_sleep_in_tests, TEST, text), [1, 2, 3, 4])
        self.assertEqual(lines(guards.no_sleep_in_tests, ROOM, text), [])

    def test_nothing_is_put_off(self):
        self.assertEqual(lines(guards.nothing_put_off, "docs/a.md", "fine\nTO" "DO: more\nFIX" "ME\n"), [2, 3])

    def test_a_long_file_is_found(self):
        self.assertEqual(lines(guards.file_is_short, ROOM, "\n" * 500), [])
        for path in (ROOM, "Tests/Scenarios/test_tea.py", "Sources/Assets/Web/tea.js"):
            self.assertEqual(lines(guards.file_is_short, path, "\n" * 501), [501])
        self.assertEqual(lines(guards.file_is_short, "docs/tea.md", "\n" * 501), [])

    def test_a_long_function_is_found(self):
        def function(count):
            return "struct A {\n    func long() {\n" + "        a()\n" * (count - 2) + "    }\n}\n"

        self.assertEqual(lines(guards.functions_are_short, ROOM, function(60)), [])
        self.assertEqual(lines(guards.functions_are_short, ROOM, function(61)), [2])
        self.assertEqual(lines(guards.beyond_the_horizon, ROOM, function(45)), [])
        self.assertEqual(lines(guards.beyond_the_horizon, ROOM, function(46)), [2])

    def test_an_import_of_foundation_is_found(self):
        text = "import Foundation\ninternal import FoundationEssentials\npackage import Foundation\n"
        self.assertEqual(lines(guards.no_foundation, ROOM, text), [1, 3])

    def test_the_system_is_behind_one_room(self):
        text = "#if canImport(Glibc)\ninternal import Glibc\n#else\nimport Darwin\n#endif\n"
        self.assertEqual(lines(guards.system_behind_one_room, ROOM, text), [2, 4])
        for path in ["Sources/System/Errno.swift", "Sources/Reactor/SystemSocket.swift", TEST]:
            self.assertEqual(lines(guards.system_behind_one_room, path, text), [])

    def test_a_title_that_says_nothing_by_itself_is_found(self):
        swift = '@Test("has a sign")\n@Test(\n    "J01 hears nothing twice")\n@Test("A key of a telephone has a sign")\n'
        self.assertEqual(lines(guards.titles_stand_alone, "Tests/Room/A.swift", swift), [1, 3])
        python = "class A:\n    def test_F06_mentions(self): pass\n    def test_F06_whoever_is_mentioned_is_told(self): pass\n"
        self.assertEqual(lines(guards.titles_stand_alone, "Tests/Scenarios/test_a.py", python), [2])

    def test_a_title_inside_of_a_text_is_no_title(self):
        python = 'TEXT = """\ndef test_short(self): pass\n"""\n'
        self.assertEqual(lines(guards.titles_stand_alone, "Tests/Scripts/test_a.py", python), [])

    def test_facets_are_for_large_types_and_those_of_others(self):
        def found(length):
            whole = Source("Sources/Room/Ship.swift", "struct Ship {}\n" * length)
            facets = [Source(f"Sources/Room/{name}+Sailing.swift", "extension X {}\n") for name in ["Ship", "Harbour"]]
            elsewhere = Source("Sources/Other/Ship+Cargo.swift", "extension Ship {}\n")
            return [path for path, _ in guards.facets_that_cost([whole, *facets, elsewhere])]

        self.assertEqual(found(10), ["Sources/Room/Ship+Sailing.swift"])
        self.assertEqual(found(499), ["Sources/Room/Ship+Sailing.swift"])
        self.assertEqual(found(500), [])

    def test_registries_and_private_paths_stay_outside(self):
        self.assertEqual(lines(guards.no_registry_hosts, "Scripts/a", "https://registry.npm" "js.org/x\n"), [1])
        self.assertEqual(lines(guards.no_private_paths, "README.md", "cd /ho" "me/anna/parley\ncd ~/parley\n"), [1])

    def test_customers_stay_behind_their_doors(self):
        text = (
            "// FLSocketIM's apps\nlet dialect = FLDialect()\nlet kind = \"order\"\nlet reply: OrderReply\n"
            "if arrival.version == .v3 {}\n/// FLAC, in order, and .v3 in words\nlet order = 1\n"
        )
        guard = guards.customers_stay_behind_their_doors
        self.assertEqual(lines(guard, ROOM, text), [1, 2, 3, 4, 5])
        self.assertEqual(lines(guard, "Sources/Sessions/Heartbeat.swift", "case .v3: break\n"), [])
        for path in ("Sources/Service/Doors/FLSocketIM/FLDoor.swift", "Sources/parley/DoorOptions.swift", TEST):
            self.assertEqual(lines(guard, path, text), [])


class FunctionTests(unittest.TestCase):
    def found(self, text):
        return [(line, length, head) for line, length, head in functions(Source(ROOM, text).code)]

    def test_requirements_have_no_body(self):
        text = "protocol P {\n    func a() -> Int\n    init(b: Int)\n    var c: Int { get }\n}\n"
        self.assertEqual(self.found(text), [])

    def test_default_arguments_and_calls_are_no_bodies(self):
        text = "func a(b: () -> Int = { 1 }) {\n    self.init(c: 1) {\n    }\n}\n"
        self.assertEqual(self.found(text), [(1, 4, "func a")])

    def test_braces_in_text_do_not_count(self):
        text = 'func a() {\n    b("} \\(c("}"))")\n    // }\n    d(#"}"#)\n    e("""\n        }\n        """)\n}\n'
        self.assertEqual(self.found(text), [(1, 8, "func a")])


if __name__ == "__main__":
    unittest.main()
