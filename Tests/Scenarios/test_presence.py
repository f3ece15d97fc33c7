import subprocess
import sys
import time
import unittest

from house import House
from people import Person
from server import suspend
from wire import need_websockets


class Processes(House):
    def child(self, name: str) -> subprocess.Popen:
        need_websockets("a process that is killed is noticed at once where it has a WebSocket")
        host, port = self.server.address
        child = subprocess.Popen(
            [sys.executable, __file__, host, str(port), name], stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (child.kill(), child.wait(), child.stdout.close()))
        return child


class Presence(Processes):
    def users(self, answer: dict) -> dict[str, bool]:
        return {user["user"]: user["online"] for user in answer["users"]}

    def test_C02_coming_and_going_is_told_at_the_first_and_the_last_device_only(self):
        a, b = self.person("A"), self.person("B")
        self.server.shows(lambda: self.users(a.ask("presence.watch", users=[b.user]))[b.user], "B is known to be there")
        a.pending.clear()
        second = self.device(b)
        b.link.close()
        second.ask("ice.servers")
        self.assertEqual(a.heard("presence"), [])
        second.link.close()
        gone = a.expect("presence")
        self.assertEqual((gone["user"], gone["online"]), (b.user, False))
        self.assertLess(abs(gone["lastSeen"] / 1000 - time.time()), 5)
        self.device(b)
        self.assertEqual(a.expect("presence"), {"user": b.user, "online": True, "name": "B"})
        self.assertEqual(a.heard("presence"), [])

    def test_C03_a_watcher_learns_at_once_how_users_are_now(self):
        a, b = self.person("A"), self.person("B")
        watched = [b.user, "nobody-of-this-name"]
        self.server.shows(lambda: self.users(a.ask("presence.watch", users=watched))[b.user], "B is known to be there")
        answer = a.ask("presence.watch", users=watched)
        self.assertEqual(self.users(answer), {b.user: True, "nobody-of-this-name": False})
        self.assertEqual(answer["users"][0]["name"], "B")

    def test_C01_everybody_who_is_there_is_listed(self):
        a, b = self.person("A"), self.person("B")
        everybody = lambda: self.users(a.ask("presence.watch", everybody=True))
        self.server.shows(lambda: all(everybody().get(one.user) for one in (a, b)), "both are there")
        c = self.person("C")
        self.assertEqual(a.expect("presence", user=c.user)["name"], "C")

    def test_who_no_longer_watches_hears_nothing(self):
        a, b = self.person("A"), self.person("B")
        for fields in ({"users": [b.user]}, {"everybody": True}):
            a.ask("presence.watch", fields)
            self.assertEqual(a.ask("presence.unwatch", fields), {})
        if self.server.is_of_several:
            # B may have come while A watched.
            a.pending.clear()
        b.link.close()
        self.device(b)
        self.assertEqual(a.heard("presence", user=b.user), [])

    def test_C04_a_killed_process_leaves_no_ghost(self):
        a = self.person("A")
        child = self.child("C")
        user = child.stdout.readline().strip()
        self.server.shows(lambda: self.users(a.ask("presence.watch", users=[user]))[user], "C is there")
        child.kill()
        self.assertFalse(a.expect("presence", user=user)["online"])

    def test_a_watch_outlives_a_broken_line(self):
        a, b, c = self.person("A", recover=True), self.person("B"), self.person("C")
        a.ask("presence.watch", users=[b.user])
        c.ask("presence.watch", users=[b.user])
        a.link.cut()
        b.link.close()
        c.expect("presence")
        again = self.back(a)
        self.assertTrue(again.is_recovered)
        self.assertFalse(again.expect("presence", user=b.user)["online"])
        self.device(b)
        self.assertTrue(again.expect("presence", user=b.user)["online"])


class Vanishing(Processes):
    """A seat waits for as long as a line may be silent, so that has to be less than the test's own patience."""

    options = ("--ping-timeout", "700ms")
    users = Presence.users

    def test_C04_whoever_vanishes_goes_offline_and_leaves_its_rooms(self):
        a = self.person("A")
        b = self.person("B", recover=True)
        a.ask("presence.watch", users=[b.user])
        a.ask("room.join", room="vanish")
        b.ask("room.join", room="vanish")
        b.link.cut()
        self.assertFalse(a.expect("presence")["online"])
        self.assertEqual(a.expect("room.left")["reason"], "lost")
        self.assertEqual(self.users(a.ask("presence.watch", users=[b.user])), {b.user: False})


class Heartbeat(Processes):
    options = ("--ping-interval", "300ms", "--ping-timeout", "400ms")

    def test_B05_a_frozen_process_is_noticed_by_its_missing_heartbeat(self):
        child = self.child("F")
        user = child.stdout.readline().strip()
        a = self.person("A")
        a.ask("presence.watch", users=[user])
        suspend(child)
        began = time.monotonic()
        self.assertFalse(a.expect("presence", user=user)["online"])
        self.assertLess(time.monotonic() - began, 0.3 + 0.4 + 1)
        self.assertGreater(time.monotonic() - began, 0.09)

    def test_a_silent_line_is_gone_within_the_ping_timeout_and_a_second(self):
        a, b = self.person("A"), self.person("B", recover=True)
        a.ask("room.join", room="silent")
        b.ask("room.join", room="silent")
        began = time.monotonic()  # from now on B reads nothing, so it answers no ping
        self.assertEqual(a.expect("room.left")["member"], b.member)
        self.assertLess(time.monotonic() - began, 0.3 + 0.4 + 1)


def stay(host: str, port: str, name: str) -> None:
    """Somebody in a process of their own, who stays until the process ends."""

    class Elsewhere:
        address = (host, int(port))

    person = Person(Elsewhere(), name)
    print(person.user, flush=True)
    person.wait_for_end(within=60)


if __name__ == "__main__":
    stay(*sys.argv[1:]) if len(sys.argv) == 4 else unittest.main()
