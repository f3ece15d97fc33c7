"""Sessions live on several loops of one process, and clients see the same as with one."""

import os
import signal
import unittest
import unittest.mock

import postgres
import test_calls
import test_flsocketim
import test_presence
import test_recovery
import test_room_access
import test_rooms
import test_second_sign_in
from house import House
from people import VOUCHED, Person
from server import Server, eventually, of_one_process
from wire import PollingLink

LOOPS = 3


@of_one_process
class OverLoops(unittest.TestCase):
    """Every server of the class has several loops."""

    @classmethod
    def setUpClass(cls) -> None:
        patch = unittest.mock.patch.dict(os.environ, SIGNALLING_LOOPS=str(LOOPS))
        cls.enterClassContext(patch)
        super().setUpClass()


class Rooms(OverLoops, test_rooms.Rooms):
    pass


class Leases(OverLoops, test_rooms.Leases):
    pass


class ManyRooms(OverLoops, test_rooms.ManyRooms):
    pass


class Calls(OverLoops, test_calls.Calls):
    pass


class Presence(OverLoops, test_presence.Presence):
    pass


class Recovery(OverLoops, test_recovery.Recovery):
    pass


class RoomAccess(OverLoops, test_room_access.RoomAccess):
    pass


class OldApps(OverLoops, test_flsocketim.Link):
    pass


class SecondSignIn(OverLoops, test_second_sign_in.SecondSignIn):
    pass


def loop(person: Person) -> str:
    """On which loop a session lives: its id begins with the loop's name."""
    return person.opening["sid"][:6]


class Spread(OverLoops, House):
    def people(self, count: int, **options) -> list[Person]:
        return [self.person(f"P{number}", **options) for number in range(count)]

    def test_Y13_connections_are_dealt_out_and_everybody_is_there_for_everybody(self):
        """Y13.spread"""
        people = self.people(2 * LOOPS)
        self.assertEqual(len({loop(person) for person in people}), LOOPS)
        for person in people:
            self.assertEqual(person.ask("room.join", room="spread")["count"], people.index(person) + 1)
        people[0].send("signal", {"room": "spread", "data": {"sdp": "x"}})
        for person in people[1:]:
            self.assertEqual(person.expect("signal")["data"], {"sdp": "x"})
        self.assertEqual(len(people[0].ask("room.members", room="spread")["members"]), len(people) - 1)

    def test_Y13_one_of_many_devices_on_all_loops_has_the_call(self):
        """Y13.calls"""
        caller, callee = self.people(2)
        devices = [callee, *(self.device(callee) for _ in range(2 * LOOPS))]
        self.assertGreater(len({loop(device) for device in devices}), 1)
        call = caller.ask("call.invite", user=callee.user, kind="audio")["call"]
        for device in devices:
            device.expect("call.incoming", call=call)
        for device in devices:
            device.send("call.accept", {"call": call}, number=9000)
        answers = [device.answer(9000) for device in devices]
        self.assertEqual(sum("error" not in answer for answer in answers), 1, answers)

    def test_Y13_a_polling_request_finds_its_session_from_any_loop(self):
        """Y13.polling"""
        pollers = self.people(LOOPS, link=PollingLink)
        for poller in pollers:
            self.assertNotIn("error", poller.ask("room.join", room="polled"))
        for poller in pollers:
            self.assertEqual(poller.ask("room.join", room="polled")["count"], LOOPS)

    def test_Y13_a_client_that_comes_back_on_another_loop_has_missed_nothing(self):
        """Y13.back"""
        mover, other = self.people(2, recover=True)
        mover.ask("room.join", room="moved")
        other.ask("room.join", room="moved")
        loops = set()
        for number in range(2 * LOOPS):
            mover.link.socket.close()
            other.expect("room.away")
            other.send("signal", {"room": "moved", "data": number})
            mover = self.back(mover)
            self.assertTrue(mover.is_recovered)
            self.assertEqual(mover.expect("signal")["data"], number)
            other.expect("room.back")
            loops.add(loop(mover))
        self.assertGreater(len(loops), 1)

    def test_Y13_who_is_sent_away_goes_from_all_loops(self):
        """Y13.sent"""
        first = self.person("Gone")
        devices = [first, *(self.device(first) for _ in range(2 * LOOPS))]
        self.server.ask_admin("POST", f"/v1/users/{first.user}/kick")
        for device in devices:
            self.assertEqual(device.expect("session.ending")["error"]["code"], "kicked")
            device.wait_for_end()

    def test_Y13_messages_reach_who_listens_on_any_loop_once_and_in_order(self):
        """Y13.chat"""
        people = self.people(2 * LOOPS)
        for person in people:
            person.ask("chat.sync")
        place = people[0].ask("chat.create", title="All", users=[person.user for person in people[1:]])["conversation"]
        for number in range(20):
            people[number % len(people)].ask("chat.send", conversation=place, kind="text", body={"text": str(number)})
        for person in people:
            numbers = []
            while not numbers or numbers[-1] < 21:
                numbers.append(person.expect("chat.entry", conversation=place)["number"])
            self.assertEqual([number for number in numbers if number > 1], list(range(2, 22)))


class OverPostgres(unittest.TestCase):
    def test_Y13_a_server_of_several_loops_that_stops_waits_for_no_other(self):
        """Y13.stop"""
        database = self.enterContext(postgres.Postgres("fsync=off"))
        url = database.create("parley")
        server = self.enterContext(Server(*VOUCHED, "--store", url, "--loops", "2", "--signalling-loops", "2", doors=False))
        ready = "SELECT count(*) FROM parley.nodes WHERE ready"
        eventually(lambda: database.ask(ready, "parley") == "2", "both loops are inside")
        caller, callee = (self.enterContext(Person(server, name)) for name in "AB")
        call = caller.ask("call.invite", user=callee.user, kind="audio")["call"]
        callee.expect("call.incoming", call=call)
        # With long polling the end is told in a request that waits.
        for person in (caller, callee):
            person.listen(0.05)
        server.tell(signal.SIGTERM)
        for person in (caller, callee):
            person.expect("call.ended", call=call)
        self.assertEqual(server.wait(), 0)
        self.assertEqual(caller.pending + callee.pending, [], "they are not sent to another server")


if __name__ == "__main__":
    unittest.main()
