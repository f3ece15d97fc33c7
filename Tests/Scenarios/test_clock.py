"""A machine whose clock is set: an hour ahead, two back, a day ahead. What only measures time goes on as it was."""

import time
import unittest

from clock_torture import DAY, HOUR, JUMPS, Clock, ClockTorture
from house import House
from people import Person, Refused, sign_in
from pushed import Pushed
from server import eventually, of_one_process
from wire import ask_http


class Jumps(unittest.TestCase):
    def torture(self, kills_too: bool) -> dict:
        torture = ClockTorture(kills=8, seed=7)
        self.addCleanup(torture.close)
        torture.kills_too = kills_too
        return torture.run()

    def test_P16_nothing_is_lost_and_nobody_is_cut_when_the_clock_jumps_under_load(self):
        """P16.load"""
        found = self.torture(kills_too=False)
        self.assertGreater(found["acknowledged"], 100)
        self.assertGreaterEqual(found["heard"], found["acknowledged"])
        self.assertEqual(found["retries"], 0, "no line was lost")

    def test_P16_nothing_is_lost_when_the_clock_jumps_and_the_server_is_killed(self):
        """P16.load"""
        found = self.torture(kills_too=True)
        self.assertGreater(found["acknowledged"], 100)
        self.assertGreater(found["retries"], 0)


class Clocked:
    """A server whose clock is at the test's hand."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.clock = Clock()
        cls.addClassCleanup(cls.clock.close)
        cls.environment = cls.clock.environment
        super().setUpClass()


class ClockHouse(Clocked, House):
    """With a clock that is right again behind each test."""

    options = ("--ring-timeout", "2s", "--ping-interval", "500ms", "--ping-timeout", "3s", "--request-rate", "20")

    def tearDown(self) -> None:
        self.jump_to(0)

    def jump_to(self, offset: int) -> None:
        self.clock.jump(offset - self.clock.offset)

    def person(self, name: str = "", **options) -> Person:
        return super().person(name, **({"token": self.clock.token(name)} | options))

    def text(self, person: Person, **place) -> dict:
        return person.ask("chat.send", place | {"body": {"text": "hello"}})


class Timers(ClockHouse):
    runs_alone = True

    def test_P16_a_call_rings_for_its_time_and_lasts_as_long_as_it_does(self):
        """P16.timers"""
        a, b = self.person("ring-a"), self.person("ring-b")
        for jump in JUMPS:
            call = a.ask("call.invite", user=b.user, kind="audio")["call"]
            b.expect("call.incoming", call=call)
            began = time.monotonic()
            self.clock.jump(jump)
            for person in (a, b):
                self.assertEqual(person.expect("call.ended", call=call)["outcome"], "noAnswer")
            self.assertLess(abs(time.monotonic() - began - 2), 1)
            call = a.ask("call.invite", user=b.user, kind="audio")["call"]
            b.ask("call.accept", call=call)
            a.expect("call.connected", call=call)
            self.clock.jump(jump)
            a.ask("call.hangup", call=call)
            self.assertEqual(b.expect("call.ended", call=call)["outcome"], "completed")
            kept = a.ask("chat.sync")["conversations"][0]["latest"]["body"]
            self.assertEqual((kept["call"], kept["outcome"]), (call, "completed"))
            self.assertLess(kept["seconds"], 10)
            self.clock.jump(-jump)

    def test_P16_no_heartbeat_is_missed(self):
        """P16.timers"""
        a = self.person("heart")
        for jump in JUMPS:
            self.clock.jump(jump)
            # Two pings and more.
            with self.assertRaises(TimeoutError):
                a.answer(-1, within=1.2)
            self.assertNotIn("error", a.ask("ice.servers"))
        b = self.person("stalled", recover=True)
        b.link.cut()
        self.clock.jump(-DAY)
        self.assertTrue(Person.back(b, token=self.clock.token("stalled")).is_recovered, "its place is kept")

    def test_P16_who_asked_too_often_may_ask_again_soon(self):
        """P16.timers"""
        a = self.person("hasty")
        for jump in JUMPS:
            eventually(lambda: self.text(a, user=a.user).get("error", {}).get("code") == "rate_limited", "that was too often")
            self.clock.jump(jump)
            began = time.monotonic()
            eventually(lambda: "error" not in self.text(a, user=a.user), "the next one is heard")
            self.assertLess(time.monotonic() - began, 5)


class Conversations(ClockHouse):
    def test_P16_what_is_said_in_a_time_that_has_not_come_yet_keeps_nobody_waiting(self):
        """P16.decisions"""
        a, b = self.person("slow-a"), self.person("slow-b")
        room = a.ask("chat.create", kind="room", title="Plaza")["conversation"]
        b.ask("chat.join", conversation=room)
        a.ask("chat.slow", conversation=room, seconds=60)
        self.jump_to(DAY)
        first = self.text(b, conversation=room)
        self.assertAlmostEqual(first["time"] / 1000, self.clock.now, delta=10)
        self.assertEqual(self.text(b, conversation=room)["error"]["code"], "slow_mode")
        self.jump_to(0)
        second = self.text(b, conversation=room)
        self.assertGreaterEqual(second["time"], first["time"], "time does not run backwards in a conversation")
        refused = self.text(b, conversation=room)["error"]
        self.assertEqual(refused["code"], "slow_mode")
        self.assertLessEqual(refused["retryAfter"], 60_000)
        self.assertNotIn("error", b.ask("chat.edit", conversation=room, number=second["number"], body={"text": "ah"}))
        until = int((self.clock.now + HOUR) * 1000)
        a.ask("chat.silence", conversation=room, user=b.user, until=until)
        self.jump_to(HOUR // 2)
        self.assertEqual(self.text(b, conversation=room)["error"]["code"], "silenced", "by the clock, not by the last entry")
        self.jump_to(2 * HOUR)
        self.assertNotIn("error", self.text(b, conversation=room))

    @of_one_process
    def test_P16_a_call_goes_on_over_a_restart_behind_a_jump(self):
        """P16.decisions"""
        for jump in (HOUR, -2 * HOUR):
            a, b = self.person("seat-a"), self.person("seat-b")
            call = a.ask("call.invite", user=b.user, kind="audio")["call"]
            b.ask("call.accept", call=call)
            a.expect("call.connected", call=call)
            self.assertNotIn("error", self.text(a, user=b.user))
            self.clock.jump(jump)
            self.server.restart()
            a, b = self.person("seat-a"), self.person("seat-b")
            for person in (a, b):
                self.assertEqual(person.ask("call.take", call=call, keeps=True)["phase"], "talking")
            self.assertEqual(a.ask("signal", call=call, data="still here"), {})
            self.assertEqual(b.expect("signal")["data"], "still here")
            b.ask("call.hangup", call=call)
            self.assertEqual(a.expect("call.ended")["outcome"], "completed")


class Tokens(ClockHouse):
    def refresh(self, token: str):
        return ask_http(self.server, "POST", "/v1/auth/refresh", {"refreshToken": token})

    def test_P16_a_token_of_a_time_that_has_not_come_yet_is_replaced(self):
        """P16.tokens"""
        self.jump_to(DAY)
        early = sign_in(self.server, "Early")
        with self.person(token=early["accessToken"]) as person:
            self.assertNotIn("error", self.text(person, user=person.user))
            self.jump_to(0)
            self.assertNotIn("error", self.text(person, user=person.user), "who is in stays in")
        with self.assertRaises(Refused):
            self.person(token=early["accessToken"])
        answer = self.refresh(early["refreshToken"])
        self.assertEqual(answer.status, 200, answer.text)
        self.assertNotIn("error", self.text(self.person(token=answer.json["accessToken"]), user=early["user"]))
        self.jump_to(DAY)
        with self.assertRaises(Refused):
            self.person(token=answer.json["accessToken"])
        answer = self.refresh(answer.json["refreshToken"])
        self.assertEqual(answer.status, 200, answer.text)
        self.assertNotIn("error", self.text(self.person(token=answer.json["accessToken"]), user=early["user"]))

    def test_P16_who_was_kicked_by_a_clock_that_was_ahead_comes_in_when_kicked_again(self):
        """P16.tokens"""
        mallory = self.person("kicked")
        self.jump_to(DAY)
        self.server.ask_admin("POST", "/v1/users/kicked/kick")
        mallory.wait_for_end()
        self.jump_to(0)
        with self.assertRaises(Refused):
            self.person("kicked")
        self.server.ask_admin("POST", "/v1/users/kicked/kick")

        def comes_in() -> bool:
            try:
                return "error" not in self.text(self.person("kicked"), user="kicked")
            except Refused:
                return False

        eventually(comes_in, "a token that was issued afterwards is good")


class Pushes(Clocked, Pushed):
    def test_P16_who_sleeps_is_woken_in_time_when_the_clock_was_a_day_ahead(self):
        """P16.pushes"""
        a, b, device = self.listener("Ann"), self.listener("Bob"), self.service.device()
        c, sleeping = self.sleeper("Cleo")
        self.subscribe(b, device)
        self.clock.jump(DAY)
        self.say(a, "tomorrow", user=c.user)
        eventually(lambda: self.service.faults, "no service takes what is signed for the day after tomorrow")
        self.service.faults.clear()
        self.say(a, "read it", user=b.user)
        self.clock.jump(-DAY)
        self.say(a, "today", user=c.user)
        self.assertEqual(self.wait_for(sleeping)[-1]["text"], "today")
        began = time.monotonic()
        self.say(a, "are you there?", user=b.user)
        self.assertEqual([each["text"] for each in self.wait_for(device, 2, within=20)], ["read it", "are you there?"])
        self.assertLess(time.monotonic() - began, 13)


if __name__ == "__main__":
    unittest.main()
