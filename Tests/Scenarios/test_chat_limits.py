import http.client
import json

from people import APP, APP_SECRET, Person
from talk import Talk


class ChatLimits(Talk):
    """Each limit of conversations, at its edge and one beyond it."""

    def test_the_limit_of_a_messages_body(self):
        """A message's body: 64 KiB, then bad_request."""
        a, b = self.listener("A"), self.listener("B")
        largest = "x" * (65_536 - len('{"text": ""}'))
        self.say(a, largest, user=b.user)
        self.assertEqual(b.expect("chat.entry")["body"]["text"], largest)
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": largest + "x"}), "bad_request")

    def make_known(self, users: list[str]) -> None:
        """Their application has asked for a token of each, as it does before they come for the first time."""
        connection = http.client.HTTPConnection(*self.server.address)
        for user in users:
            wish = {"application": APP, "secret": APP_SECRET, "user": user}
            connection.request("POST", "/v1/auth/token", json.dumps(wish), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            self.assertEqual((answer.status, bool(answer.read())), (200, True))
        connection.close()

    def test_users_named_in_one_request(self):
        """Users named in one request: 100, then bad_request."""
        a = self.listener("A")
        names = [f"user-{number}" for number in range(101)]
        self.make_known(names)
        place = self.group(a)
        self.assertEqual(a.error("chat.invite", conversation=place, users=names), "bad_request")
        self.assertNotIn("error", a.ask("chat.invite", conversation=place, users=names[:100]))
        self.assertEqual(a.error("chat.create", users=names), "bad_request")

    def test_members_of_a_conversation(self):
        """Members of a conversation: 10,000, then room_full."""
        self.make_known([f"user-{number}" for number in range(1, 10_000)] + ["one-more"])
        a = self.listener("A")
        place = self.group(a)
        for start in range(1, 10_000, 100):
            users = [f"user-{number}" for number in range(start, min(start + 100, 10_000))]
            self.assertNotIn("error", a.ask("chat.invite", conversation=place, users=users))
        self.assertEqual(a.error("chat.invite", conversation=place, users=["one-more"]), "room_full")

    def test_different_reactions_under_a_message(self):
        """Different reactions under a message: 50, of which 10 of one person, then conflict."""
        owner, *people = self.listener("owner"), *(self.listener(f"P{number}") for number in range(6))
        place = self.group(owner, *people)
        target = {"conversation": place, "number": self.say(owner, "x", conversation=place)["number"]}
        for number in range(50):
            answer = people[number // 10].ask("chat.react", target, reaction=f"r{number:02}")
            self.assertNotIn("error", answer)
        self.assertEqual(people[5].error("chat.react", target, reaction="new"), "conflict")
        self.assertEqual(people[0].error("chat.react", target, reaction="r49"), "conflict")
        self.assertNotIn("error", people[5].ask("chat.react", target, reaction="r49"))
        self.assertNotIn("error", people[0].ask("chat.react", target, reaction="r00", on=False))
        self.assertNotIn("error", people[0].ask("chat.react", target, reaction="r49"))
        entry = owner.ask("chat.history", conversation=place, after=target["number"] - 1, limit=1)["entries"][0]
        tallies = {tally["reaction"]: tally["users"] for tally in entry["reactions"]}
        self.assertEqual(sorted(tallies), [f"r{number:02}" for number in range(1, 50)])
        self.assertEqual(tallies["r49"], sorted(people[number].user for number in (0, 4, 5)))

    def test_positions_in_one_sync(self):
        """Positions in one sync: 1,000, then bad_request."""
        a = self.listener("A")
        positions = {f"c-{number}": 1 for number in range(1001)}
        self.assertEqual(a.error("chat.sync", positions=positions), "bad_request")
        positions.popitem()
        self.assertNotIn("error", a.ask("chat.sync", positions=positions))

    def test_entries_in_one_answer(self):
        """Entries in one answer: 200 of one conversation; what is left is told, and so is how much."""
        a = self.listener("A")
        place = self.group(a)
        for number in range(210):
            self.say(a, str(number), conversation=place)
        answer = a.ask("chat.history", conversation=place, limit=1000)
        self.assertEqual((len(answer["entries"]), answer["more"]), (200, True))
        view = self.person(token=a.token).ask("chat.sync", positions={place: 0}, limit=1000)["conversations"][0]
        self.assertEqual(len(view["entries"]) + view["remaining"], 211)
        self.assertGreater(view["remaining"], 0)


class LargeAnswers(Talk):
    """Somebody is in so many conversations full of the longest messages that all of them are no single answer."""

    PLACES = 80

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.reader = b = Person(cls.server, "B")
        cls.addClassCleanup(b.link.close)
        cls.places = set()
        # One begins so many at once, and those B has written to put B into any number.
        for number in range(4):
            a = Person(cls.server, f"A{number}")
            cls.addClassCleanup(a.link.close)
            assert "error" not in b.ask("chat.send", user=a.user, body={"text": "hello"})
            for _ in range(cls.PLACES // 4):
                place = a.ask("chat.create", users=[b.user])["conversation"]
                answer = a.ask("chat.send", conversation=place, body={"text": "flood " + "x" * 65_000})
                assert "error" not in answer, answer
                cls.places.add(place)

    def test_a_list_of_conversations_ends_where_one_answer_does(self):
        """A list of conversations: about 1 MiB, then next."""
        seen, before = [], {}
        while True:
            page = self.reader.ask("chat.conversations", {"limit": 200} | before)
            seen += [view["conversation"] for view in page["conversations"]]
            if "next" not in page:
                break
            before = {"before": page["next"]}
        self.assertEqual((len(seen), set(seen) >= self.places), (self.PLACES + 4, True))

    def test_a_search_ends_where_one_answer_does(self):
        """What was found: about 1 MiB, then more."""
        page = self.reader.ask("chat.search", text="flood", limit=200)
        self.assertTrue(page["more"])
        self.assertGreater(len(page["entries"]), 10)

    def test_bytes_in_one_answer(self):
        """Bytes in one answer: about 1 MiB, then more."""
        person, positions, answers = self.person(token=self.reader.token, device="new"), {}, 0
        while True:
            page = person.ask("chat.sync", positions=positions)
            answers += 1
            for view in page["conversations"]:
                for entry in view["entries"]:
                    self.assertEqual(entry["number"], positions.get(view["conversation"], 0) + 1)
                    positions[view["conversation"]] = entry["number"]
            if not page["more"]:
                break
        self.assertGreater(answers, 1)
        self.assertEqual({place: positions[place] for place in self.places}, dict.fromkeys(self.places, 2))
