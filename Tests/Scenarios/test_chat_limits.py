from test_chat import Talk


class ChatLimits(Talk):
    """Each limit of conversations, at its edge and one beyond it."""

    def test_a_messages_body(self):
        """A message's body: 64 KiB, then bad_request."""
        a, b = self.listener("A"), self.listener("B")
        largest = "x" * (65_536 - len('{"text": ""}'))
        self.say(a, largest, user=b.user)
        self.assertEqual(b.expect("chat.entry")["body"]["text"], largest)
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": largest + "x"}), "bad_request")

    def test_users_named_in_one_request(self):
        """Users named in one request: 100, then bad_request."""
        a = self.listener("A")
        names = [f"user-{number}" for number in range(101)]
        place = self.group(a)
        self.assertEqual(a.error("chat.invite", conversation=place, users=names), "bad_request")
        self.assertNotIn("error", a.ask("chat.invite", conversation=place, users=names[:100]))
        self.assertEqual(a.error("chat.create", users=names), "bad_request")

    def test_members_of_a_conversation(self):
        """Members of a conversation: 10,000, then room_full."""
        a = self.listener("A")
        place = self.group(a)
        for start in range(1, 10_000, 100):
            users = [f"user-{number}" for number in range(start, min(start + 100, 10_000))]
            self.assertNotIn("error", a.ask("chat.invite", conversation=place, users=users))
        self.assertEqual(a.error("chat.invite", conversation=place, users=["one-more"]), "room_full")

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
