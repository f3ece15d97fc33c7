"""What programs that call RongCloud's Server API take back, forbid and look up, and what people see of it."""

import json
import time
import unittest

from people import Person, Refused
from server import eventually
from test_rongcloud import Door


class Recalls(Door):
    def recall(self, sender: str, kind: int, target: str, uid: str, **more) -> dict:
        return self.call("message/recall", fromUserId=sender, conversationType=kind, targetId=target, messageUID=uid, sentTime=1, **more)

    def test_D17_a_message_is_recalled_everywhere(self):
        """D17.program M03.recall"""
        b = self.guest("r-b")
        (uid,) = self.say("r-a", "r-b", "a secret plan")
        entry = b.expect("chat.entry", type="message")
        self.recall("r-a", 1, "r-b", uid)
        self.assertEqual(b.expect("chat.entry", type="recalled")["target"], entry["number"])
        message = self.history(b, entry["conversation"])[0]
        self.assertTrue(message["recalled"])
        self.assertNotIn("body", message)
        self.assertEqual(b.ask("chat.search", text="secret")["entries"], [])
        self.assertEqual(self.place_of(b, entry["conversation"])["unread"], 0)
        self.recall("r-a", 1, "r-b", uid)

    def test_D17_another_users_message_and_one_elsewhere_stay(self):
        """D17.program M03.recall"""
        b = self.guest("r-d")
        (uid,) = self.say("r-c", "r-d", "stays")
        entry = b.expect("chat.entry", type="message")
        fields = {"fromUserId": "r-d", "conversationType": 1, "targetId": "r-c", "messageUID": uid, "sentTime": 1}
        self.expect(1007, 401, "message/recall", fields)
        # Not there: programs expect no error of that.
        for kind, target in ((1, "r-x"), (3, "r-d"), (6, "r-d")):
            self.recall("r-c", kind, target, uid)
        self.recall("r-c", 1, "r-d", "5FGT-7VA9-G4DD-4V5P")
        self.assertNotIn("recalled", self.history(b, entry["conversation"])[0])
        self.recall("r-d", 1, "r-c", uid, isAdmin=1)
        self.assertTrue(self.history(b, entry["conversation"])[0]["recalled"])

    def test_D17_in_groups_rooms_and_by_a_message(self):
        """D17.program M03.recall"""
        b = self.guest("r-f")
        self.call("group/create", {"userId": ["r-e", "r-f"], "groupId": "Recall", "groupName": "R"})
        (uid,) = self.say("r-e", "Recall", "one", "group")
        self.recall("r-e", 3, "Recall", uid)
        b.expect("chat.entry", type="recalled", conversation="rcg:Recall")
        (uid,) = self.say("r-e", "r-f", "two")
        place = b.expect("chat.entry", type="message", **{"from": "r-e"})["conversation"]
        command = {"messageUId": uid, "conversationType": 1, "targetId": "r-f", "sentTime": 1, "isAdmin": False}
        self.call("message/private/publish", fromUserId="r-e", toUserId="r-f", objectName="RC:RcCmd", content=json.dumps(command))
        eventually(lambda: b.heard("chat.entry", type="recalled") or None, "it is recalled")
        self.assertTrue(any(e["type"] == "recalled" for e in self.history(b, place)))
        self.expect(1002, 400, "message/recall", {"fromUserId": "r-e", "targetId": "r-f", "messageUID": uid})
        self.expect(1009, 430, "message/recall", {"fromUserId": "r-e", "targetId": "r-f", "messageUID": uid, "conversationType": 10})


class Blocks(Door):
    def comes_in(self, token: str) -> bool:
        try:
            Person(self.server, token=token).link.close()
        except Refused:
            return False
        return True

    def test_A08_a_blocked_user_goes_and_comes_back_when_it_is_over(self):
        """A08.block"""
        token = self.call("user/getToken", userId="k-out")["token"]
        person = Person(self.server, token=token)
        self.call("user/block", userId="k-out", minute=10)
        person.wait_for_end()
        with self.assertRaises(Refused):
            Person(self.server, token=token)
        users = self.call("user/block/query")["users"]
        (ban,) = [user for user in users if user["userId"] == "k-out"]
        self.assertRegex(ban["blockEndTime"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        # A token that is asked for meanwhile counts afterwards.
        self.call("user/getToken", userId="k-out")
        self.call("user/unblock", userId="k-out")
        self.assertEqual([u for u in self.call("user/block/query")["users"] if u["userId"] == "k-out"], [])
        self.server.shows(lambda: self.comes_in(token), "it is let in")
        self.expect(1002, 400, "user/block", {"userId": "k-out"})
        self.expect(1002, 400, "user/block", {"userId": "k-out", "minute": 43201})
        self.expect(1002, 400, "user/block", {"userId": [f"k-{n}" for n in range(21)], "minute": 1})

    def test_A08_tokens_up_to_a_time_are_called_back(self):
        """A08.expire"""
        token = self.call("user/getToken", userId="k-late")["token"]
        person = Person(self.server, token=token)
        self.call("user/token/expire", userId="k-late", time=int((time.time() - 3600) * 1000))
        self.assertNotIn("error", person.ask("ice.servers"))
        self.call("user/token/expire", userId="k-late", time=int(time.time() * 1000) + 5000)
        person.wait_for_end()
        with self.assertRaises(Refused):
            Person(self.server, token=token)
        Person(self.server, token=self.call("user/getToken", userId="k-late")["token"]).link.close()
        self.expect(1002, 400, "user/token/expire", {"userId": "k-late", "time": "soon"})

    def test_D23_a_blacklisted_sender_does_not_reach_me_where_the_program_asks_for_it(self):
        """D23.program"""
        mine, theirs = self.guest("k-me"), self.guest("k-them")
        self.call("user/blacklist/add", userId="k-me", blackUserId=["k-them", "k-other"])
        self.assertEqual(self.call("user/blacklist/query", userId="k-me")["users"], ["k-other", "k-them"])
        page = self.call("user/blacklist/query", userId="k-me", size=1)
        self.assertEqual((page["users"], page["next"]), (["k-other"], "k-other"))
        page = self.call("user/blacklist/query", userId="k-me", size=1, pageToken=page["next"])
        self.assertEqual((page["users"], page["next"]), (["k-them"], ""))
        self.assertEqual(theirs.error("chat.send", user="k-me", body={"text": "x"}), "blocked")
        fields = {"fromUserId": "k-them", "toUserId": "k-me", "objectName": "RC:TxtMsg", "content": '{"content":"x"}'}
        self.expect(405, 405, "message/private/publish", fields | {"verifyBlacklist": 1})
        both = self.call("message/private/publish", fields | {"verifyBlacklist": 1, "toUserId": ["k-me", "k-else"]})
        self.assertEqual([uid["userId"] for uid in both["messageUIDs"]], ["k-else"])
        self.assertEqual(mine.heard("chat.entry"), [])
        self.call("message/private/publish", fields)
        mine.expect("chat.entry", type="message")
        self.call("user/blacklist/remove", userId="k-me", blackUserId="k-them")
        self.assertEqual(self.call("user/blacklist/query", userId="k-me")["users"], ["k-other"])
        self.assertNotIn("error", theirs.ask("chat.send", user="k-me", body={"text": "x"}))


class Gags(Door):
    def test_F07_who_is_gagged_in_a_group_listens(self):
        """F07.gag"""
        a = self.guest("q-a")
        self.call("group/create", {"userId": ["q-a", "q-b"], "groupId": "Quiet", "groupName": "Quiet"})
        self.call("group/user/gag/add", userId=["q-a", "q-stranger"], groupId="Quiet", minute=10)
        self.assertEqual(a.error("chat.send", conversation="rcg:Quiet", body={"text": "x"}), "silenced")
        (gag,) = self.call("group/user/gag/list", groupId="Quiet")["users"]
        self.assertEqual(gag["userId"], "q-a")
        # The program speaks for whom it likes.
        self.say("q-a", "Quiet", "said for them", "group")
        self.call("group/user/gag/rollback", userId="q-a", groupId="Quiet")
        self.assertEqual(self.call("group/user/gag/list", groupId="Quiet")["users"], [])
        self.assertNotIn("error", a.ask("chat.send", conversation="rcg:Quiet", body={"text": "x"}))
        self.assertEqual(self.call("group/user/gag/list", groupId="Nowhere")["users"], [])
        self.expect(1002, 400, "group/user/gag/add", {"userId": "q-a", "groupId": "with:colon", "minute": 1})


class Rooms(Door):
    def arrivals(self, room: str, order: int) -> list[tuple[str, str | None]]:
        users = self.call("chatroom/user/query", chatroomId=room, count=10, order=order)["users"]
        return [(user["id"], user.get("time")) for user in users]

    def test_F07_members_are_listed_with_the_time_of_their_coming(self):
        """F07.rooms"""
        self.call("chatroom/create", {"chatroom[times]": "Times"})
        # The door hears of each coming right behind its answer.
        for number, name in enumerate(("t-c", "t-a", "t-b"), 1):
            self.call("chatroom/join", userId=name, chatroomId="times")
            eventually(lambda: sum(time is not None for _, time in self.arrivals("times", 1)) == number, f"the time of {name}")
        self.assertEqual([name for name, _ in self.arrivals("times", 1)], ["t-c", "t-a", "t-b"])
        self.assertEqual([name for name, _ in self.arrivals("times", 2)], ["t-b", "t-a", "t-c"])
        times = [time for _, time in self.arrivals("times", 1)]
        self.assertEqual(times, sorted(times))
        self.assertRegex(times[0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        # Who went and comes again came later than the others.
        c = self.guest("t-c")
        self.assertNotIn("error", c.ask("chat.leave", conversation="rcr:times"))
        self.assertEqual([name for name, _ in self.arrivals("times", 1)], ["t-a", "t-b"])
        self.assertNotIn("error", c.ask("chat.join", conversation="rcr:times"))
        eventually(lambda: [name for name, _ in self.arrivals("times", 2)] == ["t-c", "t-b", "t-a"], "t-c is the latest")

    def test_F07_people_come_into_a_room_that_a_program_opened(self):
        """F07.rooms"""
        self.call("chatroom/create", {"chatroom[lobby]": "大厅", "chatroom[Den]": "Den"})
        rooms = self.call("chatroom/query", chatroomId=["lobby", "Den", "nowhere"])["chatRooms"]
        self.assertEqual([(room["chrmId"], room["name"]) for room in rooms], [("lobby", "大厅"), ("Den", "Den")])
        self.assertRegex(rooms[0]["time"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        a = self.guest("c-a")
        self.assertNotIn("error", a.ask("chat.join", conversation="rcr:lobby"))
        (uid,) = self.say("c-host", "lobby", "welcome", "chatroom")
        self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], "welcome")
        users = self.call("chatroom/user/query", chatroomId="lobby", count=10, order=1)
        self.assertEqual((users["total"], [user["id"] for user in users["users"]]), (1, ["c-a"]))
        self.assertIs(self.call("chatroom/user/exist", chatroomId="lobby", userId="c-a")["isInChrm"], True)
        self.assertIs(self.call("chatroom/user/exist", chatroomId="lobby", userId="c-b")["isInChrm"], False)
        both = self.call("chatroom/users/exist", chatroomId="lobby", userId=["c-a", "c-b"])["result"]
        self.assertEqual(both, [{"userId": "c-a", "isInChrm": 1}, {"userId": "c-b", "isInChrm": 0}])
        # Who comes later reads what was said last.
        b = self.guest("c-b")
        b.ask("chat.join", conversation="rcr:lobby")
        self.assertIn("welcome", [e["body"]["text"] for e in self.history(b, "rcr:lobby") if e["type"] == "message"])
        self.call("chatroom/destroy", chatroomId="lobby")
        self.assertEqual(a.expect("chat.entry", type="dissolved")["conversation"], "rcr:lobby")
        self.assertEqual(self.call("chatroom/query", chatroomId="lobby")["chatRooms"], [])
        self.assertEqual(self.call("chatroom/user/query", chatroomId="lobby")["users"], [])
        self.call("chatroom/create", {"chatroom[lobby]": "Again"})
        self.assertEqual(self.call("chatroom/query", chatroomId="lobby")["chatRooms"][0]["name"], "Again")

    def test_F07_who_is_blocked_from_a_room_is_sent_away_and_stays_away(self):
        """F07.block"""
        self.call("chatroom/create", {"chatroom[strict]": "Strict"})
        a = self.guest("c-d")
        a.ask("chat.join", conversation="rcr:strict")
        self.call("chatroom/user/gag/add", userId="c-d", chatroomId="strict", minute=1)
        self.assertEqual(a.error("chat.send", conversation="rcr:strict", body={"text": "x"}), "silenced")
        self.call("chatroom/user/gag/rollback", userId="c-d", chatroomId="strict")
        self.call("chatroom/user/block/add", userId="c-d", chatroomId="strict", minute=5)
        self.assertEqual(a.expect("chat.entry", type="removed")["body"]["user"], "c-d")
        self.assertEqual(a.error("chat.join", conversation="rcr:strict"), "forbidden")
        (block,) = self.call("chatroom/user/block/list", chatroomId="strict")["users"]
        self.assertEqual(block["userId"], "c-d")
        self.call("chatroom/user/block/rollback", userId=["c-d", "c-nobody"], chatroomId="strict")
        self.assertEqual(self.call("chatroom/user/block/list", chatroomId="strict")["users"], [])
        self.assertNotIn("error", a.ask("chat.join", conversation="rcr:strict"))

    def test_F07_more_rooms_or_users_at_once_than_there_may_be_are_refused(self):
        """F07.rooms"""
        self.expect(1002, 400, "chatroom/create", {f"chatroom[{n}]": "x" for n in range(21)})
        self.expect(1002, 400, "chatroom/create", {})
        self.expect(1002, 400, "chatroom/query", {"chatroomId": [f"c{n}" for n in range(21)]})
        self.expect(1002, 400, "chatroom/user/query", {"chatroomId": "x", "count": 501})
        self.assertEqual(self.call("message/chatroom/publish", fromUserId="c-a", toChatroomId="nowhere", objectName="RC:TxtMsg",
                                   content='{"content":"x"}')["messageUIDs"], [])


class Synced(Door):
    def test_M02_a_user_is_in_the_groups_that_a_program_names_and_in_no_other(self):
        """M02.groups"""
        a = self.guest("s-a")
        for group in ("S_1", "S_2"):
            self.call("group/create", {"userId": ["s-a", "s-b"], "groupId": group, "groupName": group})
        own = a.ask("chat.create", title="mine")["conversation"]
        self.call("group/sync", {"userId": "s-a", "group[S_2]": "Two", "group[S_3]": "Three"})
        groups = {group["id"]: group["name"] for group in self.call("user/group/query", userId="s-a")["groups"]}
        self.assertEqual(groups, {"S_2": "Two", "S_3": "Three"})
        self.assertNotIn("error", a.ask("chat.send", conversation=own, body={"text": "still here"}))


class Past(Door):
    def query(self, kind: str, user: str, target: str, **more) -> list[dict]:
        body = {"userId": user, "targetId": target} | more
        return self.call(f"v3/message/{kind}/query", json.dumps(body))["data"]

    def test_M03_what_was_said_is_read_in_the_words_of_programs(self):
        """M03.history"""
        a, b = self.guest("v-a"), self.guest("v-b")
        (uid,) = self.say("v-a", "v-b", "by a program", extraContent='{"k":"v"}')
        answer = b.ask("chat.send", user="v-a", body={"text": "by a person"})
        b.ask("chat.send", user="v-a", kind="location", body={"latitude": 1.5, "longitude": 2, "name": "here"})
        b.ask("chat.send", user="v-a", kind="emotion", body={"name": "smile"})
        first, *others = self.query("private", "v-a", "v-b")
        self.assertEqual((first["messageUID"], first["fromUserId"], first["targetId"]), (uid, "v-a", "v-b"))
        self.assertEqual((first["objectName"], json.loads(first["content"])), ("RC:TxtMsg", {"content": "by a program"}))
        self.assertEqual(first["extraContent"], '{"k":"v"}')
        self.assertEqual([(m["objectName"], json.loads(m["content"])) for m in others], [
            ("RC:TxtMsg", {"content": "by a person"}), ("RC:LBSMsg", {"latitude": 1.5, "longitude": 2, "poi": "here"}),
            ("Parley:emotion", {"name": "smile"})])
        self.assertEqual(others[0]["msgTime"], answer["time"])
        # What a person said is recalled by its id, too.
        self.call("message/recall", fromUserId="v-b", conversationType=1, targetId="v-a", messageUID=others[0]["messageUID"], sentTime=1)
        a.expect("chat.entry", type="recalled")
        self.assertEqual(len(self.query("private", "v-b", "v-a")), 3)

    def test_M03_pages_of_the_past_begin_where_the_program_says(self):
        """M03.history"""
        self.call("group/create", {"userId": ["v-c", "v-d"], "groupId": "Past", "groupName": "Past"})
        for n in range(12):
            self.say("v-c", "Past", f"{n}", "group") if n % 2 else self.guest("v-d").ask(
                "chat.send", conversation="rcg:Past", body={"text": f"{n}"})
        texts, known, start = [], set(), 0
        while page := [m for m in self.query("group", "v-d", "Past", startTime=str(start), pageSize=5, includeStart="true")
                       if m["messageUID"] not in known]:
            texts += [json.loads(m["content"])["content"] for m in page]
            known |= {m["messageUID"] for m in page}
            start = page[-1]["msgTime"]
        self.assertEqual(texts, [f"{n}" for n in range(12)])
        again = self.query("group", "v-d", "Past", startTime=start, includeStart="true", endTime=start)
        self.assertEqual(json.loads(again[-1]["content"])["content"], "11")
        self.assertEqual(self.query("group", "v-stranger", "Past"), [])
        self.assertEqual(self.query("group", "v-c", "Nowhere"), [])
        self.expect(1002, 400, "v3/message/group/query", json.dumps({"userId": "v-c", "targetId": "Past", "pageSize": 101}))
        self.expect(1002, 400, "v3/message/private/query", "no JSON")


if __name__ == "__main__":
    unittest.main()
