import time
import unittest

from people import sign_in
from server import quick
from talk import Talk
from wire import need_websockets


class Messages(Talk):
    def test_D01_D02_a_text_reaches_its_addressee_and_nobody_else(self):
        a, b, c = self.listener("A"), self.listener("B"), self.listener("C")
        answer = self.say(a, "你好 👋", user=b.user, id="m-1")
        entry = b.expect("chat.entry")
        self.assertEqual(
            {name: entry[name] for name in ("conversation", "number", "id", "time")}, answer)
        self.assertEqual((entry["from"], entry["body"], entry["kind"], entry["client"]), (
            a.user, {"text": "你好 👋"}, "text", "m-1"))
        self.assertLess(abs(entry["time"] / 1000 - time.time()), 5)
        stored = b.ask("chat.history", conversation=answer["conversation"])["entries"]
        self.assertEqual(stored, [entry])
        self.assertEqual(c.heard("chat.entry"), [])
        self.assertEqual(c.error("chat.history", conversation=answer["conversation"]), "not_member")

        def again() -> None:
            self.say(a, "again", user=b.user)
            b.expect("chat.entry")

        quick(again, within=0.2)

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
        c.expect("chat.entry", type="removed", **place)
        self.assertEqual([e["type"] for e in c.heard("chat.entry", **place)], ["created", "joined", "renamed", "role", "silenced"])
        self.assertEqual(d.expect("chat.entry", **place)["type"], "joined")

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

        def types() -> None:
            for is_on in (True, False):
                a.ask("chat.typing", place, on=is_on)
                for person in (b, c):
                    self.assertEqual(person.expect("chat.typing"), place | {"user": a.user, "on": is_on})

        quick(types, within=0.2)
        a.ask("chat.typing", place)
        b.expect("chat.typing", user=a.user, on=True)
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
