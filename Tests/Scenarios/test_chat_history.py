"""What was said before: lists, marks, pages and search."""

import time
import unittest

from people import Person
from talk import Talk
from wire import ask_http


class History(Talk):
    def test_E01_E02_E03_the_list_and_what_is_unread(self):
        """E02.count E03.opened"""
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        first = self.say(a, "one", user=b.user)["conversation"]
        second = self.say(c, "two", user=b.user)["conversation"]
        for number in range(99):
            latest = self.say(a, str(number), user=b.user)
        tablet = self.device(b)
        views = b.ask("chat.conversations")["conversations"]
        self.assertEqual([(v["conversation"], v["unread"]) for v in views], [(first, 100), (second, 1)])
        self.assertEqual((views[0]["latest"]["body"], views[0]["latest"]["time"]), ({"text": "98"}, latest["time"]))
        self.assertEqual(b.ask("chat.read", conversation=first, number=views[0]["last"]), {
            "delivered": 100, "read": 100, "unread": 0, "badge": 1})
        self.assertEqual(tablet.expect("chat.receipt", user=b.user)["unread"], 0)
        self.assertEqual(sum(v["unread"] for v in tablet.ask("chat.conversations")["conversations"]), 1)

    def test_E06_history_by_pages_of_ten(self):
        a, b = self.listener("A"), self.listener("B")
        for number in range(1, 26):
            place = self.say(a, str(number), user=b.user)["conversation"]
        sizes, before = [], {}
        while True:
            page = b.ask("chat.history", {"conversation": place, "limit": 10} | before)
            sizes.append(len(page["entries"]))
            if not page["more"]:
                break
            before = {"before": page["entries"][0]["number"]}
        self.assertEqual(sizes, [10, 10, 5])
        after = b.ask("chat.history", conversation=place, after=20)
        self.assertEqual(self.texts(after["entries"]), ["21", "22", "23", "24", "25"])

    def test_E07_E08_a_new_device_gets_the_latest_thirty_and_pages_back_to_the_first_by_twenty(self):
        """E07.latest E07.older"""
        a, b = self.listener("A"), self.listener("B")
        for number in range(1, 76):
            place = self.say(a, str(number), user=b.user)["conversation"]
        b.ask("chat.read", conversation=place, number=75)
        tablet = self.person(token=b.token, device="tablet")
        view = tablet.ask("chat.sync", newest=30)["conversations"][0]
        self.assertEqual([e["number"] for e in view["entries"]], list(range(46, 76)))
        sizes, entries = [], view["entries"]
        while entries[0]["number"] > 1:
            page = tablet.ask("chat.history", conversation=place, before=entries[0]["number"])
            sizes.append(len(page["entries"]))
            entries = page["entries"] + entries
        self.assertEqual((sizes, page["more"]), ([20, 20, 5], False))
        self.assertEqual(self.texts(entries), [str(n) for n in range(1, 76)])

    def test_E09_what_was_said_while_away_is_there_at_the_next_connect(self):
        a = self.listener("A")
        b = self.listener("B")
        b.link.close()
        for number in range(50):
            self.say(a, str(number), user=b.user)
        again = self.person(token=b.token)
        view = again.ask("chat.sync")["conversations"][0]
        self.assertEqual(self.texts(view["entries"]), [str(n) for n in range(50)])
        self.assertEqual(view["remaining"], 0)
        self.assertEqual(again.heard("chat.entry"), [])
        few = self.person(token=b.token).ask("chat.sync", limit=10)["conversations"][0]
        self.assertEqual((len(few["entries"]), few["remaining"]), (10, 40))

    def test_nothing_falls_between_what_was_missed_and_what_comes_live(self):
        a, b = self.listener("A"), self.person("B")
        place = self.say(a, "0", user=b.user)["conversation"]
        positions: dict[str, int] = {}
        seen: list[int] = []
        for turn in range(30):
            for number in range(5):
                a.send("chat.send", {"conversation": place, "body": {"text": f"{turn}.{number}"}})
            if turn % 3 == 0:
                b.link.cut()
                b = self.person(token=b.token)
                answer = b.ask("chat.sync", positions={place: seen[-1]} if seen else {})
                seen += [e["number"] for view in answer["conversations"] for e in view["entries"]]
            seen += [e["number"] for e in self.take(b)]
            self.assertEqual(seen, list(range(1, len(seen) + 1)))
        # A list is read beside the writer, so its answer says nothing about what is still on its way.
        last = b.expect("chat.entry", number=151)
        seen += [e["number"] for e in self.take(b)] + [last["number"]]
        self.assertEqual(seen, list(range(1, 152)))

    def take(self, person: Person) -> list[dict]:
        entries = [arguments[0] for name, *arguments in person.pending if name == "chat.entry"]
        person.pending = [event for event in person.pending if event[0] != "chat.entry"]
        return entries

    def test_E12_the_newest_25_then_what_is_added_live(self):
        a, b = self.listener("A"), self.person("B")
        for number in range(100):
            place = self.say(a, f"{number}", user=b.user)["conversation"]
        b.ask("chat.delivered", conversation=place, number=100)
        (piece,) = b.ask("chat.sync", newest=25)["conversations"]
        self.assertEqual([e["number"] for e in piece["entries"]], list(range(76, 101)))
        self.assertEqual((piece["remaining"], piece["last"]), (0, 100))
        for number in range(100, 103):
            self.say(a, f"{number}", conversation=place)
        self.assertEqual([e["number"] for e in b.heard("chat.entry")], [101, 102, 103])
        near = b.ask("chat.sync", newest=25, positions={place: 101})["conversations"][0]
        self.assertEqual([e["number"] for e in near["entries"]], [102, 103])
        far = b.ask("chat.sync", newest=25, positions={place: 7})["conversations"][0]
        self.assertEqual([e["number"] for e in far["entries"]], list(range(79, 104)))
        self.assertEqual(b.error("chat.sync", newest="all"), "bad_request")

    def test_D20_E04_the_badge_is_the_sum_of_what_is_unread(self):
        a, b = self.listener("A"), self.listener("B")
        phone = self.device(b, device="phone")
        team = self.group(a, b)
        place = self.say(a, "one", user=b.user)["conversation"]
        for number in range(3):
            last = self.say(a, f"{number}", conversation=team)["number"]
        listed = b.ask("chat.conversations")
        self.assertEqual(listed["badge"], 4)
        self.assertEqual({v["conversation"]: v["unread"] for v in listed["conversations"]}, {place: 1, team: 3})
        marked = b.ask("chat.read", conversation=team, number=last - 1)
        self.assertEqual((marked["unread"], marked["badge"]), (1, 2))
        receipt = phone.expect("chat.receipt", user=b.user, conversation=team)
        self.assertEqual((receipt["unread"], receipt["badge"]), (1, 2))
        self.assertNotIn("badge", a.expect("chat.receipt", user=b.user, conversation=team))
        a.ask("chat.recall", conversation=team, number=last)
        self.assertEqual(phone.ask("chat.sync")["badge"], 1)
        self.say(b, "reading this", conversation=place)
        self.assertEqual(phone.ask("chat.conversations")["badge"], 0)

    def test_E10_the_sender_learns_that_it_was_read_and_still_knows_later(self):
        a, b = self.listener("A"), self.listener("B")
        answer = self.say(a, "hi", user=b.user)
        place = {"conversation": answer["conversation"], "number": 1}
        b.ask("chat.delivered", place)
        self.assertEqual(a.expect("chat.receipt")["read"], 0)
        b.ask("chat.read", place)
        receipt = a.expect("chat.receipt")
        self.assertEqual((receipt["user"], receipt["read"]), (b.user, 1))
        self.assertGreater(receipt["time"], 0)
        b.ask("chat.read", place)
        self.assertEqual(a.heard("chat.receipt"), [])
        peer = self.device(a).ask("chat.conversation", conversation=answer["conversation"])["peer"]
        self.assertEqual(peer, {"user": b.user, "name": "B", "delivered": 1, "read": 1})

    def test_E18_how_far_each_device_has_read_is_told_to_its_user_alone(self):
        """E18.devices E18.own"""
        a, phone = self.listener("A"), self.listener("B", device="phone")
        tablet = self.device(phone, device="tablet")
        for text in ("one", "two", "three"):
            place = self.say(a, text, user=phone.user)["conversation"]
        here = {"conversation": place}
        self.assertEqual(phone.ask("chat.marks", here), {"delivered": 0, "read": 0, "devices": []})
        phone.ask("chat.read", here, number=2)
        tablet.ask("chat.delivered", here, number=3)
        tablet.ask("chat.read", here, number=1)
        for device in (phone, tablet):
            answer = device.ask("chat.marks", here)
            self.assertEqual((answer["delivered"], answer["read"]), (3, 2), "the furthest of all")
            self.assertTrue(all(abs(mark.pop("time") / 1000 - time.time()) < 20 for mark in answer["devices"]))
            self.assertEqual(answer["devices"], [
                {"device": "tablet", "delivered": 3, "read": 1}, {"device": "phone", "delivered": 2, "read": 2}])
        # Back on the first one, later and further.
        phone.ask("chat.read", here, number=3)
        self.assertEqual([m["device"] for m in tablet.ask("chat.marks", here)["devices"]], ["phone", "tablet"])
        # The others see the user, and of devices their own.
        member = next(m for m in a.ask("chat.members", here)["members"] if m["user"] == phone.user)
        self.assertEqual(set(member), {"user", "role", "name", "delivered", "read"})
        self.assertEqual({m["device"] for m in a.ask("chat.marks", here)["devices"]} & {"phone", "tablet"}, set())
        self.assertTrue(all("device" not in receipt for receipt in a.heard("chat.receipt")))
        self.assertEqual(self.listener("C").error("chat.marks", here), "not_member")
        over_http = ask_http(
            self.server, "GET", f"/v1/conversations/{place}/marks", headers={"Authorization": f"Bearer {tablet.token}"})
        self.assertEqual((over_http.status, over_http.json["read"], len(over_http.json["devices"])), (200, 3, 2))

    def test_E14_history_is_cleared_for_one_and_stays_for_the_other(self):
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "hi", user=b.user)["conversation"]
        self.assertEqual(b.ask("chat.clear", conversation=place), {})
        for device in (b, self.device(b)):
            self.assertEqual(device.ask("chat.conversations")["conversations"], [])
            self.assertEqual(self.everything(device, place), [])
        self.assertEqual(self.texts(self.everything(a, place)), ["hi"])

    def test_E15_a_muted_conversation_is_still_delivered(self):
        """E15.delivered"""
        a, b = self.listener("A"), self.listener("B")
        place = self.say(a, "hi", user=b.user)["conversation"]
        b.ask("chat.mute", conversation=place)
        self.assertTrue(b.ask("chat.conversation", conversation=place)["muted"])
        self.say(a, "still there", conversation=place)
        b.expect("chat.entry", number=2)

    def test_E16_a_conversation_is_archived_on_all_devices_until_the_next_message(self):
        """E16.devices"""
        a, b = self.listener("A"), self.listener("B")
        tablet = self.device(b)
        place = self.say(a, "hi", user=b.user)["conversation"]
        for device in (b, tablet):
            device.expect("chat.entry", number=1)
        self.assertEqual(b.ask("chat.archive", conversation=place), {})
        for device in (b, tablet):
            self.assertEqual(device.expect("chat.arranged"), {"conversation": place, "archived": True})
            self.assertTrue(device.ask("chat.conversation", conversation=place)["archived"])
        self.assertNotIn("archived", a.ask("chat.conversation", conversation=place))
        b.ask("chat.mute", conversation=place)
        self.assertEqual(tablet.expect("chat.arranged", muted=True)["conversation"], place)
        self.assertEqual(b.error("chat.archive", conversation="elsewhere"), "not_member")
        self.say(a, "again", conversation=place)
        tablet.expect("chat.entry", number=2)
        self.assertNotIn("archived", tablet.ask("chat.conversation", conversation=place))
        self.assertEqual(a.heard("chat.arranged"), [], "the others do not hear of it")

    def test_what_was_said_is_found_in_chinese_too(self):
        """D25.scripts What was said is found in Chinese too, by those who are in the conversation."""
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        place = self.say(a, "明天下午三点开会", user=b.user)["conversation"]
        self.say(a, "meeting tomorrow", user=b.user)
        self.assertEqual(self.texts(b.ask("chat.search", text="开会")["entries"]), ["明天下午三点开会"])
        self.assertEqual(self.texts(b.ask("chat.search", text="MEET", conversation=place)["entries"]), [
            "meeting tomorrow"])
        self.assertEqual(c.ask("chat.search", text="开会")["entries"], [])

    def test_E08_F01_history_and_membership_survive_a_restart(self):
        from test_calls import Calls

        with Calls.started_anew() as server:
            a, b = Person(server, "A"), Person(server, "B")
            place = self.group(a, b, title="Team")
            self.say(a, "before", conversation=place, id="m-1")
            tokens = a.token, b.token
            server.restart()
            a, b = (Person(server, token=token) for token in tokens)
            self.assertEqual(self.texts(self.everything(b, place)), ["before"])
            self.assertEqual(self.say(a, "before", conversation=place, id="m-1")["number"], 2)
            self.assertEqual(self.say(a, "after", conversation=place, id="m-2")["number"], 3)


if __name__ == "__main__":
    unittest.main()
