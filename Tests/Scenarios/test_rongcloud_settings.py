"""What programs settle by RongCloud's Server API for users, groups and rooms, and what people see of it."""

import gzip
import json
import time
import unittest
from urllib.parse import urlsplit

from people import Person
from rongcloud_program import Program
from server import Server, eventually
from test_rongcloud import Door
from wire import ask_http


def text(words: str) -> str:
    return json.dumps({"content": words})


class Talking(Door):
    def publish(self, name: str, sender: str, **fields) -> dict:
        return self.call(name, {"fromUserId": sender, "objectName": "RC:TxtMsg", "content": text("x")} | fields)


class Flags(Talking):
    def test_M05_what_is_not_persisted_is_delivered_and_in_no_past_of_programs(self):
        """M05.persisted"""
        b = self.guest("e-b")
        self.publish("message/private/publish", "e-a", toUserId="e-b", isPersisted=0, content=text("fleeting words"))
        self.publish("message/private/publish", "e-a", toUserId="e-b", content=text("lasting words"))
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "fleeting words")
        past = self.call("v3/message/private/query", json.dumps({"userId": "e-a", "targetId": "e-b"}))["data"]
        self.assertEqual([json.loads(m["content"])["content"] for m in past], ["lasting words"])
        late = self.guest("e-c")
        self.publish("message/private/publish", "e-a", toUserId="e-c", isPersisted="0")
        self.assertEqual(late.expect("chat.entry", type="message")["body"]["text"], "x")

    def test_M05_a_status_message_reaches_who_is_there_and_is_kept_nowhere(self):
        """M05.status M05.sender"""
        a, b = self.guest("e-d"), self.guest("e-e")
        self.publish("message/private/publish", "e-d", toUserId="e-e")
        place = b.expect("chat.entry", type="message")["conversation"]
        self.publish("statusmessage/private/publish", "e-d", toUserId=["e-e", "e-nobody"], content=text("now"))
        passing = b.expect("chat.passing")
        self.assertEqual((passing["from"], passing["conversation"], passing["body"]["text"]), ("e-d", place, "now"))
        self.assertEqual(len(self.history(b, place)), 1)
        self.assertEqual(self.place_of(b, place)["unread"], 1)
        a.ask("ice.servers")
        self.assertEqual(a.heard("chat.passing"), [], "the sender is not told")
        self.publish("statusmessage/private/publish", "e-d", toUserId="e-e", isIncludeSender=1, content=text("both"))
        self.assertEqual(a.expect("chat.passing")["body"]["text"], "both")
        # Nothing was said before: there is no conversation yet.
        c = self.guest("e-f")
        self.publish("statusmessage/private/publish", "e-d", toUserId="e-f")
        self.assertNotIn("conversation", c.expect("chat.passing"))

    def test_M05_in_groups_and_for_everybody_who_is_there(self):
        """M05.status M05.sender"""
        a, b = self.guest("e-g"), self.guest("e-h")
        self.call("group/create", {"userId": ["e-g", "e-h"], "groupId": "Status", "groupName": "S"})
        for person in (a, b):
            person.expect("chat.entry", type="created")
        self.publish("statusmessage/group/publish", "e-g", toGroupId="Status", content=text("in a group"))
        self.assertEqual(b.expect("chat.passing")["conversation"], "rcg:Status")
        self.publish("message/online/broadcast", "e-news", content=text("all"))
        for person in (a, b):
            self.assertEqual(person.expect("chat.passing", **{"from": "e-news"})["body"]["text"], "all")
        self.assertEqual([e["type"] for e in self.history(b, "rcg:Status")], ["created"])

    def test_M05_the_status_of_typing_is_shown_as_typing(self):
        """M05.status"""
        b = self.guest("e-j")
        self.publish("message/private/publish", "e-i", toUserId="e-j")
        place = b.expect("chat.entry", type="message")["conversation"]
        content = json.dumps({"typingContentType": "RC:TxtMsg", "data": ""})
        self.publish("statusmessage/private/publish", "e-i", toUserId="e-j", objectName="RC:TypSts", content=content)
        self.assertEqual(b.expect("chat.typing"), {"conversation": place, "user": "e-i", "on": True})

    def test_M05_taking_back_what_was_not_counted_leaves_the_count(self):
        """M05.counted"""
        b = self.guest("e-l")
        uids = [self.say("e-k", "e-l", f"{n}", isCounted=n % 2)[0] for n in range(4)]
        place = b.expect("chat.entry", type="message")["conversation"]
        self.assertEqual(self.place_of(b, place)["unread"], 2)
        for uid, left in ((uids[0], 2), (uids[2], 2), (uids[1], 1), (uids[3], 0)):
            self.call("message/recall", fromUserId="e-k", conversationType=1, targetId="e-l", messageUID=uid, sentTime=1)
            self.assertEqual(self.place_of(b, place)["unread"], left)


class Many(Talking):
    def test_M02_each_reads_words_of_their_own(self):
        """M02.templates"""
        people = [self.guest(f"p-{n}") for n in range(3)]
        template = {
            "fromUserId": "p-shop", "toUserId": [p.user for p in people], "objectName": "RC:TxtMsg",
            "content": json.dumps({"content": "{n}: {name}"}), "pushContent": ["", "", ""],
            "values": [{"{n}": "1", "{name}": 'a "quoted" name'}, {"{n}": "2", "{name}": "{n}"}, {"{n}": "3"}],
        }  # fmt: skip
        answer = self.call("message/private/publish_template", json.dumps(template))
        self.assertEqual([uid["userId"] for uid in answer["messageUIDs"]], [p.user for p in people])
        words = [p.expect("chat.entry", type="message")["body"]["text"] for p in people]
        self.assertEqual(words, ['1: a "quoted" name', "2: {n}", "3: {name}"])
        self.call("message/system/publish_template", json.dumps(template))
        for person in people:
            entry = person.expect("chat.entry", type="message")
            self.assertEqual(self.place_of(person, entry["conversation"])["kind"], "system")
        for fields in ({"values": []}, {"toUserId": []}, {"content": ""}, {"objectName": "x" * 33}):
            self.assertIn(self.post("message/private/publish_template", json.dumps(template | fields)).status, (400,))

    def test_F06_some_members_of_a_group_read_what_the_others_do_not(self):
        """F06.some M02.some"""
        a, b, c = self.guest("p-a"), self.guest("p-b"), self.guest("p-c")
        self.call("group/create", {"userId": ["p-a", "p-b", "p-c"], "groupId": "Some", "groupName": "Some of us"})
        answer = self.publish("message/group/publish", "p-a", toGroupId="Some", toUserId=["p-b", "p-out"], content=text("psst"))
        (uid,) = answer["messageUIDs"]
        self.assertEqual(uid["groupId"], "Some")
        entry = b.expect("chat.entry", type="message")
        self.assertEqual((entry["from"], entry["body"]["text"]), ("p-a", "psst"))
        view = self.place_of(b, entry["conversation"])
        self.assertEqual((view["title"], view["unread"]), ("Some of us", 1))
        c.ask("ice.servers")
        self.assertEqual(c.heard("chat.entry", type="message"), [])
        self.assertEqual(a.heard("chat.entry", type="message", conversation="rcg:Some"), [])
        self.assertEqual(self.publish("message/group/publish", "p-a", toGroupId="No", toUserId="p-b")["messageUIDs"], [])
        self.expect(1002, 400, "message/group/publish", {
            "fromUserId": "p-a", "toGroupId": ["Some", "More"], "toUserId": "p-b", "objectName": "RC:TxtMsg", "content": text("x")})

    def test_M02_every_room_hears_a_broadcast(self):
        """M02.broadcast"""
        self.call("chatroom/create", {"chatroom[cast1]": "1", "chatroom[cast2]": "2"})
        a = self.guest("p-d")
        for room in ("cast1", "cast2"):
            a.ask("chat.join", conversation=f"rcr:{room}")
        self.publish("message/chatroom/broadcast", "p-news", content=text("to all rooms"))
        heard = {a.expect("chat.entry", type="message")["conversation"] for _ in range(2)}
        self.assertEqual(heard, {"rcr:cast1", "rcr:cast2"})

    def test_M02_a_discussion_is_a_group_by_an_older_name(self):
        """M02.group"""
        a = self.guest("p-e")
        self.call("group/create", {"userId": ["p-e"], "groupId": "Discuss", "groupName": "D"})
        self.publish("message/discussion/publish", "p-x", toDiscussionId="Discuss", content=text("older"))
        self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], "older")


class Everybody(Program, unittest.TestCase):
    def test_M02_everybody_is_told_once_also_where_the_server_was_killed_meanwhile(self):
        """M02.broadcast M02.rates"""
        options = self.options_of_door()
        with Server(*options) as server:
            self.server = server
            users = [f"w-{n}" for n in range(250)]
            for user in users:
                self.call("user/getToken", userId=user, name=user)
            fields = {"fromUserId": "w-news", "objectName": "RC:TxtMsg", "content": text("everybody")}
            self.call("message/broadcast", fields)
            server.restart()
            first, last = self.guest("w-0"), self.guest("w-99")
            for person in (first, last):
                eventually(lambda person=person: self.texts(person) == ["everybody"], "they were told")
            self.call("message/broadcast", fields | {"content": text("again")})
            eventually(lambda: self.texts(last) == ["everybody", "again"], "they were told again")
            self.call("message/broadcast", fields | {"content": text("once more")})
            self.expect(1008, 429, "message/broadcast", fields)

    def texts(self, person: Person) -> list[str]:
        views = [v for v in person.ask("chat.sync", newest=30)["conversations"] if v["kind"] == "system"]
        entries = [e for v in views for e in person.ask("chat.history", conversation=v["conversation"])["entries"]]
        return [e["body"]["text"] for e in entries if e["type"] == "message"]


class Expansion(Talking):
    def test_M03_what_was_published_for_it_is_added_to(self):
        """M03.expansion"""
        b = self.guest("x-b")
        (uid,) = self.say("x-a", "x-b", "with more", expansion="true")
        place = b.expect("chat.entry", type="message")["conversation"]
        target = {"msgUID": uid, "userId": "x-a", "conversationType": 1, "targetId": "x-b"}
        self.call("message/expansion/set", target | {"extraKeyVal": json.dumps({"k1": "v1", "k2": "v2"})})
        told = b.expect("chat.passing")["body"]["rc"]
        self.assertEqual((told["objectName"], told["content"]["put"], told["content"]["mid"]), ("RC:MsgExMsg", {"k1": "v1", "k2": "v2"}, uid))
        self.call("message/expansion/delete", target | {"extraKey": '["k1"]'})
        self.assertEqual(b.expect("chat.passing")["body"]["rc"]["content"]["del"], ["k1"])
        answer = self.call("message/expansion/query", msgUID=uid)["extraContent"]
        self.assertEqual({key: value["v"] for key, value in answer.items()}, {"k2": "v2"})
        past = self.call("v3/message/private/query", json.dumps({"userId": "x-a", "targetId": "x-b"}))["data"]
        self.assertEqual(past[0]["expansion"], {"k2": "v2"})
        self.assertEqual(len(self.history(b, place)), 1)

    def test_M03_limits_and_messages_that_were_not_published_for_it(self):
        """M03.expansion M04.codes"""
        self.guest("x-d")
        (plain,) = self.say("x-c", "x-d", "no more")
        (uid,) = self.say("x-c", "x-d", "more", expansion="True")
        target = {"msgUID": uid, "userId": "x-c", "conversationType": 1, "targetId": "x-d"}

        def put(pairs: dict, **more) -> dict:
            return target | {"extraKeyVal": json.dumps(pairs)} | more

        self.expect(1007, 401, "message/expansion/set", put({"k": "v"}, msgUID=plain))
        self.expect(1015, 200, "message/expansion/set", put({"k": "v"}, targetId="x-e"))
        self.expect(1005, 400, "message/expansion/set", put({"k" * 33: "v"}))
        self.expect(1005, 400, "message/expansion/set", put({"k": "v" * 65}))
        self.expect(1002, 400, "message/expansion/set", put({f"k{n}": "v" for n in range(101)}))
        for start in range(0, 300, 100):
            self.call("message/expansion/set", put({f"k{n}": "v" for n in range(start, start + 100)}))
        self.expect(1016, 403, "message/expansion/set", put({"one-more": "v"}))
        self.call("message/expansion/set", put({"k0": "new"}))


class Entries(Talking):
    def test_M06_a_room_knows_what_a_program_says_and_its_members_are_told(self):
        """M06.entries"""
        self.call("chatroom/create", {"chatroom[facts]": "Facts"})
        a = self.guest("y-a")
        a.ask("chat.join", conversation="rcr:facts")
        entry = {"chatroomId": "facts", "userId": "y-a"}
        self.call("chatroom/entry/set", entry | {"key": "title", "value": "第一集"})
        told = a.expect("chat.passing")["body"]["rc"]
        self.assertEqual((told["objectName"], told["content"]), ("RC:chrmKVNotiMsg", {"type": 1, "key": "title", "value": "第一集"}))
        self.call("chatroom/entry/batch/set", chatroomId="facts", autoDelete=1, entryOwnerId="y-a", entryInfo=json.dumps({"seat": "1", "mic": "on"}))
        keys = {k["key"]: k for k in self.call("chatroom/entry/query", chatroomId="facts")["keys"]}
        self.assertEqual({k: v["value"] for k, v in keys.items()}, {"title": "第一集", "seat": "1", "mic": "on"})
        self.assertEqual((keys["seat"]["userId"], keys["seat"]["autoDelete"], keys["title"]["autoDelete"]), ("y-a", "1", "0"))
        self.assertRegex(keys["title"]["lastSetTime"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        self.call("chatroom/entry/remove", entry | {"key": "mic"})
        asked = self.call("chatroom/entry/query", {"chatroomId": "facts", "keys": ["mic", "seat"]})["keys"]
        self.assertEqual([k["key"] for k in asked], ["seat"])
        # What is theirs goes when they leave, and the rest when the room ends.
        a.ask("chat.leave", conversation="rcr:facts")
        eventually(lambda: [k["key"] for k in self.call("chatroom/entry/query", chatroomId="facts")["keys"]] == ["title"], "it is gone")
        self.call("chatroom/destroy", chatroomId="facts")
        eventually(lambda: self.call("chatroom/entry/query", chatroomId="facts")["keys"] == [], "all is gone")
        self.expect(1002, 400, "chatroom/entry/set", entry | {"key": "title", "value": "x"})

    def test_M06_so_many_entries_and_no_more(self):
        """M06.entries"""
        self.call("chatroom/create", {"chatroom[full]": "Full"})
        for start in range(0, 100, 10):
            info = json.dumps({f"k{n}": "v" for n in range(start, start + 10)})
            self.call("chatroom/entry/batch/set", chatroomId="full", entryOwnerId="y-b", entryInfo=info)
        self.expect(1016, 403, "chatroom/entry/set", {"chatroomId": "full", "userId": "y-b", "key": "more", "value": "v"})
        self.expect(1005, 400, "chatroom/entry/set", {"chatroomId": "full", "userId": "y-b", "key": "k" * 129})
        self.expect(1005, 400, "chatroom/entry/set", {"chatroomId": "full", "userId": "y-b", "key": "k", "value": "v" * 4097})


class Silences(Talking):
    def error(self, person: Person, place: str) -> str | None:
        return person.error("chat.send", conversation=place, body={"text": "x"})

    def test_M06_a_silent_group_hears_only_those_who_are_let(self):
        """M06.silences"""
        a, b = self.guest("z-a"), self.guest("z-b")
        self.call("group/create", {"userId": ["z-a", "z-b"], "groupId": "Hush", "groupName": "H"})
        self.call("group/ban/add", groupId=["Hush", "Other"])
        self.call("group/user/ban/whitelist/add", userId="z-b", groupId="Hush")
        self.assertEqual((self.error(a, "rcg:Hush"), self.error(b, "rcg:Hush")), ("silenced", None))
        self.say("z-a", "Hush", "a program speaks anyway", "group")
        self.assertEqual(self.call("group/user/ban/whitelist/query", groupId="Hush")["userIds"], ["z-b"])
        self.assertEqual(self.call("group/ban/query", groupId=["Hush", "None"])["groupinfo"],
                         [{"groupId": "Hush", "stat": 1}, {"groupId": "None", "stat": 0}])
        self.call("group/user/ban/whitelist/rollback", userId="z-b", groupId="Hush")
        self.assertEqual(self.error(b, "rcg:Hush"), "silenced")
        self.call("group/ban/rollback", groupId=["Hush"])
        self.assertIsNone(self.error(a, "rcg:Hush"))
        self.assertEqual([g["groupId"] for g in self.call("group/ban/query")["groupinfo"]], ["Other"])

    def test_M06_who_is_silenced_everywhere_speaks_nowhere(self):
        """M06.silences"""
        a = self.guest("z-c")
        self.call("chatroom/create", {"chatroom[hush]": "Hush"})
        self.call("group/create", {"userId": ["z-c"], "groupId": "Loud", "groupName": "L"})
        a.ask("chat.join", conversation="rcr:hush")
        self.call("chatroom/user/ban/add", userId=["z-c", "z-x"], minute=5)
        self.assertEqual((self.error(a, "rcr:hush"), self.error(a, "rcg:Loud")), ("silenced", None))
        self.assertEqual([u["userId"] for u in self.call("chatroom/user/ban/query")["users"]], ["z-c", "z-x"])
        self.call("chatroom/user/ban/remove", userId=["z-c", "z-x"])
        self.assertIsNone(self.error(a, "rcr:hush"))
        self.call("group/user/gag/add", userId="z-c", minute=5)
        self.assertEqual((self.error(a, "rcr:hush"), self.error(a, "rcg:Loud")), (None, "silenced"))
        self.assertEqual([u["userId"] for u in self.call("group/user/gag/list")["users"]], ["z-c"])
        self.call("group/user/gag/rollback", userId="z-c")
        self.assertIsNone(self.error(a, "rcg:Loud"))

    def test_M06_a_silent_room_and_one_in_which_nothing_is_passed_on(self):
        """M06.silences"""
        a = self.guest("z-d")
        self.call("chatroom/create", {"chatroom[still]": "Still"})
        a.ask("chat.join", conversation="rcr:still")
        for begin, end in (("chatroom/ban/add", "chatroom/ban/rollback"),
                           ("chatroom/message/stopDistribution", "chatroom/message/resumeDistribution")):
            self.call(begin, chatroomId="still")
            self.assertEqual(self.error(a, "rcr:still"), "silenced", begin)
            self.call(end, chatroomId="still")
            self.assertIsNone(self.error(a, "rcr:still"), end)
        self.assertEqual(self.call("chatroom/ban/query")["chatroomIds"], [])

    def test_M06_lists_are_kept_and_read(self):
        """M06.lists"""
        table = [
            ("user/whitelist", ("add", "remove", "query"), {"userId": "z-e"}, "whiteUserId", ["z-f", "z-g"], "users"),
            ("chatroom/user/whitelist", ("add", "remove", "query"), {"chatroomId": "r"}, "userId", ["z-f"], "users"),
            ("chatroom/message/priority", ("add", "remove", "query"), {}, "objectName", ["RC:TxtMsg"], "objectNames"),
            ("chatroom/whitelist", ("add", "delete", "query"), {}, "objectnames", ["RC:TxtMsg", "RC:VcMsg"], "whitlistMsgType"),
            ("chatroom/keepalive", ("add", "remove", "query"), {}, "chatroomId", ["r1", "r" * 60], "chatroomIds"),
        ]  # fmt: skip
        for path, (add, remove, query), place, field, names, answer in table:
            with self.subTest(path=path):
                self.call(f"{path}/{add}", place | {field: names})
                self.assertEqual(set(self.call(f"{path}/{query}", place)[answer]), set(names))
                self.call(f"{path}/{remove}", place | {field: names[:1]})
                self.assertEqual(self.call(f"{path}/{query}", place)[answer], names[1:])
                self.expect(1002, 400, f"{path}/{add}", place)
        self.expect(1002, 400, "chatroom/user/whitelist/add", {"chatroomId": "r", "userId": [f"u{n}" for n in range(6)]})

    def test_F07_a_program_brings_users_into_a_room(self):
        """F07.rooms"""
        a = self.guest("z-h")
        self.call("chatroom/create", {"chatroom[brought]": "B"})
        self.call("chatroom/join", userId=["z-h", "z-i"], chatroomId="brought")
        users = self.call("chatroom/user/query", chatroomId="brought", count=10, order=1)["users"]
        self.assertEqual([u["id"] for u in users], ["z-h", "z-i"])
        self.assertIsNone(self.error(a, "rcr:brought"))


class Words(Talking):
    def test_M06_words_are_refused_or_covered(self):
        """M06.words"""
        a, b = self.guest("v-a"), self.guest("v-b")
        self.call("sensitiveword/add", word="法轮")
        self.call("sensitiveword/add", word="badger", replaceWord="fox")
        refused = lambda: a.error("chat.send", user=b.user, body={"text": "一个法轮"}) == "forbidden"
        self.server.shows(refused, "a refused word")
        self.server.shows(lambda: self.heard(a, b, "a badger") == "a ******", "a covered word")
        both = self.call("sensitiveword/list", type=2)["words"]
        self.assertEqual({(w["type"], w["word"], w.get("replaceWord")) for w in both}, {("1", "法轮", None), ("0", "badger", "fox")})
        self.assertEqual([w["word"] for w in self.call("sensitiveword/list", type=1)["words"]], ["法轮"])
        self.call("sensitiveword/batch/delete", words=["法轮", "never there"])
        self.call("wordfilter/delete", word="badger")
        self.server.shows(lambda: self.heard(a, b, "一个法轮 badger") == "一个法轮 badger", "words as they are")

    def heard(self, a: Person, b: Person, text: str) -> str | None:
        """What B reads of what A writes; None when it is refused."""
        answer = a.ask("chat.send", user=b.user, body={"text": text})
        return None if "error" in answer else b.expect("chat.entry", number=answer["number"])["body"]["text"]

    def test_M06_so_many_words_and_no_more(self):
        """M06.words M04.codes"""
        for n in range(50):
            self.call("wordfilter/add", word=f"word{n}x")
        self.expect(1019, 400, "wordfilter/add", {"word": "one more"})
        self.expect(1005, 400, "sensitiveword/add", {"word": "w" * 33})
        self.assertEqual(len(self.call("wordfilter/list")["words"]), 50)
        self.call("sensitiveword/batch/delete", words=[f"word{n}x" for n in range(50)])


class Mutes(Talking):
    def test_M06_a_conversation_is_muted_and_cleared_for_a_user(self):
        """M06.arranged"""
        b = self.guest("u-b")
        (_,) = self.say("u-a", "u-b", "hello")
        place = b.expect("chat.entry", type="message")["conversation"]
        fields = {"conversationType": 1, "requestId": "u-b", "targetId": "u-a"}
        self.call("conversation/notification/set", fields | {"isMuted": 1})
        self.assertEqual(b.expect("chat.arranged"), {"conversation": place, "muted": True})
        self.assertEqual(self.call("conversation/notification/get", fields)["isMuted"], 1)
        self.assertTrue(self.place_of(b, place)["muted"])
        self.call("conversation/notification/set", fields | {"isMuted": 0})
        self.assertEqual(self.call("conversation/notification/get", fields)["isMuted"], 0)
        self.call("conversation/message/history/clean", conversationType=1, fromUserId="u-b", targetId="u-a")
        self.assertEqual(self.history(b, place), [])
        nowhere = fields | {"targetId": "u-nobody"}
        self.call("conversation/notification/set", nowhere | {"isMuted": 1})
        self.assertEqual(self.call("conversation/notification/get", nowhere)["isMuted"], 0)


class Hours(Talking):
    def test_M03_an_hour_is_a_file_of_lines(self):
        """M03.hours"""
        b = self.guest("n-b")
        (uid,) = self.say("n-a", "n-b", "by a program")
        b.ask("chat.send", user="n-a", body={"text": "by a person"})
        self.call("group/create", {"userId": ["n-a", "n-b"], "groupId": "Hourly", "groupName": "H"})
        b.ask("chat.send", conversation="rcg:Hourly", body={"text": "in a group"})
        hour = time.strftime("%Y%m%d%H", time.gmtime(time.time() + 8 * 3600))
        answer = self.call("message/history", date=hour)
        url = urlsplit(answer["url"])
        self.assertEqual((answer["date"], url.scheme), (hour, "http"))
        file = ask_http(self.server, "GET", f"{url.path}?{url.query}")
        lines = [line for line in gzip.decompress(file.body).decode().splitlines() if '"n-' in line]
        found = [json.loads(line[20:]) for line in lines]
        self.assertEqual(
            [(m["fromUserId"], m["targetId"], m["targetType"], m["classname"], json.loads(m["content"])["content"]) for m in found],
            [("n-a", "n-b", 1, "RC:TxtMsg", "by a program"), ("n-b", "n-a", 1, "RC:TxtMsg", "by a person"),
             ("n-b", "Hourly", 3, "RC:TxtMsg", "in a group")])
        self.assertEqual(found[0]["msgUID"], uid)
        self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \{")
        self.assertEqual(self.call("message/history", date="2014010101")["url"], "")
        self.call("message/history/delete", date=hour)
        self.assertEqual(self.call("message/history", date=hour)["url"], "")
        self.expect(1002, 400, "message/history", {"date": "2014013199"})


if __name__ == "__main__":
    unittest.main()
