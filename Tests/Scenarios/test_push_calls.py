"""A call wakes the devices of who is not there."""

from people import Person
from pushed import Pushed
from server import eventually


class Calls(Pushed):
    more = ("--ring-timeout", "15s")

    def ring(self, caller: Person, callee: Person) -> str:
        return caller.ask("call.invite", user=callee.user, kind="audio")["call"]

    def test_H15_a_call_wakes_devices_and_whoever_comes_can_answer(self):
        """H15.woken H15.withdrawn"""
        a, (b, device) = self.listener("Ann"), self.sleeper()
        call = self.ring(a, b)
        self.assertTrue(a.expect("call.ringing", call=call)["push"])
        message, = self.wait_for(device)
        self.assertEqual(
            (message["type"], message["call"], message["kind"], message["sender"], message["name"]),
            ("call", call, "audio", a.user, "Ann"))
        headers = device.pushes[0].headers
        self.assertEqual(headers["Urgency"], "high")
        self.assertLessEqual(int(headers["TTL"]), 16)
        back = self.device(b)
        self.assertEqual(back.expect("call.incoming", call=call)["from"]["user"], a.user)
        back.ask("call.ringing", call=call)
        self.assertNotIn("push", a.expect("call.ringing", call=call))
        back.ask("call.accept", call=call)
        self.assertEqual(a.expect("call.connected", call=call)["peer"]["member"], back.member)
        over = self.wait_for(device, 2)[1]
        self.assertEqual((over["type"], over["call"]), ("callOver", call))
        self.assertEqual(device.pushes[1].headers["Topic"], headers["Topic"], "it takes the place of one that waits")

    def test_H15_a_call_that_is_cancelled_is_taken_back(self):
        a, (b, device) = self.listener("Ann"), self.sleeper()
        call = self.ring(a, b)
        self.wait_for(device)
        a.ask("call.hangup", call=call)
        self.assertEqual(a.expect("call.ended", call=call)["outcome"], "cancelled")
        eventually(lambda: [m["type"] for m in self.wait_for(device, 2)][1] == "callOver", "it is taken back")

    def test_H15_a_call_to_devices_that_stay_asleep_is_not_answered(self):
        a, (b, device) = self.listener("Ann"), self.sleeper()
        call = self.ring(a, b)
        eventually(lambda: a.heard("call.ended"), "the time is over", within=25)
        self.assertEqual(self.wait_for(device, 2)[1]["type"], "callOver")

    def test_H15_a_call_to_somebody_without_a_device_or_who_blocked_the_caller_wakes_nobody(self):
        """H15.none"""
        a, b, (c, device) = self.listener("Ann"), self.person("Bob"), self.sleeper("Carol")
        b.link.close()
        eventually(lambda: not self.is_online(b), "they are gone")
        back = self.device(c)
        back.ask("chat.block", user=a.user)
        back.link.close()
        eventually(lambda: not self.is_online(c), "they are gone")
        for callee in (b, c):
            call = self.ring(a, callee)
            self.assertEqual(a.expect("call.ended", call=call)["outcome"], "offline")
        self.assertEqual((a.heard("call.ringing"), device.attempts), ([], []))
