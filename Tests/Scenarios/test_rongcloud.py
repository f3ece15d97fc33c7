"""Programs that call RongCloud's Server API, and people who see what comes of it."""

import base64
import json
import os
import time
import unittest
from urllib.parse import quote

from house import House
from people import VOUCHED, Person, Refused
from pushed import Pushed
from rongcloud_program import SECRET, Program, sign, signed
from server import Server, eventually
from test_attacks_doors import png
from test_files import form
from wire import ask_http


class Door(Program, House):
    @classmethod
    def setUpClass(cls) -> None:
        cls.options = cls.options_of_door()
        super().setUpClass()

    def history(self, person: Person, conversation: str) -> list[dict]:
        return person.ask("chat.history", conversation=conversation)["entries"]

    def place_of(self, person: Person, conversation: str) -> dict:
        views = person.ask("chat.sync", newest=30)["conversations"]
        return next(view for view in views if view["conversation"] == conversation)


class Signatures(Door):
    fields = {"userId": "signer", "name": "S"}

    def test_M01_both_spellings_and_seconds_or_milliseconds_are_believed(self):
        """M01.signature"""
        for prefix in ("", "RC-", "rc-"):
            for at in (str(int(time.time())), str(int(time.time() * 1000))):
                answer = self.post("user/getToken", self.fields, signed(prefix, at=at))
                self.assertEqual((answer.status, answer.json["code"]), (200, 200), (prefix, at))
        nonce = "0.026777003523996812"
        self.assertEqual(self.post("user/getToken", self.fields, signed("rc-", nonce=nonce)).status, 200)

    def test_M01_what_is_not_signed_rightly_is_refused_with_401(self):
        """M01.signature"""
        self.expect(1004, 401, "user/getToken", self.fields, {})
        for missing in ("App-Key", "Nonce", "Timestamp", "Signature"):
            headers = signed()
            del headers[missing]
            self.expect(1004, 401, "user/getToken", self.fields, headers)
        self.expect(1004, 401, "user/getToken", self.fields, signed(at="yesterday"))
        self.expect(1004, 401, "user/getToken", self.fields, signed(nonce="n" * 129))

    def test_M01_wrong_secrets_are_refused_and_who_guesses_has_to_wait(self):
        """M01.signature"""
        with Server(*self.options_of_door()) as server:
            old, self.__class__.server = self.server, server
            try:
                self.expect(1004, 401, "user/getToken", self.fields, signed(secret="Wr0ngSecretOf0urs"))
                self.expect(1001, 401, "user/getToken", self.fields, signed(key="nobody"))
                for _ in range(40):
                    answer = self.post("user/getToken", self.fields, signed(secret="Wr0ngSecretOf0urs"))
                    if answer.status == 429:
                        break
                self.assertEqual((answer.status, answer.json["code"]), (429, 1008))
                self.assertGreater(int(answer.headers["retry-after"]), 0)
            finally:
                self.__class__.server = old

    def test_M01_old_and_early_requests_are_refused(self):
        """M01.window"""
        for minutes, right in ((-4, True), (4, True), (-6, False), (6, False)):
            at = str(int(time.time() + minutes * 60))
            answer = self.post("user/getToken", self.fields, signed(at=at))
            self.assertEqual(answer.status == 200, right, minutes)
            self.assertEqual(answer.json["code"], 200 if right else 1004)

    def test_M01_a_request_that_comes_again_is_refused(self):
        """M01.replay"""
        headers = signed()
        self.assertEqual(self.post("user/getToken", self.fields, headers).status, 200)
        self.expect(1004, 401, "user/getToken", self.fields, headers)
        # The same nonce at another time is another request.
        again = signed(nonce=headers["Nonce"], at=str(int(headers["Timestamp"]) + 1))
        self.assertEqual(self.post("user/getToken", self.fields, again).status, 200)

    def test_M01_the_id_of_a_request_comes_back(self):
        answer = self.post("user/getToken", self.fields, signed() | {"X-Request-Id": "r-1"})
        self.assertEqual(answer.headers["x-request-id"], "r-1")


class Codes(Door):
    def test_M04_each_trouble_has_its_code_and_its_status(self):
        """M04.codes"""
        text = {"fromUserId": "a", "toUserId": "b", "objectName": "RC:TxtMsg", "content": '{"content":"x"}'}
        table = [
            (1002, 400, "user/getToken", {}),
            (1002, 400, "user/getToken", {"userId": "with/slash"}),
            (1005, 400, "user/getToken", {"userId": "u" * 65}),
            (1005, 400, "user/getToken", {"userId": "u", "name": "n" * 129}),
            (1002, 400, "user/getToken", {"userId": "u", "portraitUri": "javascript:alert(1)"}),
            (1005, 400, "user/getToken", {"userId": "u", "portraitUri": "https://e.org/" + "p" * 1024}),
            (1002, 400, "user/checkOnline", {}),
            (1002, 400, "message/private/publish", text | {"fromUserId": ""}),
            (1002, 400, "message/private/publish", text | {"toUserId": ""}),
            (1002, 400, "message/private/publish", text | {"objectName": ""}),
            (1005, 400, "message/private/publish", text | {"objectName": "o" * 33}),
            (1002, 400, "message/private/publish", text | {"content": ""}),
            (1002, 400, "message/private/publish", text | {"content": "no JSON"}),
            (1002, 400, "message/private/publish", text | {"isCounted": "perhaps"}),
            (1002, 400, "message/private/publish", text | {"count": "10000"}),
            (1002, 400, "message/private/publish", text | {"toUserId": [f"u{n}" for n in range(1001)]}),
            (1005, 400, "message/private/publish", text | {"content": json.dumps({"content": "x" * (128 << 10)})}),
            (1002, 400, "message/system/publish", text | {"toUserId": [f"u{n}" for n in range(101)]}),
            (1002, 400, "message/group/publish", text | {"toGroupId": [f"g{n}" for n in range(4)]}),
            (1002, 400, "group/create", {"groupId": "g"}),
            (1002, 400, "group/create", {"userId": "a"}),
            (1002, 400, "group/create", {"userId": "a", "groupId": "with:colon"}),
            (1005, 400, "group/create", {"userId": "a", "groupId": "g" * 65}),
            (1009, 430, "sendCode", {"mobile": "1"}),
        ]  # fmt: skip
        for code, status, name, fields in table:
            with self.subTest(name=name, fields=str(fields)[:80]):
                self.expect(code, status, name, fields)

    def test_M04_a_body_over_the_limit_is_refused_before_it_is_read(self):
        """M04.codes"""
        self.expect(1508, 400, "user/getToken", "userId=" + "u" * (513 << 10))

    def test_M04_a_body_that_is_no_text_and_one_of_too_many_fields_are_refused(self):
        """M04.codes"""
        self.expect(1002, 400, "user/getToken", "userId=%FF")
        self.expect(1002, 400, "user/getToken", "&".join(f"a{n}=1" for n in range(4097)))

    def test_M02_so_many_messages_to_groups_a_second_and_no_more(self):
        """M02.rates"""
        self.call("group/create", userId="rates", groupId="Rates", groupName="Rates")
        fields = {"fromUserId": "rates", "toGroupId": ["Rates", "R-2", "R-3"], "objectName": "RC:TxtMsg", "content": '{"content":"x"}'}
        answers = [self.post("message/group/publish", fields) for _ in range(60)]
        refused = next(answer for answer in answers if answer.status != 200)
        self.assertEqual((refused.status, refused.json["code"]), (429, 1008))


class Users(Door):
    def test_A08_a_token_for_a_user_opens_the_door_for_that_user(self):
        """A08.mint"""
        answer = self.call("user/getToken", userId="Alice_1", name="爱丽丝", portraitUri="https://e.org/a.png")
        self.assertEqual(answer["userId"], "Alice_1")
        self.assertLessEqual(len(answer["token"]), 256)
        with Person(self.server, token=answer["token"]) as alice:
            self.assertEqual((alice.user, alice.name), ("Alice_1", "爱丽丝"))
            self.assertGreater(alice.welcome["expires"] / 1000 - time.time(), 365 * 86400)
        again = self.call("user/getToken", userId="Alice_1", name="爱丽丝")["token"]
        for token in (answer["token"], again):
            Person(self.server, token=token).link.close()

    def test_A08_a_token_is_for_its_server_and_lasts_until_it_is_called_back(self):
        """A08.secret"""
        token = self.call("user/getToken", userId="called-back")["token"]
        self.assertNotIn(SECRET, token)
        head, body, signature = token.split(".")
        forged = json.loads(base64.urlsafe_b64decode(body + "=="))
        self.assertEqual(set(forged), {"sub", "aud", "exp", "iat"})
        other = base64.urlsafe_b64encode(json.dumps(forged | {"sub": "boss"}).encode()).decode().rstrip("=")
        with self.assertRaises(Refused):
            Person(self.server, token=f"{head}.{other}.{signature}")
        with Server(*VOUCHED, "--doors", "none", data=None) as closed, self.assertRaises(Refused):
            Person(closed, token=token)

    def test_C03_whether_a_user_is_online(self):
        self.assertEqual(self.call("user/checkOnline", userId="here")["status"], "0")
        here = self.guest("here")
        self.server.shows(lambda: self.call("user/checkOnline", userId="here")["status"] == "1", "they are here")
        here.link.close()
        eventually(lambda: self.call("user/checkOnline", userId="here")["status"] == "0", "they are gone")

    def test_A08_what_is_said_of_a_user_is_told_to_all_who_see_them(self):
        """A08.mint"""
        shown, watcher = self.guest("shown", "Before"), self.guest("watcher")
        watcher.ask("presence.watch", users=[shown.user])
        self.call("user/refresh", userId="shown", name="After", portraitUri="https://e.org/after.png")
        profile = watcher.expect("profile", user="shown")
        self.assertEqual((profile["name"], profile["avatar"]), ("After", "https://e.org/after.png"))
        info = self.call("user/info", userId="shown")
        self.assertEqual((info["userName"], info["userPortrait"]), ("After", "https://e.org/after.png"))
        self.assertRegex(info["createTime"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$")
        self.assertEqual(self.call("user/info", userId="never-was")["userName"], "")


class Messages(Door):
    def test_M02_a_text_for_one_user_reaches_them_waits_and_is_found(self):
        """M02.private"""
        b = self.guest("m-bob")
        (uid,) = self.say("m-alice", "m-bob", "明天 tea & 茶+cake?")
        self.assertRegex(uid, r"^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$")
        entry = b.expect("chat.entry")
        self.assertEqual((entry["from"], entry["kind"], entry["body"]["text"]), ("m-alice", "text", "明天 tea & 茶+cake?"))
        self.assertEqual(entry["body"]["rc"]["objectName"], "RC:TxtMsg")
        self.assertEqual(self.place_of(b, entry["conversation"])["unread"], 1)
        found = b.ask("chat.search", text="tea")
        self.assertEqual([e["number"] for e in found["entries"]], [entry["number"]])
        # And the other way: what the person answers stands in the same conversation, for both.
        answer = b.ask("chat.send", user="m-alice", body={"text": "yes"})
        self.assertEqual(answer["conversation"], entry["conversation"])
        a = self.guest("m-alice")
        self.assertEqual([e["body"]["text"] for e in self.history(a, entry["conversation"])], ["明天 tea & 茶+cake?", "yes"])

    def test_M02_a_thousand_receivers_and_each_has_an_id(self):
        """M02.private"""
        users = [f"crowd-{n}" for n in range(1000)]
        uids = self.say("m-crowd", users, "to all of you")
        self.assertEqual(len(set(uids)), 1000)
        last = self.guest("crowd-999")
        view = last.ask("chat.sync", newest=5)["conversations"][0]
        self.assertEqual(view["peer"]["user"], "m-crowd")

    def test_M02_what_the_system_says_is_read_and_not_answered(self):
        """M02.system"""
        self.call("user/getToken", userId="m-news", name="新闻")
        b = self.guest("m-reader")
        self.say("m-news", "m-reader", "one", "system")
        self.say("m-news", "m-reader", "two", "system")
        first, second = b.expect("chat.entry", type="message"), b.expect("chat.entry", type="message")
        self.assertEqual([first["body"]["text"], second["body"]["text"]], ["one", "two"])
        self.assertEqual(first["conversation"], second["conversation"])
        view = self.place_of(b, first["conversation"])
        self.assertEqual((view["kind"], view["title"], view["unread"]), ("system", "新闻", 2))
        self.assertEqual(b.error("chat.send", conversation=first["conversation"], body={"text": "no"}), "forbidden")

    def test_M02_a_group_hears_whoever_the_program_lets_speak(self):
        """M02.group"""
        a, b = self.guest("g-a"), self.guest("g-b")
        self.call("group/create", {"userId": ["g-a", "g-b"], "groupId": "Speak", "groupName": "会议"})
        (uid,) = self.say("g-a", "Speak", "from a member", "group")
        self.say("g-outside", "Speak", "from outside", "group")
        texts = [b.expect("chat.entry", type="message")["body"]["text"] for _ in range(2)]
        self.assertEqual(texts, ["from a member", "from outside"])
        self.assertEqual(self.place_of(b, "rcg:Speak")["unread"], 2)
        self.assertEqual(self.call("message/group/publish", fromUserId="g-a", toGroupId="Nowhere", objectName="RC:TxtMsg",
                                   content='{"content":"x"}')["messageUIDs"], [])
        b.ask("chat.send", conversation="rcg:Speak", body={"text": "from the page"})
        self.assertEqual(a.expect("chat.entry", **{"from": "g-b", "type": "message"})["body"]["text"], "from the page")

    def test_F06_a_member_who_is_named_is_mentioned(self):
        """F06.mentions"""
        b = self.guest("f-b")
        self.call("group/create", {"userId": ["f-a", "f-b"], "groupId": "Named", "groupName": "Named"})
        content = {"content": "@f-b look", "mentionedInfo": {"type": 2, "userIdList": ["f-b", "f-stranger"]}}
        self.call("message/group/publish", fromUserId="f-a", toGroupId="Named", objectName="RC:TxtMsg",
                  content=json.dumps(content), isMentioned=1)
        self.assertEqual(b.expect("chat.entry", type="message")["mentions"], ["f-b"])

    def publish(self, kind: str, content: object, to: Person, sender: str = "t-a", **more) -> dict:
        text = content if isinstance(content, str) else json.dumps(content)
        self.call("message/private/publish", fromUserId=sender, toUserId=to.user, objectName=kind, content=text, **more)
        return to.expect("chat.entry", type="message")

    def test_D14_types_of_an_app_pass_unchanged(self):
        """D14.raw"""
        b = self.guest("t-custom")
        entry = self.publish("My:Type", "no JSON at all", b)
        self.assertEqual((entry["kind"], entry["body"]), ("custom", {"rc": {"objectName": "My:Type", "content": "no JSON at all"}}))
        content = {"a": [1, {"b": None}], "ü": "\u0000x"}
        entry = self.publish("My:Type", content, b, extraContent='{"k":1}')
        self.assertEqual(entry["body"]["rc"], {"objectName": "My:Type", "content": content, "extraContent": '{"k":1}'})

    def test_M02_each_type_is_shown_as_what_it_is(self):
        """M02.types"""
        b = self.guest("t-kinds")
        picture = base64.b64encode(png(4)).decode()
        entry = self.publish("RC:ImgMsg", {"content": picture, "imageUri": "https://e.org/p.jpg"}, b)
        self.assertEqual((entry["kind"], entry["body"]["rc"]["content"]["imageUri"]), ("image", "https://e.org/p.jpg"))
        headers = {"Authorization": f"Bearer {b.token}"}
        file = ask_http(self.server, "GET", f"/v1/files/{entry['body']['file']}/content", headers=headers)
        self.assertEqual((file.status, file.body), (200, png(4)))
        voice = base64.b64encode(b"#!AMR\n" + bytes(64)).decode()
        entry = self.publish("RC:VcMsg", {"content": voice, "duration": 3}, b)
        self.assertEqual((entry["kind"], entry["body"]["duration"]), ("voice", 3))
        entry = self.publish("RC:HQVCMsg", {"remoteUrl": "https://e.org/v.aac", "duration": 7}, b)
        self.assertEqual((entry["kind"], entry["body"]["title"], entry["body"]["detail"]), ("card", "[语音]", "https://e.org/v.aac"))
        entry = self.publish("RC:FileMsg", {"name": "plan.pdf", "size": 9, "type": "pdf", "fileUrl": "https://e.org/plan.pdf"}, b)
        self.assertEqual((entry["kind"], entry["body"]["name"], entry["body"]["detail"]), ("card", "plan.pdf", "https://e.org/plan.pdf"))
        entry = self.publish("RC:LBSMsg", {"content": "", "latitude": 39.9, "longitude": 116.4, "poi": "天安门"}, b)
        self.assertEqual((entry["kind"], entry["body"]["latitude"], entry["body"]["name"]), ("location", 39.9, "天安门"))
        entry = self.publish("RC:InfoNtf", {"message": "someone came"}, b)
        self.assertEqual((entry["kind"], entry["body"]["text"]), ("notice", "someone came"))
        entry = self.publish("RC:CmdMsg", {"name": "n", "data": "{}"}, b)
        self.assertEqual((entry["kind"], entry["body"]["rc"]["content"]), ("custom", {"name": "n", "data": "{}"}))

    def test_M02_a_file_that_was_brought_here_is_shown(self):
        """M02.types"""
        a, b = self.guest("t-owner"), self.guest("t-friend")
        headers = {"Authorization": f"Bearer {a.token}"}
        body, kind = form("tea.pdf", b"%PDF-1.4 tea")
        file = ask_http(self.server, "POST", "/v1/files", body, headers | {"Content-Type": kind}).json["file"]
        url = f"http://127.0.0.1:{self.server.address[1]}/v1/files/{file}/content"
        entry = self.publish("RC:FileMsg", {"name": "tea.pdf", "fileUrl": url}, b, a.user)
        self.assertEqual((entry["kind"], entry["body"]["file"]), ("file", file))
        # Nobody shows what is not theirs.
        self.expect(1002, 400, "message/private/publish", {
            "fromUserId": "t-thief", "toUserId": b.user, "objectName": "RC:FileMsg", "content": json.dumps({"name": "x", "fileUrl": url})})

    def test_M02_a_message_that_quotes_another_answers_it(self):
        """M02.types"""
        b = self.guest("t-quote")
        (uid,) = self.say("t-a", b.user, "what?")
        first = b.expect("chat.entry", type="message")
        entry = self.publish("RC:ReferenceMsg", {"content": "that", "referMsgUserId": "t-a", "referMsgUid": uid, "objName": "RC:TxtMsg"}, b)
        self.assertEqual((entry["kind"], entry["body"]["text"], entry["reply"]), ("text", "that", first["number"]))
        entry = self.publish("RC:ReferenceMsg", {"content": "lost", "referMsgUid": "AAAA-BBBB-CCCC-DDDD"}, b)
        self.assertNotIn("reply", entry)

    def test_M02_a_body_that_is_escaped_only_in_part_is_understood(self):
        """M02.forms"""
        b = self.guest("t+form")
        content = quote(json.dumps({"content": "a+b & c=d 100%"}))
        self.call("message/private/publish", f'fromUserId=t-a&toUserId=t+form&objectName=RC:TxtMsg&content={content}&pushData={{"k": "v"}}')
        entry = b.expect("chat.entry", type="message")
        self.assertEqual(entry["body"]["text"], "a+b & c=d 100%")
        self.assertEqual(entry["body"]["rc"]["pushData"], '{"k": "v"}')
        self.call("message/private/publish", 'fromUserId=t-a&toUserId=t%2Bform&objectName=RC%3ATxtMsg&content=%7B%22content%22%3A%22a+b%22%7D')
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "a b")

    def test_M05_what_is_not_counted_does_not_wait(self):
        """M05.counted"""
        b = self.guest("t-count")
        entry = self.publish("RC:TxtMsg", {"content": "quiet"}, b, isCounted=0)
        self.assertEqual(self.place_of(b, entry["conversation"])["unread"], 0)
        self.publish("RC:TxtMsg", {"content": "loud"}, b)
        self.publish("RC:InfoNtf", {"message": "by the way"}, b)
        self.assertEqual(self.place_of(b, entry["conversation"])["unread"], 1)
        self.assertEqual(len(self.history(b, entry["conversation"])), 3)

    def test_M02_only_the_server_writes_what_programs_said(self):
        """M02.private"""
        a, b = self.guest("t-forge"), self.guest("t-victim")
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": "x", "rc": {}}), "bad_request")
        self.assertEqual(a.error("chat.create", conversation="rcg:Mine"), "bad_request")


class Groups(Door):
    def members(self, group: str) -> list[str]:
        return [user["id"] for user in self.call("group/user/query", groupId=group)["users"]]

    def test_M02_groups_begin_grow_and_end(self):
        """M02.groups"""
        a, b = self.guest("h-a"), self.guest("h-b")
        self.call("group/create", {"userId": ["h-a"], "groupId": "Group_1", "groupName": "First"})
        self.assertEqual(a.expect("chat.entry", type="created")["body"]["title"], "First")
        self.call("group/create", {"userId": ["h-a", "h-c"], "groupId": "Group_1", "groupName": "First"})
        self.call("group/join", {"userId": ["h-b"], "groupId": "Group_1", "groupName": "First"})
        self.assertEqual(b.expect("chat.entry", type="joined")["body"]["users"], ["h-b"])
        self.assertEqual(self.members("Group_1"), ["h-a", "h-b", "h-c"])
        # Letters keep their case.
        self.assertEqual(self.members("group_1"), [])
        self.assertEqual(self.call("user/group/query", userId="h-b")["groups"], [{"id": "Group_1", "name": "First"}])
        self.call("group/refresh", groupId="Group_1", groupName="Second")
        self.assertEqual(b.expect("chat.entry", type="renamed")["body"]["title"], "Second")
        self.call("group/quit", {"userId": ["h-b", "h-stranger"], "groupId": "Group_1"})
        self.assertEqual(a.expect("chat.entry", type="left")["from"], "h-b")
        self.assertEqual(self.members("Group_1"), ["h-a", "h-c"])
        self.call("group/dismiss", userId="h-a", groupId="Group_1")
        self.assertEqual(a.expect("chat.entry", type="dissolved")["conversation"], "rcg:Group_1")
        self.assertEqual(self.members("Group_1"), [])
        self.assertEqual(self.call("user/group/query", userId="h-a")["groups"], [])
        for name in ("group/dismiss", "group/quit"):
            self.call(name, userId="h-a", groupId="Group_1")

    def test_M02_a_group_that_ended_begins_again_under_its_name(self):
        """M02.groups"""
        a = self.guest("i-a")
        for round in range(4):
            self.call("group/create", {"userId": ["i-a"], "groupId": "Again", "groupName": f"Round {round}"})
            self.assertEqual(self.members("Again"), ["i-a"])
            self.say("i-b", "Again", f"text {round}", "group")
            self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], f"text {round}")
            self.assertEqual(self.call("user/group/query", userId="i-a")["groups"], [{"id": "Again", "name": f"Round {round}"}])
            self.call("group/dismiss", userId="i-a", groupId="Again")

    def test_M02_long_names_of_groups_come_back_whole(self):
        """M02.groups"""
        name = "G" * 64
        self.call("group/create", {"userId": ["j-a"], "groupId": name, "groupName": "Long"})
        self.assertEqual(self.call("user/group/query", userId="j-a")["groups"], [{"id": name, "name": "Long"}])
        self.assertEqual(self.members(name), ["j-a"])


class Pushes(Program, Pushed):
    @classmethod
    def setUpClass(cls) -> None:
        cls.more = cls.options_of_door()
        super().setUpClass()

    def test_D22_what_programs_say_wakes_devices_with_their_words(self):
        """D22.push"""
        b, device = self.sleeper()
        self.say("p-a", b.user, "wake up")
        self.assertEqual(self.wait_for(device)[0]["text"], "wake up")
        fields = {"fromUserId": "p-b", "toUserId": b.user, "objectName": "My:Type", "content": "x"}
        # A type of an app says nothing by itself.
        self.call("message/private/publish", fields)
        self.call("message/private/publish", fields | {"objectName": "RC:TxtMsg", "content": '{"content":"hush"}', "disablePush": 1})
        self.call("message/private/publish", fields, pushContent="a red packet")
        self.assertEqual(self.wait_for(device, 2)[1]["text"], "a red packet")
        self.assertEqual(len(device.pushes), 2)


class Closed(unittest.TestCase):
    def test_M01_without_a_key_there_is_no_door_and_a_weak_one_is_refused(self):
        """M01.signature"""
        with Server("--doors", "rongcloud") as server:
            answer = ask_http(server, "POST", "/user/getToken.json", "userId=a", signed())
            self.assertEqual(answer.status, 404)


if __name__ == "__main__":
    unittest.main()
