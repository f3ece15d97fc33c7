"""The official client of JPush's interface, unmodified, pushes to devices of this server."""

import unittest

import jpush

from jpush_program import GROUP, GROUP_SECRET, KEY, SECRET, Door
from server import eventually
from wire import ask_http


class Audiences(Door):
    def test_H04_a_push_reaches_whom_it_is_for(self):
        """H04.audience"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        self.assertGreater(int(self.push(jpush.audience(jpush.alias(self.known(b)["alias"])))["msg_id"]), 0)
        self.assertEqual(self.wait_for(device)[0]["text"], "tea is ready")
        self.assertEqual(other.pushes, [])
        self.push(jpush.audience(jpush.registration_id(self.known(c)["registration"])))
        self.wait_for(other)
        self.push(jpush.all_)
        self.wait_for(device, 2), self.wait_for(other, 2)

    def test_H04_tags_choose_any_all_or_none(self):
        """H04.audience"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        registrations = [self.known(one)["registration"] for one in (b, c)]
        devices = self.client().create_device()
        devices.set_deviceinfo(registrations[0], jpush.device_tag(jpush.add("tea", "茶")))
        devices.set_deviceinfo(registrations[1], jpush.device_tag(jpush.add("tea")))
        self.push(jpush.audience(jpush.tag_and("tea", "茶")), "both")
        self.assertEqual(self.wait_for(device)[0]["text"], "both")
        self.push(jpush.audience(jpush.tag("tea"), jpush.tag_not("茶")), "one")
        self.assertEqual(self.wait_for(other)[0]["text"], "one")
        self.assertEqual(len(device.pushes), 1)

    def test_H04_a_push_to_nobody_is_refused_with_1011(self):
        """H04.refused"""
        body = {"platform": "all", "audience": {"alias": ["nobody"]}, "notification": {"alert": "x"}}
        self.expect(1011, 400, body)

    def test_H04_what_is_wrong_has_its_code(self):
        """H04.refused"""
        right = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        for code, status, more in [
            (1002, 400, {"platform": None}), (1002, 400, {"audience": None}), (1002, 400, {"notification": None}),
            (1002, 400, {"message": {"title": "x"}}), (1003, 400, {"platform": "moon"}),
            (1003, 400, {"audience": {"alias": ["a-b"]}}), (1003, 400, {"audience": {"tag": ["a" * 41]}}),
            (1003, 400, {"audience": {"tag": []}}), (1003, 400, {"audience": {"tag": [""]}}),
            (1003, 400, {"audience": {"tag": ["a"] * 21}}), (1003, 400, {"options": {"time_to_live": 864001}}),
            (1003, 400, {"options": {"sendno": 0}}), (1009, 400, {"surprise": 1}),
            (1009, 400, {"notification": {"android": {"alert": "x", "content_available": True}}}),
            (2007, 403, {"audience": {"segment": ["a"]}}), (2007, 403, {"sms_message": {}}),
        ]:  # fmt: skip
            with self.subTest(more):
                self.expect(code, status, right | more)
        self.expect(1004, 401, right, secret=SECRET[::-1])
        self.expect(1008, 400, right, key=KEY[::-1])
        self.assertEqual(self.ask("GET", "/v3/push", b"").json["error"]["code"], 1001)

    def test_H04_a_cid_that_is_said_twice_is_answered_as_at_first_and_sent_once(self):
        """H04.once"""
        b, device = self.sleeper()
        [cid] = self.client().create_push().get_cid(1).payload["cidlist"]
        self.assertTrue(cid.startswith(f"{KEY}-"), cid)
        body = {"platform": "all", "audience": {"alias": [self.known(b)["alias"]]}, "notification": {"alert": "once"}, "cid": cid}
        body["options"] = {"sendno": 7}
        first = self.ask("POST", "/v3/push", body)
        self.assertEqual((first.status, first.json["sendno"]), (200, "7"), first.body)
        self.wait_for(device)
        for path in ("/v3/push", "/v3/push/validate"):
            self.assertEqual(self.ask("POST", path, body | {"options": {"sendno": 8}}).json, first.json)
        answer = self.ask("POST", "/v3/push", body | {"cid": f"{cid}2", "notification": {"alert": "twice"}})
        self.assertNotEqual(answer.json["msg_id"], first.json["msg_id"])
        self.assertEqual([message["text"] for message in self.wait_for(device, 2)], ["once", "twice"])

    def test_H04_a_push_takes_the_place_of_an_earlier_one(self):
        """H04.instead"""
        b, device = self.sleeper()
        audience = {"alias": [self.known(b)["alias"]]}
        body = {"platform": "all", "audience": audience, "notification": {"alert": "tea"}}
        first = self.ask("POST", "/v3/push", body).json["msg_id"]
        self.wait_for(device)
        body["options"] = {"override_msg_id": int(first)}
        self.assertEqual(self.ask("POST", "/v3/push", body).status, 200)
        self.wait_for(device, 2)
        self.assertEqual(device.pushes[0].headers["Topic"], device.pushes[1].headers["Topic"])
        body["options"] = {"override_msg_id": 1}
        self.expect(1003, 400, body)

    def test_H04_what_is_for_those_who_are_there_is_kept_by_nobody(self):
        """H04.instant"""
        b, device = self.sleeper()
        body = {"platform": "all", "audience": {"alias": [self.known(b)["alias"]]}, "notification": {"alert": "now"}}
        self.ask("POST", "/v3/push", body | {"options": {"time_to_live": 0}})
        self.wait_for(device)
        self.assertEqual(device.pushes[0].headers["TTL"], "0")
        self.ask("POST", "/v3/push", body | {"options": {"time_to_live": 60}})
        self.wait_for(device, 2)
        self.assertLessEqual(58, int(device.pushes[1].headers["TTL"]))
        self.assertLessEqual(int(device.pushes[1].headers["TTL"]), 61)


class Batches(Door):
    def test_H04_a_batch_pushes_other_words_to_each(self):
        """H04.batch"""
        (b, device), (c, other) = self.sleeper(), self.sleeper("Carol")
        push = self.client().create_push()
        one = {"platform": "all", "message": {"msg_content": "raw"}}
        answer = push.batch_push_by_regid([
            one | {"target": self.known(b)["registration"], "notification": {"alert": "for Bob"}},
            one | {"target": self.known(c)["registration"], "notification": {"alert": "for Carol"}},
            one | {"target": "0000000000000000000"}, one, one | {"target": 7}, one | {"target": "a", "audience": "all"},
        ]).payload  # fmt: skip
        self.assertEqual([message["text"] for message in self.wait_for(device) + self.wait_for(other)], ["for Bob", "for Carol"])
        self.assertEqual(
            [each.get("error", {}).get("code") for each in answer.values()], [None, None, 1011, 1002, 1003, 1009])
        self.assertEqual([str(each["msg_id"]) for each in list(answer.values())[:2]], [
            device.pushes[0].message["announcement"], other.pushes[0].message["announcement"]])  # fmt: skip
        answer = push.batch_push_by_alias([one | {"target": self.known(b)["alias"], "notification": {"alert": "again"}}]).payload
        self.assertEqual(self.wait_for(device, 2)[1]["text"], "again")
        [cid] = answer
        again = {"pushlist": {cid: one | {"target": self.known(b)["alias"]}}}
        self.assertEqual(self.ask("POST", "/v3/push/batch/alias/single", again).json, answer)

    def test_H04_a_batch_that_makes_no_sense_is_refused_as_a_whole(self):
        """H04.batch"""
        path = "/v3/push/batch/alias/single"
        self.expect(1002, 400, {}, path)
        self.expect(1003, 400, {"pushlist": {}}, path)
        self.expect(1003, 400, {"pushlist": []}, path)
        self.expect(1003, 400, {"pushlist": {str(number): {} for number in range(1001)}}, path)
        self.expect(1004, 401, {"pushlist": {}}, path, secret=SECRET[::-1])


class Groups(Door):
    def test_H04_a_group_pushes_once_in_the_name_of_one_program(self):
        """H04.group"""
        b, device = self.sleeper()
        group = jpush.GroupPush(GROUP, GROUP_SECRET)
        group.zone = "parley"
        push = group.create_push()
        push.zone, push.audience, push.platform = "parley", jpush.all_, jpush.all_
        push.notification = jpush.notification(alert="for all")
        answer = push.send().payload
        self.assertEqual(answer, {KEY: {"sendno": "0", "msg_id": answer["group_msgid"]}, "group_msgid": answer["group_msgid"]})
        self.assertEqual(self.wait_for(device)[0]["announcement"], answer["group_msgid"])
        self.assertEqual(self.client().create_report().get_received(answer["group_msgid"]).payload[0]["msg_id"], answer["group_msgid"])

    def test_H04_a_groups_key_opens_nothing_else_and_a_programs_key_no_group(self):
        """H04.group"""
        body = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        self.expect(1008, 400, body, key=f"group-{GROUP}", secret=GROUP_SECRET)
        self.expect(1008, 400, body, "/v3/grouppush")
        self.expect(1004, 401, body, "/v3/grouppush", key=f"group-{GROUP}", secret=SECRET)


class Devices(Door):
    def test_H05_a_program_sees_and_changes_what_devices_are_found_by(self):
        """H05.api"""
        for zone in ("parley", "parley-2"):
            with self.subTest(zone):
                b, device = self.sleeper()
                registration, devices = self.known(b)["registration"], self.client(zone=zone).create_device()
                self.assertEqual(
                    devices.get_deviceinfo(registration).payload, {"tags": None, "alias": self.known(b)["alias"], "mobile": None})
                devices.set_deviceinfo(registration, jpush.device_tag(jpush.add("tea", "茶")) | jpush.device_alias("猫.1"))
                devices.set_devicemobile(registration, jpush.device_mobile("13800138000"))
                self.assertEqual(
                    devices.get_deviceinfo(registration).payload, {"tags": ["tea", "茶"], "alias": "猫.1", "mobile": "13800138000"})
                self.assertEqual(devices.get_aliasuser("猫.1").payload, {"registration_ids": [registration]})
                self.assertEqual(devices.get_aliasuser("猫.1", "android,ios").payload, {"registration_ids": [registration]})
                self.assertEqual(devices.get_aliasuser("猫.1", "ios").payload, {"registration_ids": []})
                self.assertIn("茶", devices.get_taglist().payload["tags"])
                self.assertEqual(devices.check_taguserexist("茶", registration).payload, {"result": True})
                devices.update_tagusers("coffee", jpush.device_regid(jpush.add(registration)))
                devices.delete_tag("茶", "ios")
                self.assertEqual(devices.check_taguserexist("茶", registration).payload, {"result": True}, "it is of another platform")
                devices.delete_tag("茶", "android")
                devices.delete_tag("tea")
                self.assertEqual(devices.get_deviceinfo(registration).payload["tags"], ["coffee"])
                devices.set_deviceinfo(registration, jpush.device_tag(""))
                devices.delete_alias("猫.1", "ios")
                self.assertEqual(devices.get_deviceinfo(registration).payload["alias"], "猫.1")
                devices.delete_alias("猫.1")
                self.assertEqual(devices.get_deviceinfo(registration).payload, {"tags": None, "alias": None, "mobile": "13800138000"})

    def test_H05_what_breaks_a_rule_is_7002_with_the_number_of_the_rule(self):
        """H05.api"""
        b, device = self.sleeper()
        path = f"/v3/devices/{self.known(b)['registration']}"
        for number, body in [
            (6003, {"alias": "a-b"}), (6004, {"alias": "a" * 41}), (6005, {"tags": {"add": ["a b"]}}), (6006, {"tags": {"add": ["茶" * 14]}}),
            ("at most 100", {"tags": {"add": ["a"] * 101}}), ("'tags'", {"tags": "t"}), ("'alias'", {"alias": {"add": ["a"]}}),
            ("'mobile'", {"mobile": "tea"}),
        ]:  # fmt: skip
            with self.subTest(body):
                answer = self.ask("POST", path, body)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (400, 7002), answer.body)
                self.assertIn(str(number), answer.json["error"]["message"])
        for path in ("/v3/devices/0000000000000000000", "/v3/devices/tea"):
            self.assertEqual(self.ask("GET", path, b"").json["error"]["code"], 7002)
        unknown = {"registration_ids": {"add": ["0000000000000000000"]}}
        self.expect(7002, 400, unknown, "/v3/tags/tea")
        self.expect(7004, 401, {}, path, secret=SECRET[::-1])
        self.expect(7008, 400, {}, path, key=KEY[::-1])

    def test_H05_a_program_asks_whose_users_are_there(self):
        """H05.api"""
        b, device = self.sleeper()
        a = self.listener("Ann")
        self.subscribe(a, self.service.device())
        away, there, nobody = self.known(b)["registration"], self.known(a)["registration"], "0000000000000000000"
        status = lambda zone: self.client(zone=zone).create_device().get_device_status([away, there, nobody]).payload
        # Over PostgreSQL the server first finds out that it is alone.
        eventually(lambda: status("parley")[there]["online"], "the server knows who is there")
        for zone in ("parley", "parley-2"):
            answer = status(zone)
            self.assertEqual(answer, {away: {"online": False}, there: {"online": True}, nobody: {}})

    def test_H05_every_answer_tells_how_many_requests_are_left(self):
        """H05.api"""
        first, second = (self.ask("GET", "/v3/tags/", b"").headers for _ in range(2))
        self.assertEqual(first["x-rate-limit-quota"], "600")
        self.assertEqual(int(second["x-rate-limit-remaining"]), int(first["x-rate-limit-remaining"]) - 1)
        self.assertIn(int(second["x-rate-limit-reset"]), range(1, 61))


class Reports(Door):
    def test_H14_a_report_counts_what_push_services_took(self):
        """H14.received"""
        b, device = self.sleeper()
        c, refused = self.sleeper("Carol")
        refused.answer = lambda attempt: (400, {})
        number = self.push(jpush.all_)["msg_id"]
        self.wait_for(device)
        for zone in ("parley", "parley-2"):
            report = self.client(zone=zone).create_report()
            eventually(lambda: report.get_received(number).payload[0]["android_received"] == 1, "it is counted")
            self.assertEqual(
                report.get_received(f"{number},1").payload,
                [{"msg_id": number, "android_received": 1, "ios_apns_sent": 0, "ios_apns_received": None, "ios_msg_received": None,
                  "wp_mpns_sent": None}])  # fmt: skip
            self.assertEqual(report.get_received_detail(number).payload[0]["jpush_received"], 1)
            [known, other] = [self.known(one)["registration"] for one in (b, c)]
            eventually(lambda: report.get_messages(number).payload[0]["android"]["target"] >= 2, "all are counted")
            status = report.get_status_message(int(number), [known, other, "0000000000000000000"]).payload
            self.assertEqual(status, {known: {"status": 0}, other: {"status": 4}, "0000000000000000000": {"status": 2}})
        d, late = self.sleeper("Dora")
        late = self.known(d)["registration"]
        self.assertEqual(report.get_status_message(int(number), late).payload, {late: {"status": 3}})
        [message] = device.pushes
        answer = ask_http(
            self.server, "POST", "/v1/push/clicked", {"push": message.message["push"]}, {"Authorization": f"Bearer {b.token}"})
        self.assertEqual(answer.status, 200)

    def test_H14_a_tap_is_counted_once(self):
        """H14.received"""
        b, device = self.sleeper()
        number = self.push(jpush.audience(jpush.alias(self.known(b)["alias"])))["msg_id"]
        [message] = self.wait_for(device)
        click = {"push": message["push"], "device": "phone"}
        for _ in range(2):
            eventually(
                lambda: ask_http(self.server, "POST", "/v1/push/clicked", click, {"Authorization": f"Bearer {b.token}"}).status == 200,
                "its push is known")
        android = self.client().create_report().get_messages(number).payload[0]["android"]
        self.assertEqual((android["target"], android["click"]), (1, 1))

    def test_H14_what_is_not_counted_or_makes_no_sense_has_its_code(self):
        """H14.received"""
        for path, code, status in [
            ("received", 3004, 400), ("received?msg_ids=tea", 3004, 400), (f"received?msg_ids={'1,' * 100}1", 3004, 400),
            ("users?time_unit=DAY&start=2026-11-01&duration=1", 2003, 403), ("messages/detail?msg_ids=1", 2003, 403),
        ]:  # fmt: skip
            answer = self.ask("GET", f"/v3/{path}", b"")
            self.assertEqual((answer.status, answer.json["error"]["code"]), (status, code), path)
        self.expect(3004, 400, {"msg_id": 1}, "/v3/status/message")
        self.expect(3001, 401, {"msg_id": 1}, "/v3/status/message", secret=SECRET[::-1])


class TakenBack(Door):
    def test_H04_a_push_that_is_taken_back_goes_where_it_was_shown_and_does_not_come_elsewhere(self):
        """H04.over"""
        b, device = self.sleeper()
        c, busy = self.sleeper("Carol")
        busy.answer = lambda attempt: (503, {"Retry-After": "1"}) if attempt < 1 else (201, {})
        number = self.push(jpush.all_)["msg_id"]
        [message] = self.wait_for(device)
        eventually(lambda: busy.attempts, "it was tried")
        self.assertEqual(self.ask("DELETE", f"/v3/push/{number}", b"").status, 200)
        over = self.wait_for(device, 2)[1]
        self.assertEqual((over["type"], over["announcement"], over["topic"]), ("announcementOver", number, message["topic"]))
        self.assertEqual(device.pushes[0].headers["Topic"], device.pushes[1].headers["Topic"])
        self.push(jpush.audience(jpush.alias(self.known(c)["alias"])), "later")
        eventually(lambda: [push.message.get("text") for push in busy.pushes][-1:] == ["later"], "what is later came")
        self.assertNotIn("tea is ready", [push.message.get("text") for push in busy.pushes])
        for path in ("/v3/push/1", "/v3/push/tea"):
            self.assertEqual(self.ask("DELETE", path, b"").json["error"]["code"], 1003)


class Sizes(Door):
    def test_H08_what_is_too_long_for_a_push_service_arrives_with_its_first_words(self):
        b, device = self.sleeper()
        body = {"platform": ["android"], "audience": {"alias": [self.known(b)["alias"]]}}
        body["notification"] = {"android": {"alert": "tea", "title": "now", "extras": {"objectId": "x" * 3900}}}
        self.assertEqual(self.ask("POST", "/v3/push", body).status, 200)
        [message] = self.wait_for(device)
        self.assertEqual((message["title"], message["text"], message.get("extras")), ("now", "tea", None))

    def test_H08_what_a_program_adds_reaches_the_device(self):
        b, device = self.sleeper()
        push = self.client().create_push()
        push.audience, push.platform = jpush.audience(jpush.alias(self.known(b)["alias"])), jpush.all_
        extras = {"objectId": {"content": "在吗", "sourceAccount": "a", "account": "b", "sendTime": 1700000000000}}
        push.notification = jpush.notification(android=jpush.android("tea", title="now", extras=extras), ios=jpush.ios("tea"))
        push.message = jpush.message("raw", title="t", content_type="text", extras={"k": "v"})
        push.send()
        [message] = self.wait_for(device)
        self.assertEqual((message["title"], message["text"], message["extras"]), ("now", "tea", extras))
        self.assertEqual(
            (message["content"], message["contentTitle"], message["contentType"], message["contentExtras"]), ("raw", "t", "text", {"k": "v"}))

    def test_H08_what_is_too_large_is_1005(self):
        right = {"platform": "all", "audience": "all"}
        self.expect(1005, 400, right | {"notification": {"alert": "a" * 4001}})
        self.expect(1005, 400, right | {"notification": {"ios": {"alert": "a" * 2000}}})
        self.expect(1005, 400, right | {"message": {"msg_content": "a" * 4000}})


class Keys(Door):
    def test_H04_who_shows_wrong_keys_again_and_again_has_to_wait(self):
        """H04.refused"""
        body = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        self.assertNotEqual(self.ask("POST", "/v3/push", body).status, 429)
        answers = [self.ask("POST", "/v3/push", body, secret=SECRET[::-1]) for _ in range(40)]
        self.assertEqual({answer.status for answer in answers}, {401, 429})
        self.assertEqual(answers[-1].json["error"]["code"], 2002)
        self.assertGreater(int(answers[-1].headers["retry-after"]), 0)
        self.assertEqual(self.ask("POST", "/v3/push", body).status, 429, "also with the right one, until then")


if __name__ == "__main__":
    unittest.main()
