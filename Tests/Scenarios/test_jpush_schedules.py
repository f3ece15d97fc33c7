"""The official client of JPush's interface asks for pushes at their time."""

import json
import unittest
from datetime import UTC, datetime, timedelta

import jpush
from jpush import common
from jpush.schedule.schedulepayload import schedulepayload, trigger

from jpush_program import SECRET, Door
from server import eventually


def moment(seconds: float) -> str:
    """By the clock of the interface."""
    return (datetime.now(UTC) + timedelta(hours=8, seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")


class Schedules(Door):
    def plan(self, when: dict, text: str = "later", name: str = "tea_茶", zone: str = "parley", audience: object = jpush.all_) -> str:
        push = self.client().create_push()
        push.audience, push.platform, push.notification = audience, jpush.all_, jpush.notification(alert=text)
        plan = schedulepayload(name, True, when, push.payload)
        answer = self.client(zone=zone).create_schedule().post_schedule(plan).payload
        self.assertEqual(answer["name"], name)
        return answer["schedule_id"]

    def test_H04_a_schedule_pushes_when_its_time_has_come_and_tells_which_pushes_it_made(self):
        """H04.schedule"""
        b, device = self.sleeper()
        for zone in ("parley", "parley-2"):
            id = self.plan(trigger(moment(2)), f"by {zone}", zone=zone)
            eventually(lambda: [push.message["text"] for push in device.pushes][-1:] == [f"by {zone}"], "it came")
            answer = self.ask("GET", f"/v3/schedules/{id}/msg_ids", b"").json
            self.assertEqual(answer["count"], 1)
            made = json.loads(answer["msgids"][0])
            self.assertEqual((made["msg_id"], made["needRetry"]), (device.pushes[-1].message["announcement"], False))
            again = schedulepayload(trigger=trigger(moment(60)))
            self.assertRaises(common.JPushFailure, self.client().create_schedule().put_schedule, again, id)

    def test_H04_a_schedule_is_seen_changed_and_removed(self):
        """H04.schedule"""
        schedules = self.client().create_schedule()
        days = trigger("07:05:00", moment(0), moment(86_400 * 30), "WEEK", 2, ["MON", "sun"])
        first, second = self.plan(trigger(moment(3600))), self.plan(days)
        seen = schedules.get_schedule_by_id(second).payload
        self.assertEqual((seen["schedule_id"], seen["trigger"], seen["push"]["notification"]), (second, days, {"alert": "later"}))
        listed = schedules.get_schedule_list().payload
        self.assertEqual((listed["total_pages"], listed["page"]), (1, 1))
        self.assertEqual([one["schedule_id"] for one in listed["schedules"]][:2], [second, first])
        changed = schedules.put_schedule(schedulepayload(name="coffee", enabled=False), second).payload
        self.assertEqual((changed["name"], changed["enabled"], changed["trigger"]), ("coffee", False, days))
        with self.assertRaises(common.JPushFailure):
            schedules.put_schedule(schedulepayload(trigger=trigger(moment(60))), second)
        for id in (first, second):
            schedules.delete_schedule(id)
            with self.assertRaises(common.JPushFailure) as refused:
                schedules.get_schedule_by_id(id)
            self.assertEqual((refused.exception.error_code, refused.exception.response.status_code), (8104, 404))

    def test_H04_a_schedule_that_is_made_twice_is_one(self):
        """H04.schedule"""
        push = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        plan = {"cid": "tea", "name": "once", "enabled": True, "trigger": trigger(moment(3600)), "push": push}
        first = self.ask("POST", "/v3/schedules", plan)
        self.assertEqual(first.status, 200, first.body)
        self.assertEqual(self.ask("POST", "/v3/schedules", plan | {"name": "twice"}).json, first.json)
        self.assertEqual(self.ask("DELETE", f"/v3/schedules/{first.json['schedule_id']}", b"").status, 200)

    def test_H04_a_schedule_that_makes_no_sense_is_8100(self):
        """H04.schedule"""
        push = {"platform": "all", "audience": "all", "notification": {"alert": "x"}}
        right = {"name": "tea", "enabled": True, "trigger": trigger(moment(60)), "push": push}
        period = {"start": moment(0), "end": moment(86_400), "time": "07:05:00", "time_unit": "day", "frequency": 1}
        for more in [
            {"name": "a b"}, {"name": ""}, {"name": "a" * 256}, {"enabled": False}, {"enabled": "yes"}, {"push": {}}, {"more": 1},
            {"trigger": {}}, {"trigger": trigger(moment(-60))}, {"trigger": trigger(moment(86_400 * 400))},
            {"trigger": trigger("2027-02-30 00:00:00")}, {"trigger": trigger("2027-1-1 0:0:0")},
            *({"trigger": {"periodical": period | wrong}} for wrong in [
                {"end": moment(-60)}, {"time": "25:00:00"}, {"time_unit": "year"}, {"frequency": 0}, {"frequency": 101},
                {"time_unit": "week"}, {"time_unit": "week", "point": ["01"]}, {"time_unit": "month", "point": ["32"]},
                {"end": moment(86_400 * 400)},
            ]),
        ]:  # fmt: skip
            with self.subTest(more):
                self.expect(8100, 400, right | more, "/v3/schedules")
        self.expect(8101, 401, right, "/v3/schedules", secret=SECRET[::-1])
        self.assertEqual(self.ask("GET", "/v3/schedules/tea", b"").json["error"]["code"], 8104)


class Kills(Door):
    def test_H04_a_schedule_whose_time_comes_while_the_server_is_away_pushes_at_its_next_start(self):
        """H04.schedule"""
        b, device = self.sleeper()
        push = {"platform": "all", "audience": "all", "notification": {"alert": "late"}}
        for life in (0, 600):
            plan = {"name": f"life_{life}", "enabled": True, "trigger": trigger(moment(1)), "push": push}
            plan["push"] = push | {"options": {"time_to_live": life}, "notification": {"alert": f"late {life}"}}
            self.assertEqual(self.ask("POST", "/v3/schedules", plan).status, 200)
        self.server.end()
        self.server.begin()
        eventually(lambda: len({push.message["text"] for push in device.pushes}) == 2, "both came", within=20)
        self.assertEqual(len(device.pushes), 2, "once each")

    def test_H04_an_answered_push_outlives_a_kill(self):
        """H04.kept"""
        b, device = self.sleeper()
        c, other = self.sleeper("Carol")
        device.answer = lambda attempt: (503, {}) if attempt < 1 else (201, {})
        self.push(jpush.all_, "kept")
        eventually(lambda: device.attempts, "it was tried")
        self.wait_for(other)
        self.server.restart()
        self.assertEqual(self.wait_for(device, within=20)[0]["text"], "kept")
        self.push(jpush.all_, "next")
        self.assertEqual(self.wait_for(device, 2)[1]["text"], "next")
        # What came right before the kill may come once more.
        eventually(lambda: other.pushes[-1].message["text"] == "next", "the other one's next")

    def test_H04_pushes_that_are_answered_while_the_server_is_killed_again_and_again_all_come(self):
        """H04.kept"""
        b, device = self.sleeper()
        audience = jpush.audience(jpush.alias(self.known(b)["alias"]))
        for text in ("one", "two", "three"):
            self.push(audience, text)
            self.server.restart()
        eventually(lambda: {push.message["text"] for push in device.pushes} == {"one", "two", "three"}, "all came", within=20)


if __name__ == "__main__":
    unittest.main()
