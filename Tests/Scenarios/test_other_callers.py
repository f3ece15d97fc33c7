"""Another stack and the command line call each other through the server, from the ring to the goodbye."""

import unittest

from callers import AtHome, outcome
from otherpeer import OtherPeer, av
from people import Person
from server import TIMEOUT, eventually


@unittest.skipIf(av is None, "aiortc is not installed")
class Aiortc(AtHome):
    def setUp(self) -> None:
        super().setUp()
        self.ada = Person(self.server, "Ada")
        self.addCleanup(self.ada.link.close)
        self.peer = OtherPeer(880)
        self.addCleanup(self.peer.close)

    def signal(self, call: str, **content) -> None:
        self.assertEqual(self.ada.ask("signal", call=call, **content), {})

    def follow(self, call: str) -> None:
        """Takes what the other side signals, up to its last candidate."""
        while True:
            signal = self.ada.expect("signal", call=call)
            if "candidate" in signal:
                self.peer.add(signal["candidate"])
                if not signal["candidate"]["candidate"]:
                    return
            elif signal["description"]["type"] == "offer":
                answer = self.peer.answer(signal["description"]["sdp"])
                self.signal(call, description={"type": "answer", "sdp": answer})
            else:
                self.peer.answered(signal["description"]["sdp"])

    def hears(self, pitch: int) -> None:
        eventually(lambda: abs(self.peer.ear.pitch() - pitch) < 5, f"{pitch} Hz, not {self.peer.ear.pitch()}")

    def test_J01_J05_aiortc_rings_the_command_line_hears_it_and_hangs_up(self):
        answering = self.home.answer("--as", "echo", "--play", "tone:440")
        answering.expect("ready")
        everybody = self.ada.ask("presence.watch", everybody=True)["users"]
        echo = next(user["user"] for user in everybody if user["name"] == "echo")
        call = self.ada.ask("call.invite", user=echo, kind="audio")["call"]
        self.assertEqual(self.ada.expect("call.connected", call=call)["role"], "caller")
        self.signal(call, description={"type": "offer", "sdp": self.peer.offer()})
        self.follow(call)
        self.hears(440)
        self.ada.ask("call.hangup", call=call)
        self.assertEqual(self.ada.expect("call.ended", call=call)["outcome"], "completed")
        self.assertEqual(answering.expect("ended")["outcome"], "completed")

    def test_J01_the_command_line_rings_aiortc_and_both_are_heard(self):
        calling = self.home.call("@Ada", "--as", "Otto", "--play", "tone:523", "--expect-audio", "--duration", "3s")
        incoming = self.ada.expect("call.incoming", within=2 * TIMEOUT)
        call = incoming["call"]
        self.assertEqual(incoming["from"]["name"], "Otto")
        self.ada.ask("call.ringing", call=call)
        self.ada.ask("call.accept", call=call)
        self.follow(call)
        self.hears(523)
        code, report = outcome(calling)
        self.assertEqual((code, report["outcome"], report["heard"]), (0, "completed", True))
        self.assertEqual(self.ada.expect("call.ended", call=call)["outcome"], "completed")


if __name__ == "__main__":
    unittest.main()
