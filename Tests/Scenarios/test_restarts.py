"""Calls whose server is started anew: media goes from one to the other, and nobody has to ring again."""

import json
import signal
import unittest
from pathlib import Path

from callers import AtHome, Household, outcome
from pages import WATCHED, PageTest
from people import VOUCHED, Person
from pitch import RATE
from server import Server, eventually, of_one_process
from visitors import Visitor


@of_one_process
class Seats(unittest.TestCase):
    """What the server says, to people on the native events."""

    def setUp(self) -> None:
        self.server = Server(*VOUCHED, testing=False)
        self.addCleanup(self.server.__exit__)
        self.a, self.b = self.enter(name="A"), self.enter(name="B")
        self.call = self.a.ask("call.invite", user=self.b.user, kind="audio")["call"]
        self.b.expect("call.incoming")
        self.b.ask("call.accept", call=self.call)
        self.a.expect("call.connected")
        # What is answered after it is on the disk as well.
        self.a.ask("chat.send", user=self.b.user, body={"text": "here"})

    def enter(self, **options) -> Person:
        person = Person(self.server, **options)
        self.addCleanup(person.link.close)
        return person

    def again(self, old: Person) -> Person:
        return self.enter(token=old.token)

    def record(self, person: Person) -> list[dict]:
        entries = person.ask("chat.sync", {})["conversations"][0]["entries"]
        return [entry["body"] for entry in entries if entry.get("kind") == "call"]

    def restart(self, ending: signal.Signals) -> None:
        self.server.tell(ending)
        self.server.wait()
        self.server.begin()

    def test_J23_both_take_their_seats_again_however_the_server_ended(self):
        """J23.seats"""
        for ending in (signal.SIGTERM, signal.SIGKILL):
            self.restart(ending)
            a, b = self.again(self.a), self.again(self.b)
            view = a.ask("call.take", call=self.call, keeps=True)
            self.assertEqual((view["phase"], view["role"], view["keeps"]), ("talking", "caller", True))
            self.assertEqual((view["peer"]["user"], view["peer"]["away"]), (b.user, True))
            view = b.ask("call.take", call=self.call, keeps=True)
            self.assertEqual((view["role"], view["keeps"], view["peer"]["member"]), ("callee", True, a.member))
            self.assertEqual(a.expect("call.peerBack"), {"call": self.call, "member": b.member, "keeps": True})
            self.assertEqual(a.ask("signal", call=self.call, data="still here"), {})
            self.assertEqual(b.expect("signal")["data"], "still here")
            # The next run of the server knows them under the names of the one before.
            self.a, self.b = a, b
        self.b.ask("call.hangup", call=self.call)
        self.assertEqual(self.a.expect("call.ended")["outcome"], "completed")
        self.assertEqual([record["outcome"] for record in self.record(self.again(self.a))], ["completed"])
        self.restart(signal.SIGTERM)
        self.assertEqual(self.again(self.a).error("call.take", call=self.call), "not_found")

    def test_J23_who_was_loaded_anew_begins_anew_and_the_other_learns_it(self):
        self.server.restart()
        b = self.again(self.b)
        self.assertNotIn("keeps", b.ask("call.take", call=self.call))
        a = self.again(self.a)
        # What the caller still has is of no use: the other end of it is gone.
        self.assertNotIn("keeps", a.ask("call.take", call=self.call, keeps=True))
        self.assertEqual(b.expect("call.peerBack"), {"call": self.call, "member": a.member})

    def test_J23_strangers_take_no_seat_and_end_nothing(self):
        self.server.restart()
        mallory = self.enter(name="Mallory")
        for member in (self.a.member, self.b.member):
            fields = {"call": self.call, "replaces": member, "keeps": True}
            self.assertEqual(mallory.error("call.take", fields), "forbidden")
        self.assertEqual(mallory.error("call.hangup", call=self.call), "forbidden")
        self.assertEqual(mallory.error("signal", call=self.call, data=1), "forbidden")
        self.assertEqual(self.again(self.a).ask("call.take", call=self.call)["phase"], "talking")

    def test_J23_a_call_is_hung_up_without_a_seat(self):
        self.server.restart()
        b = self.again(self.b)
        b.ask("call.take", call=self.call, keeps=True)
        self.again(self.a).ask("call.hangup", call=self.call)
        self.assertEqual(b.expect("call.ended")["outcome"], "completed")

    def test_what_rings_is_over_with_the_server(self):
        c = self.enter(name="C")
        d = self.enter(name="D")
        call = c.ask("call.invite", user=d.user)["call"]
        d.expect("call.incoming")
        self.server.tell(signal.SIGTERM)
        self.assertEqual(c.expect("call.ended", call=call)["outcome"], "serverRestarted")
        self.server.wait()
        self.server.begin()
        self.assertEqual(self.again(c).error("call.take", call=call), "not_found")


@of_one_process
class Terminals(AtHome):
    def test_J23_two_terminals_talk_on_and_hang_up_afterwards(self):
        """J23.terminal"""
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        heard = Path(self.home.folder.name) / "heard.wav"
        call = self.home.call("@echo", "--play", "tone:440", "--record", str(heard))
        name = echo.expect("answered")["call"]
        eventually(lambda: heard.exists() and heard.stat().st_size > RATE, "something is heard")
        self.server.restart()
        eventually(lambda: online(self.server) == 2, "both are back")
        size = heard.stat().st_size
        eventually(lambda: heard.stat().st_size > size + 2 * RATE, "a second more is heard")
        call.send_signal(signal.SIGINT)
        code, report = outcome(call)
        self.assertEqual((code, report["outcome"]), (0, "completed"))
        ended = echo.expect("ended")
        self.assertEqual((ended["call"], ended["outcome"]), (name, "completed"))


def online(server: Server) -> int:
    return len(json.loads(server.get("/v1/users", admin=True)[1])["users"])


@of_one_process
class Pages(PageTest):
    def setUp(self) -> None:
        super().setUp()
        self.home = Household(self.server)
        self.addCleanup(self.home.close)

    def assert_kept(self, visitor: Visitor) -> None:
        """There was one connection, and it has never been another one."""
        self.assertEqual(visitor.page.evaluate("() => window.peers.map((peer) => peer.connectionState)"), ["connected"])

    def test_J23_two_pages_talk_on_and_hang_up_afterwards(self):
        """J23.page"""
        anna, bo = self.visitor("Anna", 700, (WATCHED,)), self.visitor("Bo", 1500, (WATCHED,))
        self.connect(anna, bo)
        self.assert_hears(bo, anna)
        for ending in (signal.SIGTERM, signal.SIGKILL):
            self.restart_server(ending)
            for visitor in (anna, bo):
                visitor.sees_state("Connected")
            self.assert_hears(bo, anna)
            self.assert_hears(anna, bo)
        for visitor in (anna, bo):
            self.assert_kept(visitor)
        bo.hang_up()
        anna.reads("Bo hung up.")
        self.connect(anna, bo)

    def test_J23_a_page_and_a_terminal_talk_on_and_hang_up_afterwards(self):
        echo = self.home.answer("--as", "echo", "--echo")
        echo.expect("ready")
        anna = self.visitor("Anna", 700, (WATCHED,))
        anna.ring("echo")
        anna.talks()
        self.restart_server(signal.SIGKILL)
        anna.sees_state("Connected")
        eventually(lambda: online(self.server) == 2, "both are back")
        eventually(lambda: abs(anna.hears() - anna.pitch) < 20, "Anna hears herself")
        self.assert_kept(anna)
        anna.hang_up()
        self.assertEqual(echo.expect("ended")["outcome"], "completed")


if __name__ == "__main__":
    unittest.main()
