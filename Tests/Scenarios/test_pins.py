"""Messages that are kept at hand: over every door, through restarts, and gone with what they show."""

import unittest

from people import Person
from talk import Talk
from test_chat_http import Described


class Pins(Talk):
    def pins(self, person, conversation: str) -> list[int]:
        answer = person.ask("chat.pins", conversation=conversation)
        self.assertNotIn("error", answer)
        return [entry["number"] for entry in answer["entries"]]

    def test_D24_both_of_a_direct_conversation_pin_and_hear_of_it(self):
        """D24.pinned"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "one", user=b.user)["conversation"]
        for text in ("two", "three"):
            self.say(a, text, conversation=place)
        answer = b.ask("chat.pin", conversation=place, number=1, id="p-1")
        entry = a.expect("chat.entry", type="pinned")
        self.assertEqual((entry["target"], entry["number"], entry["from"]), (1, answer["number"], b.user))
        self.assertEqual(b.ask("chat.pin", conversation=place, number=1, id="p-1"), answer)
        a.ask("chat.pin", conversation=place, number=3)
        a.ask("chat.pin", conversation=place, number=2)
        self.assertEqual(self.pins(a, place), [2, 3, 1])
        self.assertEqual(b.ask("chat.pins", conversation=place, limit=1)["entries"][0]["body"], {"text": "two"})
        self.assertEqual(a.error("chat.pin", conversation=place, number=3), "conflict")
        b.ask("chat.pin", conversation=place, number=3, on=False)
        self.assertEqual(a.expect("chat.entry", type="unpinned")["target"], 3)
        self.assertEqual(self.pins(b, place), [2, 1])
        self.assertEqual(a.error("chat.pin", conversation=place, number=99), "not_found")

    def test_D24_only_who_leads_a_group_pins_and_a_newcomer_sees_what_came_since(self):
        """D24.pinned"""
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        place = self.group(a, b)
        number = self.say(b, "early", conversation=place)["number"]
        self.assertEqual(b.error("chat.pin", conversation=place, number=number), "forbidden")
        self.assertEqual(c.error("chat.pins", conversation=place), "not_member")
        a.ask("chat.pin", conversation=place, number=number)
        a.ask("chat.invite", conversation=place, users=[c.user])
        later = self.say(a, "late", conversation=place)["number"]
        a.ask("chat.pin", conversation=place, number=later)
        self.assertEqual((self.pins(b, place), self.pins(c, place)), ([later, number], [later]))

    def test_D24_what_is_taken_back_takes_its_pin_along(self):
        """D24.recalled"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "oops", user=b.user)["conversation"]
        a.ask("chat.pin", conversation=place, number=1)
        a.ask("chat.recall", conversation=place, number=1)
        self.assertEqual(self.pins(b, place), [])
        self.assertEqual(b.error("chat.pin", conversation=place, number=1), "conflict")

    def test_D24_the_limit_of_pinned_messages_of_one_conversation(self):
        """D24.limited"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "1", user=b.user)["conversation"]
        for number in range(2, 102):
            self.say(a, str(number), conversation=place)
        for number in range(1, 101):
            self.assertNotIn("error", a.ask("chat.pin", conversation=place, number=number))
        self.assertEqual(a.error("chat.pin", conversation=place, number=101), "conflict")
        a.ask("chat.pin", conversation=place, number=50, on=False)
        self.assertNotIn("error", a.ask("chat.pin", conversation=place, number=101))
        self.assertEqual(len(self.pins(b, place)), 100)


class PinsOverHTTP(Described):
    def test_D24_a_message_is_pinned_and_unpinned_over_http(self):
        """D24.http"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "hello", user=b.user)["conversation"]
        path = f"/v1/conversations/{place}/pins"
        self.assertEqual(self.http(b, "PUT", f"{path}/1").status, 200)
        self.assertEqual(a.expect("chat.entry", type="pinned")["target"], 1)
        page = self.http(a, "GET", f"{path}?limit=10").json
        self.assertEqual(self.texts(page["entries"]), ["hello"])
        self.assertEqual(self.http(b, "PUT", f"{path}/1").status, 409)
        self.assertEqual(self.http(b, "DELETE", f"{path}/1").status, 200)
        self.assertEqual(self.http(a, "GET", path).json["entries"], [])


class PinsAfterwards(unittest.TestCase):
    def test_D24_pins_survive_a_restart(self):
        """D24.restarted"""
        from test_calls import Calls

        with Calls.started_anew() as server:
            a, b = Person(server, "A"), Person(server, "B")
            place = a.ask("chat.send", user=b.user, body={"text": "hello"})["conversation"]
            a.ask("chat.pin", conversation=place, number=1)
            server.restart()
            again = Person(server, token=b.token)
            pinned = again.ask("chat.pins", conversation=place)["entries"]
            self.assertEqual([entry["number"] for entry in pinned], [1])


if __name__ == "__main__":
    unittest.main()
