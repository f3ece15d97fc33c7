"""RongCloud's own packages for Python, as their vendor publishes them, with the vendor's own tests, and what each call comes to."""

import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from people import Person
from server import Server, eventually
from test_rongcloud import Door

PROGRAMS = Path(sys.prefix) / "rongcloud"
NEWER, OLDER = PROGRAMS / "rc-server-sdk-3.2.0", PROGRAMS / "rongcloud-2.0.1"
#: What stands in the vendor's tests.
KEY, SECRET = "8luwapkvucoil", "y0icysjl4h3LWz"


def options_of(case: type[unittest.TestCase]) -> tuple[str, ...]:
    handle, path = tempfile.mkstemp()
    with os.fdopen(handle, "w") as file:
        file.write(f"{KEY}:{SECRET}\n")
    case.addClassCleanup(os.remove, path)
    return ("--doors", "rongcloud", "--rongcloud-keys", path)


@unittest.skipUnless(NEWER.exists() and OLDER.exists(), "RongCloud's programs could not be fetched")
class Suites(unittest.TestCase):
    """Unmodified: they reach this server in the place of the vendor's as what stands behind a proxy for HTTP."""

    def run_suite(self, folder: Path, tests: list[str], place: Path | str) -> str:
        with Server(*options_of(self.__class__)) as server:
            proxy = "http://{}:{}".format(*server.address)
            environment = os.environ | {
                "http_proxy": proxy, "no_proxy": "", "PYTHONPATH": str(folder), "APP_KEY": KEY, "APP_SECRET": SECRET}
            run = subprocess.run(
                [sys.executable, "-m", "unittest", "-v", *tests], cwd=place, env=environment, capture_output=True, text=True, timeout=300)
        return run.stderr

    def test_M07_all_81_tests_of_rc_server_sdk_pass(self):
        """M07.newer"""
        modules = sorted(f"unit_test.{file.stem}" for file in (NEWER / "unit_test").glob("*_unittest.py"))
        report = self.run_suite(NEWER, modules, NEWER)
        self.assertRegex(report, r"Ran 81 tests", report[-3000:])
        self.assertRegex(report, r"\nOK\n", report[-3000:])

    def test_M07_all_tests_of_rongcloud_but_those_of_short_messages_pass(self):
        """M07.older"""
        with tempfile.TemporaryDirectory() as place:
            # Four read files that the package does not have.
            source = Path(place) / "jsonsource"
            source.mkdir()
            template = {
                "fromUserId": "a", "toUserId": ["b", "c"], "objectName": "RC:TxtMsg", "content": '{"content":"{x}"}',
                "values": [{"{x}": "1"}, {"{x}": "2"}], "pushContent": ["", ""], "pushData": ["", ""]}
            (source / "TemplateMessage.json").write_text(json.dumps(template))
            (source / "UserTag.json").write_text(json.dumps({"userId": "a", "tags": ["bj"]}))
            push = {"platform": ["ios"], "audience": {"tag": ["bj"]}, "notification": {"alert": "x"}}
            (source / "PushMessage.json").write_text(json.dumps(push))
            names = re.findall(r"def (test_\w+)", (OLDER / "rongcloud" / "test.py").read_text())
            wanted = sorted(set(names) - {"test_getImageCode", "test_sendCode", "test_verifyCode"})
            report = self.run_suite(OLDER, [f"rongcloud.test.Example.{name}" for name in wanted], place)
        self.assertGreaterEqual(len(wanted), 40)
        self.assertRegex(report, rf"Ran {len(wanted)} tests", report[-3000:])
        self.assertRegex(report, r"\nOK\n", report[-3000:])


@unittest.skipUnless(NEWER.exists(), "RongCloud's programs could not be fetched")
class Effects(Door):
    """Each call of the newer package, and what people see of it."""

    @classmethod
    def options_of_door(cls) -> tuple[str, ...]:
        return options_of(cls)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        sys.path.insert(0, str(NEWER))
        cls.addClassCleanup(sys.path.remove, str(NEWER))
        module = importlib.import_module("rongcloud.rongcloud")
        cls.rc = module.RongCloud(KEY, SECRET, "http://{}:{}".format(*cls.server.address))

    def done(self, answer: dict | bytes) -> dict:
        self.assertIsInstance(answer, dict, answer)
        self.assertEqual(answer["code"], 200, answer)
        return answer

    def guest(self, user: str, name: str | None = None, **more) -> Person:
        token = self.done(self.rc.get_user().register(user, name or user, "https://e.org/p.png"))["token"]
        person = Person(self.server, token=token, **more)
        self.addCleanup(person.link.close)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def test_M07_what_is_done_to_users_is_seen_by_people(self):
        """M07.effects"""
        user = self.rc.get_user()
        a, b = self.guest("a1", "忘情水"), self.guest("b1")
        self.assertEqual(a.name, "忘情水")
        b.ask("presence.watch", users=["a1"])
        self.done(user.update("a1", "青花瓷", "https://e.org/q.png?where=super"))
        self.assertEqual(b.expect("profile", user="a1")["avatar"], "https://e.org/q.png?where=super")
        self.assertEqual(self.done(user.query("a1"))["userName"], "青花瓷")
        self.assertEqual(self.done(user.check_online("a1"))["status"], "1")
        self.done(user.get_blacklist().add("a1", ["b1", "c1"]))
        self.assertEqual(b.error("chat.send", user="a1", body={"text": "x"}), "blocked")
        self.assertEqual(self.done(user.get_blacklist().query("a1"))["users"], ["b1", "c1"])
        self.done(user.get_blacklist().remove("a1", ["b1", "c1"]))
        self.assertIsNone(b.error("chat.send", user="a1", body={"text": "x"}))
        self.done(user.get_whitelist().add("a1", ["b1"]))
        self.assertEqual(self.done(user.get_whitelist().query("a1"))["users"], ["b1"])
        self.done(user.get_whitelist().remove("a1", ["b1"]))
        self.done(user.get_tag().set(["a1", "b1"], ["bj", "男"]))
        self.done(user.get_tag().set("b1", ["sh"]))
        self.assertEqual(self.done(user.get_tag().get(["a1", "b1"]))["result"], {"a1": ["bj", "男"], "b1": ["sh"]})
        self.done(user.get_block().add(["a1"], 300))
        a.wait_for_end()
        self.assertEqual([u["userId"] for u in self.done(user.get_block().query())["users"]], ["a1"])
        self.done(user.get_block().remove("a1"))
        self.assertEqual(self.done(user.get_block().query())["users"], [])

    def test_M07_messages_reach_people_in_each_of_their_ways(self):
        """M07.effects"""
        message, b = self.rc.get_message(), self.guest("b2")
        extension = json.dumps({"title": "t", "pushConfigs": [{"HW": {"channelId": "hw-123"}}]})
        sent = self.done(message.get_private().send(
            "a2", "b2", "RC:TxtMsg", {"content": "hello + you & me", "extra": "..."}, expansion=True, disable_push=True, push_ext=extension))
        entry = b.expect("chat.entry", type="message")
        self.assertEqual(entry["body"]["text"], "hello + you & me")
        uid = sent["messageUIDs"][0]["messageUID"]
        self.done(message.get_private().recall("a2", "b2", uid, entry["time"]))
        b.expect("chat.entry", type="recalled")
        self.done(message.get_private().send_template(
            "a2", ["b2", "c2"], "RC:TxtMsg", [{"{c}": "1", "{d}": "2"}, {"{c}": "3", "{d}": "4"}], {"content": "{c}{d}"},
            ["push{c}", "push{c}"], ["d", "d"], disable_push=False))
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "12")
        self.done(message.get_private().send_status_message("a2", ["b2"], "RC:TxtMsg", {"content": "now"}))
        self.assertEqual(b.expect("chat.passing")["body"]["text"], "now")
        self.done(message.get_system().send("news2", "b2", "RC:TxtMsg", {"content": "by the system"}, push_ext=extension))
        entry = b.expect("chat.entry", type="message")
        self.assertEqual((entry["body"]["text"], self.place_of(b, entry["conversation"])["kind"]), ("by the system", "system"))
        self.done(message.get_system().send_template(
            "news2", ["b2"], "RC:TxtMsg", {"content": "{c}"}, [{"{c}": "system template"}], [""], [""]))
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "system template")
        self.done(message.broadcast("news2", "RC:TxtMsg", {"content": "to everybody"}))
        eventually(lambda: b.heard("chat.entry", type="message") or b.ask("ice.servers") and None, "the broadcast came")
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "to everybody")
        hour = time.strftime("%Y%m%d%H", time.gmtime(time.time() + 8 * 3600))
        self.assertIn("/v1/files/", self.done(message.get_history().query(hour))["url"])
        self.done(message.get_history().remove(hour))
        self.assertEqual(self.done(message.get_history().query(hour))["url"], "")

    def test_M07_groups_are_what_programs_make_of_them(self):
        """M07.effects"""
        group, message = self.rc.get_group(), self.rc.get_message().get_group()
        a, b = self.guest("a3"), self.guest("b3")
        self.done(group.create(["a3"], "g3", "TestGroup"))
        self.assertEqual(a.expect("chat.entry", type="created")["body"]["title"], "TestGroup")
        self.done(group.join(["b3", "c3"], "g3", "TestGroup"))
        self.assertEqual(b.expect("chat.entry", type="joined")["conversation"], "rcg:g3")
        self.assertEqual([u["id"] for u in self.done(group.query("g3"))["users"]], ["a3", "b3", "c3"])
        self.assertEqual([u["id"] for u in self.done(group.get_user().query("g3"))["users"]], ["a3", "b3", "c3"])
        self.done(group.update("g3", "new"))
        self.assertEqual(b.expect("chat.entry", type="renamed")["body"]["title"], "new")
        content = {"content": "@b3", "mentionedInfo": {"type": 2, "userIdList": ["b3"], "mentionedContent": "有人@你"}}
        uid = self.done(message.send("a3", "g3", "RC:TxtMsg", content))["messageUIDs"][0]["messageUID"]
        self.assertEqual(b.expect("chat.entry", type="message")["mentions"], ["b3"])
        self.done(message.recall("a3", "g3", uid, 1507778882124))
        b.expect("chat.entry", type="recalled")
        self.done(message.send_direction("a3", "g3", ["b3"], "RC:TxtMsg", {"content": "psst"}))
        self.assertEqual(b.expect("chat.entry", type="message")["body"]["text"], "psst")
        self.done(message.send_status_message("a3", ["g3"], "RC:TxtMsg", {"content": "now"}))
        self.assertEqual(b.expect("chat.passing")["conversation"], "rcg:g3")
        gag, ban = group.get_user().get_gag(), group.get_user().get_ban()
        self.done(gag.add(["b3"], "g3", 10))
        self.assertEqual(b.error("chat.send", conversation="rcg:g3", body={"text": "x"}), "silenced")
        self.assertEqual([u["userId"] for u in self.done(gag.query("g3"))["users"]], ["b3"])
        self.done(gag.remove("b3", "g3"))
        self.done(ban.add(["g3"]))
        self.done(ban.get_whitelist().add("a3", "g3"))
        self.assertEqual(b.error("chat.send", conversation="rcg:g3", body={"text": "x"}), "silenced")
        self.assertIsNone(a.error("chat.send", conversation="rcg:g3", body={"text": "x"}))
        self.assertEqual(self.done(ban.query("g3"))["groupinfo"], [{"groupId": "g3", "stat": 1}])
        self.assertEqual(self.done(ban.get_whitelist().query("g3"))["userIds"], ["a3"])
        self.done(ban.get_whitelist().remove("a3", "g3"))
        self.done(ban.remove("g3"))
        self.assertIsNone(b.error("chat.send", conversation="rcg:g3", body={"text": "x"}))
        self.done(group.sync("b3", [("g4", "Other")]))
        self.assertEqual(self.done(group.query_user_group("b3"))["groups"], [{"id": "g4", "name": "Other"}])
        self.done(group.quit(["c3"], "g3"))
        self.assertEqual([u["id"] for u in self.done(group.query("g3"))["users"]], ["a3"])
        self.done(group.dismiss("a3", "g3"))
        a.expect("chat.entry", type="dissolved")

    def test_M07_rooms_are_what_programs_make_of_them(self):
        """M07.effects"""
        room, message, a = self.rc.get_chatroom(), self.rc.get_message().get_chatroom(), self.guest("a5")
        self.done(room.create([("r5", "name5")]))
        self.assertEqual(self.done(room.query("r5"))["chatRooms"][0]["name"], "name5")
        self.assertNotIn("error", a.ask("chat.join", conversation="rcr:r5"))
        self.assertEqual(self.done(room.get_user().query("r5", 10, 1))["total"], 1)
        self.assertIs(self.done(room.get_user().isexist("r5", "a5"))["isInChrm"], True)
        self.assertEqual(self.done(room.get_user().isexist("r5", ["a5", "x"]))["result"][1]["isInChrm"], 0)
        self.done(message.send("host5", "r5", "RC:TxtMsg", {"content": "welcome"}))
        self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], "welcome")
        self.done(message.broadcast("host5", "RC:TxtMsg", {"content": "all rooms"}))
        self.assertEqual(a.expect("chat.entry", type="message")["body"]["text"], "all rooms")

        def speaks() -> str | None:
            return a.error("chat.send", conversation="rcr:r5", body={"text": "x"})

        user = room.get_user()
        for name, begin, end in (
            ("gag", lambda: user.get_gag().add("a5", "r5", 1), lambda: user.get_gag().remove("a5", "r5")),
            ("ban", lambda: user.get_ban().add("a5", 1), lambda: user.get_ban().remove("a5")),
            ("stop", lambda: room.get_message().stop_distribution("r5"), lambda: room.get_message().resume_distribution("r5")),
        ):
            self.done(begin())
            self.assertEqual(speaks(), "silenced", name)
            self.done(end())
            self.assertIsNone(speaks(), name)
        self.assertEqual(self.done(user.get_gag().query("r5"))["users"], [])
        self.assertEqual(self.done(user.get_ban().query())["users"], [])
        lists = (
            (lambda: user.get_whitelist().add("r5", "a5"), lambda: user.get_whitelist().query("r5")["users"], lambda: user.get_whitelist().remove("r5", "a5")),
            (lambda: room.get_whitelist().add("RC:TxtMsg"), lambda: room.get_whitelist().query()["whitlistMsgType"], lambda: room.get_whitelist().remove("RC:TxtMsg")),
            (lambda: room.get_keepalive().add("r5"), lambda: room.get_keepalive().query()["chatroomIds"], lambda: room.get_keepalive().remove("r5")),
            (lambda: room.get_message().get_priority().add("RC:VcMsg"), lambda: room.get_message().get_priority().query()["objectNames"],
             lambda: room.get_message().get_priority().remove("RC:VcMsg")),
        )  # fmt: skip
        for add, query, remove in lists:
            self.done(add())
            self.assertEqual(len(query()), 1)
            self.done(remove())
            self.assertEqual(query(), [])
        self.done(user.get_block().add("a5", "r5", 1))
        self.assertEqual(a.expect("chat.entry", type="removed")["body"]["user"], "a5")
        self.assertEqual([u["userId"] for u in self.done(user.get_block().query("r5"))["users"]], ["a5"])
        self.done(user.get_block().remove("a5", "r5"))
        self.assertNotIn("error", a.ask("chat.join", conversation="rcr:r5"))
        self.done(room.destroy("r5"))
        self.assertEqual(self.done(room.query("r5"))["chatRooms"], [])

    def arrives(self, a: Person, b: Person, text: str) -> str:
        """How b hears what a says."""
        a.ask("chat.send", user=b.user, body={"text": text})
        return b.expect("chat.entry", type="message")["body"]["text"]

    def test_M07_words_are_covered_and_conversations_muted(self):
        """M07.effects"""
        words, mutes = self.rc.get_sensitive(), self.rc.get_conversation().get_notification()
        a, b = self.guest("a6"), self.guest("b6")
        self.done(words.add("我们", "你们"))
        self.assertEqual(self.done(words.query(2))["words"], [{"type": "0", "word": "我们", "replaceWord": "你们"}])
        self.server.shows(lambda: self.arrives(a, b, "我们好") == "**好", "the word is covered")
        self.done(words.remove(["我们", "他们"]))
        self.assertEqual(self.done(words.query(2))["words"], [])
        self.done(mutes.set(1, "b6", "a6", 1))
        self.assertEqual(b.expect("chat.arranged")["muted"], True)
        self.assertEqual(self.done(mutes.get(1, "b6", "a6"))["isMuted"], 1)


if __name__ == "__main__":
    unittest.main()
