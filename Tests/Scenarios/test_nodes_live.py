"""Several servers over one PostgreSQL: presence, rooms, calls and signals, whichever node somebody is on."""

import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from people import Person
from server import eventually, suspend
from test_nodes import Nodes


class Presence(Nodes):
    def test_Y04_who_comes_and_goes_on_one_node_is_seen_on_the_other(self):
        """Y04"""
        a = self.person(0, "A")
        with Person(self.nodes[1], "B") as b:
            eventually(lambda: online(a, b.user) == [True], "the other node knows it")
            page = self.enterContext(Person(self.nodes[0], token=b.token))
        # One line is left, on another node than the first.
        self.assertEqual(online(a, b.user), [True])
        self.assertNotIn(False, [news["online"] for news in a.heard("presence")])
        page.link.close()
        a.expect("presence", user=b.user, online=False)
        again = self.person(1, "B2")
        a.ask("presence.watch", users=[again.user])
        again.link.close()
        a.expect("presence", user=again.user, online=False)

    def test_Y04_a_node_that_comes_later_knows_who_is_there(self):
        """Y04.snapshot"""
        people = [self.person(n % 2, f"P{n}") for n in range(6)]
        people[0].ask("room.join", room="kitchen")
        people[1].ask("room.join", room="kitchen")
        self.nodes.append(self.node())
        self.all_inside()
        late = self.person(2, "Late")
        self.assertEqual(online(late, *(p.user for p in people)), [True] * 6)
        view = late.ask("room.join", room="kitchen")
        self.assertEqual([member["user"] for member in view["members"]], [people[0].user, people[1].user])
        for person in people[:2]:
            person.expect("room.joined", user=late.user)

    def test_Y04_who_was_on_a_node_that_dies_is_gone_within_ten_seconds(self):
        """Y04.death"""
        a, b = self.person(0, "A"), self.person(1, "B")
        eventually(lambda: online(a, b.user) == [True], "the other node knows it")
        a.ask("room.join", room="kitchen")
        b.ask("room.join", room="kitchen")
        a.expect("room.joined")
        self.nodes[1].process.kill()
        a.expect("presence", within=10, user=b.user, online=False)
        a.expect("room.away", within=10)
        self.assertEqual(a.expect("room.left", within=30)["reason"], "lost")

    def test_Y04_who_is_on_a_node_that_stood_still_is_there_again_when_it_goes_on(self):
        """Y04.paused"""
        a, b = self.person(0, "A"), self.person(1, "B")
        eventually(lambda: online(a, b.user) == [True], "the other node knows it")
        a.ask("room.join", room="kitchen")
        b.ask("room.join", room="kitchen")
        a.expect("room.joined")
        suspend(self.nodes[1].process)
        try:
            a.expect("presence", within=10, user=b.user, online=False)
            a.expect("room.away", within=10)
        finally:
            self.nodes[1].process.send_signal(signal.SIGCONT)
        a.expect("presence", within=10, user=b.user, online=True)
        a.expect("room.back", within=10)
        a.ask("signal", room="kitchen", data="still there?")
        self.assertEqual(b.expect("signal")["data"], "still there?")

    def test_Y04_a_client_is_welcomed_only_once_a_call_from_another_node_finds_it(self):
        """Y04.welcome"""
        a = self.person(0, "A")
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        with ThreadPoolExecutor(1) as threads:
            with self.database.locked("parley.ledger", "parley"):
                signing_in = threads.submit(Person, self.nodes[1], "B")
                eventually(lambda: self.database.ask(waiting, "parley") == "1", "the sign-in waits for its place in the order")
                with self.assertRaises(TimeoutError):
                    signing_in.result(0.5)
            b = self.enterContext(signing_in.result())
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming", call=call)


class Rooms(Nodes):
    def test_Y05_all_see_the_same_room_with_the_same_numbers(self):
        """Y05"""
        people = [self.person(n % 2, f"P{n}") for n in range(8)]
        with ThreadPoolExecutor(8) as threads:
            views = list(threads.map(lambda person: person.ask("room.join", room="kitchen"), people))
        self.assertEqual(sorted(view["number"] for view in views), list(range(1, 9)))
        with ThreadPoolExecutor(8) as threads:
            said = list(threads.map(lambda person: [
                person.ask("signal", room="kitchen", data=f"{person.name} {n}")["number"] for n in range(20)], people))
        numbers = sorted(number for mine in said for number in mine)
        self.assertEqual(numbers, list(range(9, 169)))
        for person, mine in zip(people, said):
            heard = [person.expect("signal") for _ in range(140)]
            self.assertEqual([signal["number"] for signal in heard], sorted(set(numbers) - set(mine)))
        for person in people[4:]:
            person.ask("room.leave", room="kitchen")
        # Whoever left knows it before those on another node do.
        members = lambda: {member["user"] for member in people[0].ask("room.members", room="kitchen")["members"]}
        eventually(lambda: members() == {person.user for person in people[1:4]}, "those who are left are the same on the other node")

    def test_Y05_two_in_a_room_on_two_nodes_exchange_descriptions_of_any_length(self):
        """Y05.signals"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("room.join", room="kitchen")
        view = b.ask("room.join", room="kitchen")
        offerer = view["members"][0]["member"]
        for length in (10, 3_000, 7_000, 200_000):
            offer = {"type": "offer", "sdp": "v" * length}
            b.ask("signal", room="kitchen", to=offerer, description=offer)
            heard = a.expect("signal")
            self.assertEqual((heard["from"], heard["description"]), (view["member"], offer))
            a.ask("signal", room="kitchen", to=heard["from"], description=offer | {"type": "answer"})
            self.assertEqual(b.expect("signal")["description"]["sdp"], offer["sdp"])
        b.ask("signal", room="kitchen", data="w" * 100_000)
        self.assertEqual(len(a.expect("signal")["data"]), 100_000)

    def test_Y05_a_password_set_on_one_node_is_asked_on_the_other(self):
        """Y05.access"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("room.join", room="vault", password="open sesame")
        self.assertEqual(b.error("room.join", room="vault"), "password_required")
        self.assertEqual(b.error("room.join", room="vault", password="open says me"), "wrong_password")
        b.ask("room.knock", room="vault")
        self.assertEqual(a.expect("room.knocked")["user"], b.user)
        a.ask("room.admit", room="vault", user=b.user)
        b.expect("room.admitted")
        b.ask("room.join", room="vault")
        c = self.person(1, "C")
        c.ask("room.join", room="vault", password="open sesame")

    def test_Y05_two_who_open_a_room_with_one_password_at_the_same_time_both_come_in(self):
        """Y05.access"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for number in range(20):
            key = {"room": f"opened-{number}", "password": "open sesame"}
            for person in (a, b):
                person.send("room.join", key, number=1000 + number)
            answers = [person.answer(1000 + number) for person in (a, b)]
            self.assertEqual([answer.get("access") for answer in answers], ["password"] * 2, answers)
            for person in (a, b):
                person.ask("room.leave", room=key["room"])


class Calls(Nodes):
    def connect(self, a: Person, b: Person) -> str:
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        self.assertEqual(b.expect("call.incoming")["call"], call)
        b.ask("call.ringing", call=call)
        a.expect("call.ringing", call=call)
        b.ask("call.accept", call=call)
        a.expect("call.connected", call=call)
        b.expect("call.connected", call=call)
        return call

    def test_Y06_two_on_two_nodes_ring_talk_and_hang_up(self):
        """Y06"""
        a, b = self.person(0, "A"), self.person(1, "B")
        call = self.connect(a, b)
        for n in range(20):
            a.ask("signal", call=call, candidate={"candidate": str(n)})
        self.assertEqual([b.expect("signal")["candidate"]["candidate"] for _ in range(20)], [str(n) for n in range(20)])
        b.ask("call.hangup", call=call)
        self.assertEqual(a.expect("call.ended", call=call)["outcome"], "completed")
        # The record was written once.
        self.assertEqual(a.expect("chat.entry")["number"], 1)
        self.assertEqual(self.database.ask("SELECT count(*) FROM parley.calls", "parley"), "1")

    def test_Y06_the_first_of_many_devices_on_many_nodes_wins(self):
        """Y06.devices"""
        a, b = self.person(0, "A"), self.person(1, "B")
        devices = [b, *(self.enterContext(Person(self.nodes[n % 2], token=b.token)) for n in range(5))]
        for _ in range(5):
            call = a.ask("call.invite", user=b.user, kind="video")["call"]
            for device in devices:
                device.expect("call.incoming", call=call)
            with ThreadPoolExecutor(6) as threads:
                errors = list(threads.map(lambda device: device.error("call.accept", call=call), devices))
            self.assertEqual(sorted(error or "" for error in errors), ["", *["answered_elsewhere"] * 5])
            winner = devices[errors.index(None)]
            winner.expect("call.connected", call=call)
            a.expect("call.connected", call=call)
            a.ask("call.hangup", call=call)
            for device in devices:
                device.expect("call.ended", call=call)

    def test_Y06_two_who_ring_each_other_at_once_have_one_call(self):
        """Y06.crossed"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for _ in range(10):
            with ThreadPoolExecutor(2) as threads:
                calls = list(threads.map(
                    lambda pair: pair[0].ask("call.invite", user=pair[1].user, kind="audio")["call"], ((a, b), (b, a))))
            talking = a.expect("call.connected")["call"]
            self.assertEqual(b.expect("call.connected")["call"], talking)
            self.assertIn(talking, calls)
            a.ask("call.hangup", call=talking)
            b.expect("call.ended", call=talking)

    def test_Y06_who_blocks_a_caller_is_not_rung_from_another_node(self):
        """Y06.blocked"""
        a, b = self.person(0, "A"), self.person(1, "B")
        b.ask("chat.block", user=a.user, on=True)
        eventually(lambda: a.error("call.invite", user=b.user, kind="audio") == "blocked", "the other node knows the block")

    def test_Y06_a_call_goes_on_when_the_node_of_one_dies_and_they_come_back_on_another(self):
        """Y06.death"""
        a, b = self.person(0, "A"), self.person(1, "B")
        call = self.connect(a, b)
        self.nodes[0].process.kill()
        b.expect("call.peerAway", within=10, call=call)
        with Person(self.nodes[1], token=a.token) as back:
            taken = back.ask("call.take", call=call)
            self.assertEqual((taken["phase"], taken["role"]), ("talking", "caller"))
            b.expect("call.peerBack", call=call)
            back.ask("signal", call=call, data="here again")
            self.assertEqual(b.expect("signal")["data"], "here again")
            b.ask("call.hangup", call=call)
            self.assertEqual(back.expect("call.ended", call=call)["outcome"], "completed")

    def test_Y06_who_does_not_answer_has_missed_one_call(self):
        """Y06.missed"""
        self.assertEqual(self.database.ask("SELECT count(*) FROM parley.calls", "parley"), "0")
        a, b = self.person(0, "A"), self.person(1, "B")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming", call=call)
        b.ask("call.decline", call=call)
        self.assertEqual(a.expect("call.ended", call=call)["outcome"], "declined")
        eventually(lambda: self.database.ask("SELECT count(*) FROM parley.calls", "parley") == "1", "it was written")


class Outages(Nodes):
    def test_Y07_rooms_and_calls_go_on_after_the_connection_between_nodes_was_cut(self):
        """Y07"""
        a, b = self.person(0, "A"), self.person(1, "B")
        a.ask("room.join", room="kitchen")
        b.ask("room.join", room="kitchen")
        a.expect("room.joined")
        for _ in range(3):
            self.database.ask(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%parley.%' AND state <> 'active'"
                " AND pid <> pg_backend_pid()", "postgres")
            for node in self.nodes:
                node.event("node.outside")
                node.event("node.inside")
            a.ask("signal", room="kitchen", data="hello?")
            b.expect("signal")
            b.ask("signal", room="kitchen", data="hello!")
            a.expect("signal")
        c = self.person(1, "C")
        self.assertEqual(len(c.ask("room.join", room="kitchen")["members"]), 2)

    def test_Y07_a_server_that_comes_right_behind_its_own_crash_waits_for_nobody(self):
        """Y07.crash"""
        node, other = self.nodes
        b = self.person(1, "B")
        a = self.person(0, "A")
        for person in (a, b):
            person.ask("room.join", room="study")
        b.ask("presence.watch", users=[a.user])
        node.restart()
        began = time.monotonic()
        c = self.person(0, "C")
        self.assertNotIn("error", c.ask("room.join", room="study"))
        self.assertLess(time.monotonic() - began, 3, "it did not wait until its former run was given up")
        b.expect("room.joined", user=c.user)
        self.assertFalse(b.expect("presence", user=a.user)["online"])
        other.end()
        self.nodes.remove(other)

    def test_Y07_one_server_alone_goes_on_while_its_database_is_away(self):
        """Y07.alone"""
        self.nodes[1].tell(15)
        self.nodes[1].wait()
        eventually(lambda: self.database.ask("SELECT count(*) FROM parley.nodes", "parley") == "1", "the other one has left")
        a, b = self.person(0, "A"), self.person(0, "B")
        self.database.kill()
        a.ask("room.join", room="kitchen")
        b.ask("room.join", room="kitchen")
        self.assertEqual(a.expect("room.joined")["user"], b.user)
        self.database.start()
        self.nodes[0].event("nodes.back")
        self.assertEqual(len(a.ask("room.members", room="kitchen")["members"]), 1)


def online(person: Person, *users: str) -> list[bool]:
    return [view["online"] for view in person.ask("presence.watch", users=list(users))["users"]]


if __name__ == "__main__":
    unittest.main()
