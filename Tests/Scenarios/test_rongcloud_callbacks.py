"""RongCloud apps wake devices, and programs hear of what is said."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, parse_qsl, urlsplit

from pushed import Pushed
from rongcloud_program import KEY, Program, sign
from server import TIMEOUT, Server, eventually


class Pushes(Program, Pushed):
    @classmethod
    def setUpClass(cls) -> None:
        cls.more = cls.options_of_door()
        super().setUpClass()

    def test_M06_a_push_is_for_those_with_the_tags(self):
        """M06.tags M06.push"""
        (b, device), (c, other) = self.sleeper(), self.sleeper()
        self.call("user/tag/set", json.dumps({"userId": b.user, "tags": ["bj", "男"]}))
        self.call("user/tag/batch/set", json.dumps({"userIds": [c.user], "tags": ["bj"]}))
        tags = self.call("user/tags/get", userIds=[b.user, c.user])["result"]
        self.assertEqual(tags, {b.user: ["bj", "男"], c.user: ["bj"]})
        push = {"platform": ["ios", "android"], "audience": {"tag": ["bj", "男"], "is_to_all": False},
                "notification": {"alert": "usual", "android": {"alert": "for android", "extras": {"id": "1"}}}}
        self.assertRegex(self.call("push", json.dumps(push))["id"], r"\S+")
        sent = self.wait_for(device)[0]
        self.assertEqual((sent["text"], sent["extras"], sent["type"]), ("for android", {"id": "1"}, "announcement"))
        self.call("push", json.dumps(push | {"audience": {"tag_or": ["bj", "sh"], "userid": [c.user]}}))
        self.assertEqual(self.wait_for(other)[0]["text"], "for android")
        self.call("user/tag/set", json.dumps({"userId": b.user, "tags": []}))
        self.assertEqual(self.call("user/tags/get", userIds=b.user)["result"], {b.user: []})
        self.call("push/user", json.dumps({"userIds": [b.user], "notification": {"alert": "by name"}}))
        self.assertEqual(self.wait_for(device, 2)[1]["text"], "by name")
        self.call("push", json.dumps(push | {"platform": ["ios"], "audience": {"userid": [b.user]}}))
        message = {"content": "%7B%22content%22%3A%22escaped%20twice%22%7D", "objectName": "RC:TxtMsg"}
        self.call("push", json.dumps(push | {"audience": {"userid": [b.user]}, "fromuserid": "news", "message": message}))
        self.assertEqual(self.wait_for(device, 3)[2]["text"], "usual")
        for wrong in ({"audience": {}}, {"platform": []}, {"audience": {"tag": ["t"] * 21}}):
            self.assertEqual(self.post("push", json.dumps(push | wrong)).json["code"], 1002)
        for wrong in ({"tags": ["t"] * 21}, {"tags": ["t" * 41]}, {}):
            self.assertEqual(self.post("user/tag/set", json.dumps({"userId": b.user} | wrong)).status, 400)

    def test_M06_devices_make_no_sound_in_quiet_times(self):
        """M06.arranged"""
        b, device = self.sleeper()
        self.call("user/blockPushPeriod/set", userId=b.user, startTime="00:00:00", period=1439, level=1)
        data = self.call("user/blockPushPeriod/get", userId=b.user)["data"]
        self.assertEqual(data, {"startTime": "00:00:00", "period": 1439, "unPushLevel": 1})
        self.say("q-a", b.user, "hush")
        self.assertTrue(self.wait_for(device)[0]["silent"])
        self.call("user/blockPushPeriod/delete", userId=b.user)
        self.assertEqual(self.call("user/blockPushPeriod/get", userId=b.user)["data"], {})
        self.say("q-a", b.user, "loud")
        self.assertNotIn("silent", self.wait_for(device, 2)[1])
        self.expect(1002, 400, "user/blockPushPeriod/set", {"userId": b.user, "startTime": "25:00:00", "period": 5})


class Callbacks(Program, unittest.TestCase):
    def test_M01_a_program_is_told_what_people_say_with_a_signature(self):
        """M01.callback M02.types"""
        told, troubles = [], [503]

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self):
                form = self.rfile.read(int(self.headers["Content-Length"])).decode()
                told.append((urlsplit(self.path), dict(parse_qsl(form, keep_blank_values=True, strict_parsing=True))))
                self.send_response(troubles.pop() if troubles else 200)
                self.end_headers()

            def log_message(self, *_):
                pass

        receiver = HTTPServer(("127.0.0.1", 0), Receiver)
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        self.addCleanup(receiver.server_close)
        self.addCleanup(receiver.shutdown)
        url = f"http://127.0.0.1:{receiver.server_port}/route?app=1"
        with Server(*self.options_of_door(), "--rongcloud-callback", url) as server:
            self.server = server
            a = self.guest("j-a")
            self.say("j-b", "j-a", "the program knows this itself")
            a.ask("chat.send", user="j-b", body={"text": "tea & 茶=100%"})
            a.ask("chat.send", user="j-b", kind="location", body={"latitude": 1.5, "longitude": 2, "name": "here"})
            self.call("group/create", {"userId": ["j-a"], "groupId": "Told", "groupName": "T"})
            a.ask("chat.send", conversation="rcg:Told", body={"text": "in the group"})
            # The first attempt was refused, and came again.
            eventually(lambda: len(told) == 4, "all of it was told", TIMEOUT)
            for address, _ in told:
                query = {name: values[0] for name, values in parse_qs(address.query).items()}
                self.assertEqual((query["appKey"], query["app"]), (KEY, "1"))
                self.assertEqual(query["signature"], sign(query["nonce"], query["signTimestamp"]))
            self.assertEqual(len({parse_qs(address.query)["nonce"][0] for address, _ in told}), 4)
            forms = {form["msgUID"]: form for _, form in told}
            self.assertEqual(len(forms), 3)
            facts = {(f["channelType"], f["toUserId"], f["objectName"], f["content"]) for f in forms.values()}
            self.assertEqual(facts, {
                ("PERSON", "j-b", "RC:TxtMsg", '{"content":"tea & 茶=100%"}'),
                ("PERSON", "j-b", "RC:LBSMsg", '{"latitude":1.5,"longitude":2,"poi":"here"}'),
                ("GROUP", "Told", "RC:TxtMsg", '{"content":"in the group"}')})
            # A program takes a message back by the id that it was told.
            uid = next(uid for uid, form in forms.items() if form["channelType"] == "GROUP")
            self.call("message/recall", fromUserId="j-a", conversationType=3, targetId="Told", messageUID=uid, sentTime=1)
            a.expect("chat.entry", type="recalled")


if __name__ == "__main__":
    unittest.main()
