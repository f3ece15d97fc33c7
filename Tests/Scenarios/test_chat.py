import time
import unittest

from house import House
from people import Person, sign_in
from wire import ask_http, need_websockets


class Talk(House):
    """What chats have in common."""

    def listener(self, name: str = "", **options) -> Person:
        person = self.person(name, **options)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def device(self, of: Person, **options) -> Person:
        person = super().device(of, **options)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def say(self, person: Person, text: str, **fields) -> dict:
        answer = person.ask("chat.send", {"body": {"text": text}} | fields)
        self.assertNotIn("error", answer)
        return answer

    def texts(self, entries: list[dict]) -> list[str]:
        return [entry["body"]["text"] for entry in entries if entry["type"] == "message"]

    def everything(self, person: Person, conversation: str, page: int = 10) -> list[dict]:
        entries, before = [], None
        while True:
            answer = person.ask("chat.history", {"conversation": conversation, "limit": page} | (
                {"before": before} if before else {}))
            entries = answer["entries"] + entries
            if not answer["more"]:
                return entries
            before = entries[0]["number"]

    def group(self, owner: Person, *others: Person, **fields) -> str:
        answer = owner.ask("chat.create", {"users": [other.user for other in others]} | fields)
        self.assertNotIn("error", answer)
        return answer["conversation"]


class Messages(Talk):
    def test_D01_D02_a_text_reaches_its_addressee_and_nobody_else(self):
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        began = time.monotonic()
        answer = self.say(a, "你好 👋", user=b.user, id="m-1")
        entry = b.expect("chat.entry")
        self.assertLess(time.monotonic() - began, 0.2)
        self.assertEqual(
            {name: entry[name] for name in ("conversation", "number", "id", "time")}, answer)
        self.assertEqual((entry["from"], entry["body"], entry["kind"], entry["client"]), (
            a.user, {"text": "你好 👋"}, "text", "m-1"))
        self.assertLess(abs(entry["time"] / 1000 - time.time()), 5)
        stored = b.ask("chat.history", conversation=answer["conversation"])["entries"]
        self.assertEqual(stored, [entry])
        self.assertEqual(c.heard("chat.entry"), [])
        self.assertEqual(c.error("chat.history", conversation=answer["conversation"]), "not_member")

    def test_D04_D19_a_message_that_is_sent_again_is_there_once(self):
        """D19.stored"""
        a, b = self.listener("A"), self.listener("B")
        answers = [self.say(a, "once", user=b.user, id="m-1") for _ in range(3)]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        self.assertEqual(len(b.heard("chat.entry")), 1)
        again = self.device(a)
        self.assertEqual(self.say(again, "once", user=b.user, id="m-1"), answers[0])
        self.assertEqual(self.texts(self.everything(b, answers[0]["conversation"])), ["once"])

    def test_D13_a_message_to_oneself_is_there_once(self):
        a = self.listener("A")
        tablet = self.device(a)
        answer = self.say(a, "note", user=a.user)
        self.assertEqual([e["body"]["text"] for e in a.heard("chat.entry")], ["note"])
        self.assertEqual([e["body"]["text"] for e in tablet.heard("chat.entry")], ["note"])
        self.assertEqual(a.ask("chat.conversation", conversation=answer["conversation"])["unread"], 0)

    def test_D14_D15_D16_every_kind_is_kept_as_it_came(self):
        """D15.kept D16.carried"""
        a, b = self.listener("A"), self.listener("B")
        bodies = {
            "location": {"latitude": 30.25, "longitude": 120.2, "name": "西湖", "detail": "杭州"},
            "mixed": {"parts": [{"text": "see"}, {"image": "x"}]},
            "card": {"title": "Booked", "link": "/orders/1"},
            "My:Type": {"anything": [1, None, {"deep": True}]},
            "999": {"from": "the future"},
        }
        for kind, body in bodies.items():
            a.ask("chat.send", user=b.user, kind=kind, body=body)
            entry = b.expect("chat.entry")
            self.assertEqual((entry["kind"], entry["body"]), (kind, body))
        stored = self.everything(b, entry["conversation"])
        self.assertEqual({e["kind"]: e["body"] for e in stored}, bodies)

    def test_D17_a_message_that_is_taken_back_is_gone_everywhere(self):
        a, b = self.listener("A"), self.listener("B")
        answer = self.say(a, "oops", user=b.user)
        place = {"conversation": answer["conversation"], "number": answer["number"]}
        self.assertEqual(b.error("chat.recall", place), "forbidden")
        a.ask("chat.recall", place)
        self.assertEqual(b.expect("chat.entry", type="recalled")["target"], answer["number"])
        message, recall = b.ask("chat.history", conversation=answer["conversation"])["entries"]
        self.assertNotIn("body", message)
        self.assertTrue(message["recalled"])
        self.assertEqual(recall["type"], "recalled")
        self.assertEqual(a.error("chat.recall", place), "conflict")
        self.assertEqual(b.ask("chat.conversation", conversation=answer["conversation"])["unread"], 0)

    def test_a_message_is_changed_answered_and_signed_in_one_sequence(self):
        a, b = self.listener("A"), self.listener("B")
        answer = self.say(a, "helo", user=b.user)
        place = {"conversation": answer["conversation"], "number": 1}
        self.assertEqual(b.error("chat.edit", place, body={"text": "x"}), "forbidden")
        self.assertEqual(a.ask("chat.edit", place, body={"text": "hello"})["number"], 2)
        self.assertEqual(b.ask("chat.react", place, reaction="👍")["number"], 3)
        self.assertEqual(self.say(b, "hi", conversation=answer["conversation"], reply=1)["number"], 4)
        heard = [(e["number"], e["type"]) for e in b.heard("chat.entry")]
        self.assertEqual(heard, [(1, "message"), (2, "edited"), (3, "reacted"), (4, "message")])
        first = b.ask("chat.history", conversation=answer["conversation"])["entries"][0]
        self.assertEqual((first["body"], first["reactions"]), (
            {"text": "hello"}, [{"reaction": "👍", "users": [b.user]}]))
        self.assertEqual(b.error("chat.send", place, body={"text": "x"}, reply=99), "not_found")

    def test_D18_a_message_is_forwarded_as_a_new_one(self):
        """D18.forward"""
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        first = self.say(a, "look", user=b.user)
        source = {"conversation": first["conversation"], "number": 1}
        b.ask("chat.send", user=c.user, forward=source)
        entry = c.expect("chat.entry")
        self.assertEqual((entry["body"], entry["from"], entry["forwarded"]), ({"text": "look"}, b.user, True))
        self.assertNotEqual(entry["id"], first["id"])
        self.assertEqual(c.error("chat.send", user=a.user, forward=source), "not_member")

    def test_D23_who_is_blocked_does_not_get_through(self):
        a, b = self.listener("A"), self.listener("B")
        b.ask("chat.block", user=a.user)
        self.assertEqual(b.ask("chat.blocked"), {"users": [a.user]})
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": "psst"}), "blocked")
        self.assertEqual(b.heard("chat.entry"), [])
        b.ask("chat.block", user=a.user, on=False)
        self.say(a, "thanks", user=b.user)
        b.expect("chat.entry")

    def test_D23_who_is_blocked_does_not_come_in_by_another_way(self):
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        b.ask("chat.block", user=a.user)
        tablet = self.device(b)
        self.assertEqual(a.error("chat.create", users=[b.user]), "blocked")
        place = self.group(a, b, c)
        self.say(a, "psst", conversation=place)
        self.assertEqual(c.expect("chat.entry", type="message")["body"], {"text": "psst"})
        self.assertEqual(a.error("chat.invite", conversation=place, users=[b.user]), "blocked")
        self.assertEqual(a.error("call.invite", user=b.user, kind="audio"), "blocked")
        for device in (b, tablet):
            self.assertEqual(device.heard("chat.entry") + device.heard("call.incoming"), [])
        self.assertEqual(b.ask("chat.conversations")["conversations"], [])
        self.assertNotIn("error", b.ask("call.invite", user=a.user, kind="audio"))
        a.expect("call.incoming")
        b.ask("chat.block", user=a.user, on=False)
        self.assertNotIn("error", a.ask("chat.invite", conversation=place, users=[b.user]))
        self.assertNotIn("error", self.person(token=a.token).ask("call.invite", user=b.user, kind="audio"))

    def test_what_is_no_message_is_refused_by_name(self):
        a, b = self.listener("A"), self.listener("B")
        for fields, code in (
            ({"body": {"text": "x"}}, "bad_request"),
            ({"user": b.user}, "bad_request"),
            ({"user": b.user, "body": "text"}, "bad_request"),
            ({"user": b.user, "body": {"text": ""}}, "bad_request"),
            ({"user": b.user, "body": {"text": "x" * 70_000}}, "bad_request"),
            ({"user": b.user, "kind": "no kind", "body": {}}, "bad_request"),
            ({"user": b.user, "body": {"text": "x"}, "id": "no id"}, "bad_request"),
            ({"conversation": "nowhere", "body": {"text": "x"}}, "not_found"),
            ({"user": b.user, "body": {"text": "x"}, "mentions": ["nobody"]}, "not_member"),
        ):
            self.assertEqual(a.error("chat.send", fields), code, fields)
        self.assertEqual(a.error("chat.shout"), "unknown_event")
        self.assertEqual(b.heard("chat.entry"), [])
        self.assertEqual(b.ask("chat.conversations"), {"conversations": [], "badge": 0})

    def test_as_large_as_it_may_be(self):
        a, b = self.listener("A"), self.listener("B")
        text = "长" * 21_000
        self.say(a, text, user=b.user)
        self.assertEqual(b.expect("chat.entry")["body"]["text"], text)

    def test_too_many_at_once_are_told_when_to_try_again(self):
        need_websockets("by polling, so many take longer than the limit needs to fill up again")
        a, b = self.listener("A"), self.person("B")
        errors = []
        for number in range(450):
            a.send("chat.send", {"user": b.user, "body": {"text": "x"}}, number=1000 + number)
        for number in range(450):
            answer = a.answer(1000 + number)
            errors += [answer["error"]] if "error" in answer else []
        self.assertTrue(errors)
        self.assertEqual({error["code"] for error in errors}, {"rate_limited"})
        self.assertTrue(all(error["retryAfter"] > 0 for error in errors))


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


class Groups(Talk):
    def test_F01_F02_F03_a_group_from_its_beginning_to_its_end(self):
        people = [self.listener(name) for name in "ABCDE"]
        a, b, c, d, e = people
        place = self.group(a, b, c, d, title="Team")
        for person in people[:4]:
            created = person.expect("chat.entry", type="created")
            self.assertEqual((created["number"], created["body"]["title"]), (1, "Team"))
        self.assertEqual(e.error("chat.join", conversation=place), "forbidden")
        b.ask("chat.invite", conversation=place, users=[e.user])
        self.assertEqual(e.expect("chat.entry", type="joined")["body"], {"users": [e.user]})
        c.ask("chat.leave", conversation=place)
        c.expect("chat.entry", type="left")
        self.say(b, "all", conversation=place)
        for person in (a, b, d, e):
            self.assertEqual([m["body"]["text"] for m in person.heard("chat.entry", type="message")], ["all"])
        self.assertEqual(c.heard("chat.entry", type="message"), [])
        again = self.device(d)
        self.say(a, "hello again", conversation=place)
        again.expect("chat.entry", type="message")

    def test_F04_newcomers_see_a_group_from_their_coming_on(self):
        """F04.history F04.unread"""
        a, b = self.listener("A"), self.listener("B")
        place = self.group(a)
        self.say(a, "before", conversation=place)
        a.ask("chat.invite", conversation=place, users=[b.user])
        self.say(a, "after", conversation=place)
        self.assertEqual([x["type"] for x in self.everything(b, place)], ["joined", "message"])
        self.assertEqual(b.ask("chat.conversation", conversation=place)["unread"], 1)

    def test_F05_F07_an_open_room_takes_in_whoever_comes(self):
        a, b = self.listener("A"), self.listener("B")
        a.ask("chat.create", kind="room", conversation="lobby", title="Lobby")
        self.say(a, "anybody?", conversation="lobby")
        self.assertEqual(b.error("chat.send", conversation="lobby", body={"text": "x"}), "not_member")
        b.ask("chat.join", conversation="lobby")
        self.assertEqual(self.texts(self.everything(b, "lobby")), ["anybody?"])
        self.say(b, "me", conversation="lobby")
        self.assertEqual(a.expect("chat.entry", type="message", **{"from": b.user})["body"], {"text": "me"})
        self.assertEqual(b.error("chat.create", kind="room", conversation="lobby"), "conflict")
        b.ask("chat.leave", conversation="lobby")
        self.assertEqual(b.error("chat.history", conversation="lobby"), "not_member")

    def test_F05_people_without_a_name_meet_in_one_room_for_all_of_the_site(self):
        """F05.anonymous F05.everybody"""
        people = [self.listener(token=sign_in(self.server)["accessToken"]) for _ in range(3)]
        self.assertEqual([person.name for person in people], [person.user for person in people])
        codes = [person.error("chat.create", kind="room", conversation="everybody") for person in people]
        self.assertEqual(codes, [None, "conflict", "conflict"], "whoever comes first opens it, and all others find it")
        for person in people[1:]:
            person.ask("chat.join", conversation="everybody")
        for person in people:
            self.say(person, f"from {person.user}", conversation="everybody")
        words = [f"from {person.user}" for person in people]
        late = self.listener(token=sign_in(self.server)["accessToken"])
        late.ask("chat.join", conversation="everybody")
        for person in people:
            self.assertEqual([e["body"]["text"] for e in person.heard("chat.entry", type="message")], words)
            self.assertEqual([e["from"] for e in person.heard("chat.entry", type="message")], [p.user for p in people])
        self.assertEqual(self.texts(self.everything(late, "everybody")), words)

    def test_F06_whoever_is_mentioned_in_a_group_is_told(self):
        """F06.mentions"""
        a, b = self.listener("A"), self.listener("B")
        place = self.group(a, b)
        self.say(a, "look", conversation=place, mentions=[b.user])
        self.assertEqual(b.expect("chat.entry", type="message")["mentions"], [b.user])

    def test_F06_every_member_is_given_notice_of_what_happens_to_a_group(self):
        """F06.notices"""
        a, b, c, d = (self.listener(name) for name in "ABCD")
        place = {"conversation": self.group(a, b, c, title="Team")}
        a.ask("chat.invite", place, users=[d.user])
        a.ask("chat.rename", place, title="New")
        a.ask("chat.role", place, user=b.user, role="admin")
        b.ask("chat.silence", place, user=c.user, until=int(time.time() * 1000) + 60_000)
        b.ask("chat.remove", place, user=c.user)
        d.ask("chat.leave", place)
        a.ask("chat.dissolve", place)
        told = [(e["type"], e["from"]) for e in b.heard("chat.entry", **place)]
        self.assertEqual(told, [
            ("created", a.user), ("joined", a.user), ("renamed", a.user), ("role", a.user), ("silenced", b.user),
            ("removed", b.user), ("left", d.user), ("dissolved", a.user)])
        self.assertEqual([e["type"] for e in c.heard("chat.entry", **place)][-1], "removed")
        self.assertEqual([e["type"] for e in d.heard("chat.entry", **place)][0], "joined")

    def test_roles_and_what_they_may(self):
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        place = {"conversation": self.group(a, b, c)}
        c.expect("chat.entry", type="created")
        self.assertEqual(b.error("chat.remove", place, user=c.user), "forbidden")
        a.ask("chat.role", place, user=b.user, role="admin")
        b.ask("chat.silence", place, user=c.user, until=int(time.time() * 1000) + 60_000)
        self.assertEqual(c.error("chat.send", place, body={"text": "x"}), "silenced")
        b.ask("chat.rename", place, title="New")
        self.assertEqual(a.ask("chat.conversation", place)["title"], "New")
        members = {m["user"]: m["role"] for m in a.ask("chat.members", place)["members"]}
        self.assertEqual(members, {a.user: "owner", b.user: "admin", c.user: "member"})
        b.ask("chat.remove", place, user=c.user)
        c.expect("chat.entry", type="removed")
        self.assertEqual(c.error("chat.members", place), "not_member")
        self.assertEqual(b.error("chat.dissolve", place), "forbidden")
        a.ask("chat.dissolve", place)
        self.assertEqual(a.error("chat.send", place, body={"text": "x"}), "conflict")


class Typing(Talk):
    def test_G01_G02_typing_is_seen_by_the_others_and_clears_itself(self):
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        tablet = self.device(a)
        place = {"conversation": self.group(a, b, c)}
        for person in (b, c):
            person.expect("chat.entry", type="created")
        began = time.monotonic()
        a.ask("chat.typing", place)
        self.assertEqual(b.expect("chat.typing"), place | {"user": a.user, "on": True})
        self.assertLess(time.monotonic() - began, 0.2)
        c.ask("chat.typing", place)
        b.expect("chat.typing", user=c.user, on=True)
        for device in (a, tablet):
            self.assertEqual([t["user"] for t in device.heard("chat.typing")], [c.user], "never to oneself")
        self.say(a, "done", **place)
        b.expect("chat.typing", user=a.user, on=False)
        a.ask("chat.typing", place)
        b.expect("chat.typing", user=a.user, on=True)
        a.ask("chat.typing", place, on=False)
        b.expect("chat.typing", user=a.user, on=False)
        c.link.cut()
        b.expect("chat.typing", user=c.user, on=False)
        a.ask("chat.typing", place)
        b.expect("chat.typing", user=a.user, on=False, within=8)

    def test_nobody_types_where_they_are_not(self):
        a, b = self.listener("A"), self.listener("B")
        self.assertEqual(b.error("chat.typing", conversation=self.group(a)), "not_member")


class Pace(Talk):
    def test_E17_who_reads_fast_is_told_of_slowly_and_the_last_word_is_right(self):
        """E17.last"""
        a, b = self.listener("A"), self.listener("B")
        tablet = self.device(b)
        sent = [self.say(a, f"{n}", user=b.user) for n in range(40)]
        place, last = sent[0]["conversation"], sent[-1]["number"]
        for answer in sent:
            b.ask("chat.read", conversation=place, number=answer["number"])
        self.assertEqual(tablet.expect("chat.receipt", read=last)["unread"], 0, "one's own devices hear at once")
        self.assertEqual(a.expect("chat.receipt", read=last)["user"], b.user)
        told = [receipt["read"] for receipt in a.heard("chat.receipt", user=b.user)]
        self.assertLess(len(told), 10)


if __name__ == "__main__":
    unittest.main()
