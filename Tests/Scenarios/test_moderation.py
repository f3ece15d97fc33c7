"""What operators and moderators do to people, and what is written down about it."""

import http.client
import json
import signal
import subprocess
import time
import unittest

from house import House
from people import VOUCHED, Person
from server import TIMEOUT, Server, binary, eventually
from wire import Answer, ask_http, read_answer


def ask_admin(server: Server, method: str, path: str, body: dict | None = None, headers: dict | None = None) -> Answer:
    connection = http.client.HTTPConnection(*server.admin, timeout=TIMEOUT)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers or {})
        return read_answer(connection)
    finally:
        connection.close()


def run(server: Server, *arguments: str) -> subprocess.CompletedProcess:
    """A command of the operator's."""
    command, *rest = arguments
    return subprocess.run(
        [binary(), command, "--admin", "{}:{}".format(*server.admin), *rest], capture_output=True, text=True,
        timeout=TIMEOUT)


class Audit(House):
    def records(self, query: str = "") -> list[dict]:
        answer = ask_admin(self.server, "GET", f"/v1/audit{query}")
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json["records"]

    def test_A18_every_action_on_the_admin_address_is_written_down(self):
        """A18.actions"""
        who = self.person("somebody").user
        for method, path in (
            ("POST", f"/v1/users/{who}/kick"), ("POST", f"/v1/users/{who}/ban?seconds=60"), ("POST", f"/v1/users/{who}/unban"),
            ("DELETE", "/v1/users/never-seen"), ("POST", "/v1/webhooks/replay?conversation=nowhere"),
        ):
            ask_admin(self.server, method, path)
        found = [
            (one["action"], one.get("target"), one.get("detail"), one["outcome"]) for one in self.records()][-5:]
        self.assertEqual(found, [
            ("user.kick", who, None, "done"), ("user.ban", who, "seconds=60", "done"), ("user.unban", who, None, "done"),
            ("user.delete", "never-seen", None, "refused"), ("webhooks.replay", "nowhere", None, "done"),
        ])
        last = self.records()[-1]
        self.assertEqual(last["actor"], "operator")
        self.assertTrue(last["address"].startswith("127.0.0.1:"), last)
        self.assertNotIn("token", last)

    def test_A18_the_log_is_read_page_by_page_and_by_a_command(self):
        """A18.read"""
        for number in range(5):
            ask_admin(self.server, "POST", f"/v1/users/page-{number}/unban")
        latest = self.records("?limit=3")
        self.assertEqual([one["target"] for one in latest], ["page-2", "page-3", "page-4"])
        after = self.records(f"?after={latest[0]['number']}&limit=1")
        self.assertEqual([one["target"] for one in after], ["page-3"])
        for query in ("?limit=0", "?limit=1001", "?limit=x", "?after=-1", "?after=x"):
            self.assertEqual(ask_admin(self.server, "GET", f"/v1/audit{query}").status, 400, query)
        table = run(self.server, "audit", "--limit", "2")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertEqual([line.split()[4] for line in table.stdout.splitlines()], ["page-3", "page-4"])
        parsed = run(self.server, "audit", "--json", "--after", str(latest[1]["number"]))
        self.assertEqual([one["target"] for one in json.loads(parsed.stdout)["records"]], ["page-4"])


class Moderators(House):
    def setUp(self) -> None:
        self.moderator, self.owner, self.troll = (self.person(name) for name in ("moderator", "owner", "troll"))
        done = run(self.server, "moderators", "add", self.moderator.user)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.room = self.owner.ask("chat.create", kind="room", title="plaza")["conversation"]
        self.troll.ask("chat.join", conversation=self.room)

    def test_F10_moderators_are_named_and_dismissed_by_operators(self):
        """F10.named"""
        listed = ask_admin(self.server, "GET", "/v1/moderators").json["moderators"]
        self.assertIn((self.moderator.user, "moderator"), [(one["user"], one.get("name")) for one in listed])
        self.assertIn(self.moderator.user, run(self.server, "moderators").stdout)
        self.assertEqual(ask_admin(self.server, "PUT", "/v1/moderators/never-seen").status, 404)
        self.assertEqual(run(self.server, "moderators", "remove", self.moderator.user).returncode, 0)
        self.assertEqual(self.moderator.error("chat.remove", conversation=self.room, user=self.troll.user), "not_member")

    def test_F10_a_moderator_sends_away_silences_and_takes_back_without_being_a_member(self):
        """F10.power F10.audited"""
        said = self.troll.ask("chat.send", conversation=self.room, body={"text": "bad words"})
        self.troll.ask("chat.sync")
        until = 4_000_000_000_000
        for event, fields in (
            ("chat.recall", {"number": said["number"]}),
            ("chat.silence", {"user": self.troll.user, "until": until, "reason": "bad words"}),
        ):
            answer = self.moderator.ask(event, conversation=self.room, **fields)
            self.assertNotIn("error", answer)
        self.assertEqual(self.troll.error("chat.send", conversation=self.room, body={"text": "more"}), "silenced")
        self.assertNotIn("body", self.owner.ask("chat.history", conversation=self.room)["entries"][2])
        self.moderator.ask("chat.remove", conversation=self.room, user=self.troll.user, reason="enough")
        self.assertEqual(self.troll.expect("chat.entry", type="removed")["from"], self.moderator.user)
        self.assertEqual(self.troll.error("chat.join", conversation=self.room), "forbidden")
        # The owner is not above a moderator, and a moderator has no other power.
        self.assertEqual(self.moderator.error("chat.rename", conversation=self.room, title="mine"), "not_member")
        records = ask_admin(self.server, "GET", "/v1/audit").json["records"]
        own = [one for one in records if one["actor"] == self.moderator.user]
        self.assertEqual([one["action"] for one in own], ["chat.recall", "chat.silence", "chat.remove"])
        self.assertEqual({one["target"] for one in own}, {self.troll.user})
        self.assertEqual(own[1]["detail"], f"conversation={self.room} until={until} reason=bad words")

    def test_F11_who_was_sent_away_or_silenced_is_listed_and_let_back(self):
        """F11.list F11.lift"""
        quiet = self.person("quiet")
        quiet.ask("chat.join", conversation=self.room)
        until = 4_000_000_000_000
        self.owner.ask("chat.silence", conversation=self.room, user=quiet.user, until=until, reason="loud")
        self.moderator.ask("chat.remove", conversation=self.room, user=self.troll.user, reason="spam")
        self.assertEqual(quiet.error("chat.sanctions", conversation=self.room), "forbidden")
        self.assertEqual(self.person("stranger").error("chat.sanctions", conversation=self.room), "not_member")
        for who in (self.owner, self.moderator):
            found = {one["user"]: one for one in who.ask("chat.sanctions", conversation=self.room)["sanctions"]}
            self.assertEqual(set(found), {quiet.user, self.troll.user})
            silenced, removed = found[quiet.user], found[self.troll.user]
            self.assertEqual(
                (silenced["kind"], silenced["by"], silenced["until"], silenced["reason"], silenced["name"]),
                ("silenced", self.owner.user, until, "loud", "quiet"))
            self.assertEqual((removed["kind"], removed["by"], removed["reason"]), ("removed", self.moderator.user, "spam"))
            self.assertNotIn("until", removed)
        page = self.owner.ask("chat.sanctions", conversation=self.room, limit=1)
        rest = self.owner.ask("chat.sanctions", conversation=self.room, limit=1, after=page["next"])
        self.assertNotEqual(page["sanctions"][0]["user"], rest["sanctions"][0]["user"])
        self.assertEqual(self.owner.ask("chat.readmit", conversation=self.room, user=self.troll.user), {})
        self.assertNotIn("error", self.troll.ask("chat.join", conversation=self.room))
        self.assertEqual(self.owner.error("chat.readmit", conversation=self.room, user=self.troll.user), "conflict")
        self.owner.ask("chat.silence", conversation=self.room, user=quiet.user)
        self.assertEqual(self.owner.ask("chat.sanctions", conversation=self.room)["sanctions"], [])

    def test_F11_it_stays_so_over_a_restart(self):
        """F11.restarted"""
        with Server(*VOUCHED, testing=False) as server:
            with Person(server, "owner") as owner, Person(server, "troll") as troll:
                room = owner.ask("chat.create", kind="room", title="plaza")["conversation"]
                troll.ask("chat.join", conversation=room)
                owner.ask("chat.remove", conversation=room, user=troll.user, reason="spam")
            server.restart()
            with Person(server, token=owner.token) as owner, Person(server, token=troll.token) as troll:
                self.assertEqual(troll.error("chat.join", conversation=room), "forbidden")
                self.assertEqual(owner.ask("chat.sanctions", conversation=room)["sanctions"][0]["reason"], "spam")


class Reports(House):
    def reports(self, query: str = "") -> list[dict]:
        answer = ask_admin(self.server, "GET", f"/v1/reports{query}")
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json["reports"]

    def settle(self, report: int, query: str) -> Answer:
        return ask_admin(self.server, "POST", f"/v1/reports/{report}/settle?{query}")

    def test_F12_a_message_a_user_and_a_room_are_reported_once_each(self):
        """F12.report"""
        victim, troll = self.person("victim"), self.person("troll")
        said = troll.ask("chat.send", user=victim.user, body={"text": "bad words"})
        room = troll.ask("chat.create", kind="room", title="den")["conversation"]
        message = {"conversation": said["conversation"], "number": said["number"], "reason": "abuse", "text": "look at this"}
        first = victim.ask("chat.report", message)["report"]
        self.assertEqual(victim.ask("chat.report", message)["report"], first, "it is open already")
        others = [victim.ask("chat.report", user=troll.user, reason="spam")["report"],
                  victim.ask("chat.report", conversation=room, reason="other")["report"]]
        headers = {"Authorization": f"Bearer {victim.token}"}
        again = ask_http(self.server, "POST", "/v1/reports", {"user": troll.user, "reason": "spam"}, headers)
        self.assertEqual((again.status, again.json["report"]), (201, others[0]))
        found = {one["report"]: one for one in self.reports()}
        one = found[first]
        self.assertEqual(
            (one["reporter"], one["accused"], one["reason"], one["text"], one["body"]),
            (victim.user, troll.user, "abuse", "look at this", {"text": "bad words"}))
        self.assertEqual([found[number]["target"] for number in others], [f"user:{troll.user}", f"conversation:{room}"])

    def test_F12_nobody_reports_what_they_cannot_see(self):
        """F12.bounded"""
        a, b, stranger = (self.person(name) for name in "abs")
        said = a.ask("chat.send", user=b.user, body={"text": "between us"})
        place = {"conversation": said["conversation"], "reason": "spam"}
        for fields, code in (
            (place | {"number": 1}, "not_member"), (place, "not_member"), ({"user": "never-seen", "reason": "spam"}, "not_found"),
            ({"user": a.user, "reason": "dislike"}, "bad_request"), ({"reason": "spam"}, "bad_request"),
            ({"user": a.user, "reason": "spam", "text": "x" * 4001}, "bad_request"),
            ({"user": stranger.user, "reason": "spam"}, "not_found"),
        ):
            with self.subTest(fields):
                self.assertEqual(stranger.error("chat.report", fields), code)
        self.assertEqual(a.error("chat.report", place | {"number": said["number"]}), "not_found", "one's own")
        b.ask("chat.report", place | {"number": said["number"]})
        a.ask("chat.recall", conversation=said["conversation"], number=said["number"])
        self.assertEqual(self.reports()[-1]["body"], {"text": "between us"}, "what was said is kept beside the report")

    def test_F12_reports_of_one_user(self):
        """The limit of reports of one user."""
        users = [self.person(f"target-{number}").user for number in range(11)]
        eager = self.person("eager")
        answers = [eager.ask("chat.report", user=user, reason="spam") for user in users]
        self.assertEqual([("report" in answer) for answer in answers], [True] * 10 + [False])
        self.assertEqual(answers[-1]["error"]["code"], "rate_limited")
        self.assertGreater(answers[-1]["error"]["retryAfter"], 0)

    def test_F12_what_a_report_says(self):
        """The limit of what a report says."""
        reporter, other = self.person("reporter"), self.person("other")
        answer = reporter.ask("chat.report", user=other.user, reason="other", text="é" * 2001)
        self.assertEqual(answer["error"]["code"], "bad_request")
        self.assertIn("report", reporter.ask("chat.report", user=other.user, reason="other", text="é" * 2000))

    def test_F12_an_operator_settles_a_report_by_what_is_done(self):
        """F12.settle"""
        victim, troll = self.person("victim"), self.person("troll")
        group = troll.ask("chat.create", title="club", users=[victim.user])["conversation"]
        said = troll.ask("chat.send", conversation=group, body={"text": "bad"})
        victim.ask("chat.sync")

        def report() -> int:
            return victim.ask("chat.report", conversation=group, number=said["number"], reason="abuse")["report"]

        for query in ("", "action=praise", "action=ban&seconds=0", f"action=dismiss&note={'x' * 1001}"):
            self.assertEqual(self.settle(1, query).status, 400, query)
        self.assertEqual(self.settle(999_999, "action=dismiss").status, 404)
        number = report()
        done = run(self.server, "reports", "settle", str(number), "--action", "silence", "--for", "1h", "--note", "calm down")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(troll.error("chat.send", conversation=group, body={"text": "again"}), "silenced")
        self.assertEqual(self.settle(number, "action=dismiss").status, 409)
        self.assertNotIn(number, [one["report"] for one in self.reports()])
        settled = next(one for one in self.reports("?all=true") if one["report"] == number)
        self.assertEqual((settled["action"], settled["note"]), ("silence", "calm down"))
        self.assertEqual(self.settle(number := report(), "action=remove").status, 200)
        victim.expect("chat.entry", conversation=group, type="removed")
        self.assertEqual(self.settle(number := report(), "action=recall").status, 200)
        self.assertNotIn("body", victim.ask("chat.history", conversation=group)["entries"][1])
        about = victim.ask("chat.report", user=troll.user, reason="abuse")["report"]
        self.assertEqual(self.settle(about, "action=recall").status, 400)
        self.assertEqual(self.settle(about, "action=ban&seconds=60").status, 200)
        self.assertEqual(troll.expect("session.ending")["error"]["code"], "banned")
        last = ask_admin(self.server, "GET", "/v1/audit").json["records"][-1]
        self.assertEqual(
            (last["action"], last["target"], last["detail"], last["outcome"]),
            ("report.settle", str(about), "action=ban seconds=60", "done"))
        self.assertIn("bad", run(self.server, "reports", "--all", "--json").stdout)


class Words(House):
    def setUp(self) -> None:
        for word, action, *more in (("cat", "refuse", "--whole"), ("darn", "mask"), ("followers", "flag")):
            result = run(self.server, "rules", "add", word, "--action", action, *more)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.a, self.b = self.person("A"), self.person("B")
        self.place = self.a.ask("chat.send", user=self.b.user, body={"text": "hello"})["conversation"]
        self.b.ask("chat.sync")

    def say(self, text: str) -> dict:
        return self.a.ask("chat.send", conversation=self.place, body={"text": text})

    def reports(self) -> list[dict]:
        return ask_admin(self.server, "GET", "/v1/reports").json["reports"]

    def test_F14_words_are_refused_masked_and_flagged(self):
        """F14.refused F14.masked F14.flagged"""
        refused = self.say("my CAT is here")["error"]
        self.assertEqual(refused["code"], "forbidden")
        self.assertNotIn("cat", refused["message"].lower())
        self.assertNotIn("error", self.say("a category"))
        number = self.say("Darn it")["number"]
        self.assertEqual(self.b.expect("chat.entry", number=number)["body"], {"text": "**** it"})
        edit = {"conversation": self.place, "number": number}
        self.a.ask("chat.edit", edit, body={"text": "oh darn"})
        self.assertEqual(self.b.expect("chat.entry", type="edited")["body"], {"text": "oh ****"})
        self.assertEqual(self.a.error("chat.edit", edit, body={"text": "cat"}), "forbidden")
        over_http = ask_http(
            self.server, "POST", f"/v1/conversations/{self.place}/messages", {"body": {"text": "a cat"}},
            {"Authorization": f"Bearer {self.a.token}"})
        self.assertEqual((over_http.status, over_http.json["code"]), (403, "forbidden"))
        said = self.say("buy FOLLOWERS")
        self.assertEqual(self.b.expect("chat.entry", number=said["number"])["body"], {"text": "buy FOLLOWERS"})
        eventually(lambda: any(one.get("accused") == self.a.user for one in self.reports()), "a report")
        one = next(one for one in self.reports() if one.get("accused") == self.a.user)
        self.assertEqual(
            (one["reporter"], one["target"], one["text"], one["body"]),
            ("parley:operator", f"message:{self.place}:{said['number']}", "it has the word: followers",
             {"text": "buy FOLLOWERS"}))

    def test_F14_names_of_groups_and_people_have_none_of_the_words(self):
        """F14.names"""
        self.assertEqual(self.a.error("chat.create", users=[self.b.user], title="The cat"), "forbidden")
        group = self.a.ask("chat.create", users=[self.b.user], title="Dogs")["conversation"]
        self.assertEqual(self.a.error("chat.rename", conversation=group, title="Darning"), "forbidden")
        self.a.ask("chat.rename", conversation=group, title="Followers")
        self.assertEqual(self.a.error("profile.change", name="Cat"), "forbidden")
        self.assertNotIn("error", self.a.ask("profile.change", name="Catherine"))
        refused = ask_http(self.server, "POST", "/v1/auth/anonymous", {"name": "cat"})
        self.assertEqual((refused.status, refused.json["code"]), (403, "forbidden"))
        refused = ask_http(self.server, "POST", "/v1/auth/register", {"userName": "darn_it", "password": "a long one 99"})
        self.assertEqual((refused.status, refused.json["code"]), (403, "forbidden"))
        eventually(lambda: any(one["target"] == f"conversation:{group}" for one in self.reports()), "a report")

    def test_F14_the_list_is_changed_while_the_server_runs(self):
        """F14.kept"""
        self.assertIn("error", self.say("cat"))
        self.assertEqual(run(self.server, "rules", "remove", "CAT").returncode, 0)
        self.server.shows(lambda: "error" not in self.say("cat"), "the word is allowed")
        listed = ask_admin(self.server, "GET", "/v1/rules").json["rules"]
        self.assertIn({"word": "darn", "action": "mask"}, listed)
        self.assertIn("followers", run(self.server, "rules").stdout)
        self.assertEqual(ask_admin(self.server, "DELETE", "/v1/rules?word=cat").status, 404)
        for query in ("", "word=x", "word=&action=mask", "word=x&action=shout", "word=x&action=mask&whole=7", f"word={'x' * 65}&action=mask"):
            self.assertEqual(ask_admin(self.server, "PUT", f"/v1/rules?{query}").status, 400, query)
        self.assertEqual(run(self.server, "rules", "add").returncode, 64)
        actions = [(one["action"], one["target"]) for one in ask_admin(self.server, "GET", "/v1/audit").json["records"]]
        self.assertIn(("rule.remove", "cat"), actions)
        self.assertIn(("rule.add", "followers"), actions)


class Pace(House):
    def setUp(self) -> None:
        self.a, self.b = self.person("A"), self.person("B")
        self.room = self.a.ask("chat.create", kind="room", title="Plaza")["conversation"]
        self.b.ask("chat.join", conversation=self.room)

    def say(self, who: Person, text: str = "hello") -> dict:
        return who.ask("chat.send", conversation=self.room, body={"text": text})

    def test_F15_members_of_a_slow_conversation_wait_between_two_messages(self):
        """F15.wait F15.leads"""
        self.assertEqual(self.b.error("chat.slow", conversation=self.room, seconds=30), "forbidden")
        for seconds in (0, -1, 21_601, "x"):
            self.assertEqual(self.a.error("chat.slow", conversation=self.room, seconds=seconds), "bad_request", seconds)
        self.assertEqual(self.a.ask("chat.slow", conversation=self.room, seconds=30), {})
        self.assertEqual(self.b.ask("chat.conversation", conversation=self.room)["slowSeconds"], 30)
        for _ in range(2):
            self.assertNotIn("error", self.say(self.a))
        number = self.say(self.b)["number"]
        refused = self.say(self.b)["error"]
        self.assertEqual(refused["code"], "slow_mode")
        self.assertTrue(25_000 < refused["retryAfter"] <= 30_000, refused)
        self.assertRegex(refused["message"], r"wait \d\d s")
        edit = self.b.ask("chat.edit", conversation=self.room, number=number, body={"text": "hallo"})
        self.assertNotIn("error", edit)
        over_http = ask_http(
            self.server, "POST", f"/v1/conversations/{self.room}/messages", {"body": {"text": "x"}},
            {"Authorization": f"Bearer {self.b.token}"})
        self.assertEqual((over_http.status, over_http.json["code"]), (429, "slow_mode"))
        self.assertIn("retry-after", over_http.headers)
        self.b.ask("chat.leave", conversation=self.room)
        self.b.ask("chat.join", conversation=self.room)
        self.assertEqual(self.say(self.b)["error"]["code"], "slow_mode", "going and coming is no way around")
        self.assertEqual(self.a.ask("chat.slow", conversation=self.room, on=False), {})
        self.assertNotIn("error", self.say(self.b))
        self.assertNotIn("slowSeconds", self.b.ask("chat.conversation", conversation=self.room))

    def test_F15_all_members_are_told_of_what_is_set(self):
        """F15.told"""
        stranger = self.person("C")
        for person in (self.a, self.b, stranger):
            person.ask("chat.sync")
        for request, name, value in (("chat.slow", "slowSeconds", {"seconds": 30}), ("chat.retention", "retentionDays", {"days": 7})):
            for asked, told in ((value, next(iter(value.values()))), ({"on": False}, 0)):
                self.assertEqual(self.a.ask(request, conversation=self.room, **asked), {})
                for person in (self.a, self.b):
                    self.assertEqual(person.expect("chat.settings"), {"conversation": self.room, name: told})
        self.assertEqual(self.b.error("chat.slow", conversation=self.room, seconds=30), "forbidden")
        self.say(self.b)
        self.a.expect("chat.entry", type="message")
        for person in (self.a, stranger):
            self.assertEqual(person.heard("chat.settings"), [], "of what was refused, and to who is elsewhere")

    def test_F15_a_short_wait_ends(self):
        """F15.wait"""
        self.a.ask("chat.slow", conversation=self.room, seconds=1)
        self.say(self.b)
        eventually(lambda: "error" not in self.say(self.b), "the next message")

    def test_F16_who_is_sent_away_for_a_time_comes_back_afterwards(self):
        """F16.ends"""
        until = int(time.time() * 1000) + 1500
        self.a.ask("chat.sync")
        self.a.ask("chat.remove", conversation=self.room, user=self.b.user, until=until, reason="calm down")
        self.assertEqual(
            self.a.expect("chat.entry", type="removed")["body"], {"user": self.b.user, "until": until})
        self.assertEqual(self.b.error("chat.join", conversation=self.room), "forbidden")
        listed = self.a.ask("chat.sanctions", conversation=self.room)["sanctions"]
        self.assertEqual([(one["kind"], one["until"]) for one in listed], [("removed", until)])
        eventually(lambda: "error" not in self.b.ask("chat.join", conversation=self.room), "the way back")
        self.assertEqual(self.a.ask("chat.sanctions", conversation=self.room)["sanctions"], [])

    def test_F12_a_room_and_who_was_met_there_are_reported(self):
        """F12.rooms"""
        for person in (self.a, self.b):
            person.ask("room.join", room="cellar")
        stranger = self.person("stranger")
        self.assertEqual(stranger.error("chat.report", room="cellar", reason="abuse"), "not_member")
        first = self.a.ask("chat.report", room="cellar", reason="abuse", text="shouting")["report"]
        second = self.a.ask("chat.report", room="cellar", user=self.b.user, reason="spam")["report"]
        found = {one["report"]: one for one in ask_admin(self.server, "GET", "/v1/reports").json["reports"]}
        self.assertEqual((found[first]["target"], found[first].get("accused")), ("room:cellar", None))
        self.assertEqual(
            (found[second]["target"], found[second]["accused"]), (f"room:cellar:{self.b.user}", self.b.user))
        self.assertEqual(self.a.error("chat.report", room="cellar", user="no-such-one", reason="spam"), "not_found")
        over_http = ask_http(
            self.server, "POST", "/v1/reports", {"room": "cellar", "reason": "spam"},
            {"Authorization": f"Bearer {self.a.token}"})
        self.assertEqual((over_http.status, over_http.json["code"]), (403, "not_member"))
        self.assertEqual(run(self.server, "reports", "settle", str(second), "--action", "kick").returncode, 0)
        self.assertEqual(self.b.expect("session.ending")["error"]["code"], "kicked")


class PaceOverRestarts(unittest.TestCase):
    def test_F16_removals_and_slow_mode_survive_a_restart(self):
        """F15.kept F16.kept"""
        with Server(*VOUCHED, testing=False) as server:
            with Person(server, "a") as a, Person(server, "b") as b, Person(server, "c") as c:
                room = a.ask("chat.create", kind="room")["conversation"]
                for person in (b, c):
                    person.ask("chat.join", conversation=room)
                a.ask("chat.slow", conversation=room, seconds=3600)
                b.ask("chat.send", conversation=room, body={"text": "x"})
                a.ask("chat.remove", conversation=room, user=c.user, until=int(time.time() * 1000) + 3_600_000)
                tokens = [person.token for person in (b, c)]
            server.tell(signal.SIGKILL)
            server.wait()
            server.begin()
            with Person(server, token=tokens[0]) as b, Person(server, token=tokens[1]) as c:
                self.assertEqual(b.error("chat.send", conversation=room, body={"text": "x"}), "slow_mode")
                self.assertEqual(c.error("chat.join", conversation=room), "forbidden")


class WordsOverRestarts(unittest.TestCase):
    def test_F14_the_list_is_there_after_a_restart(self):
        """F14.kept"""
        with Server(*VOUCHED, testing=False) as server:
            run(server, "rules", "add", "cat")
            server.tell(signal.SIGKILL)
            server.wait()
            server.begin()
            with Person(server, "a") as a, Person(server, "b") as b:
                self.assertEqual(a.error("chat.send", user=b.user, body={"text": "cat"}), "forbidden")


class AuditOverRestarts(unittest.TestCase):
    def test_A18_the_log_outlives_a_crash_and_names_the_token(self):
        """A18.durable A18.token"""
        token = "a-token-that-is-long-enough-for-this"
        headers = {"Authorization": f"Bearer {token}"}
        with Server(*VOUCHED, "--admin-token", token, testing=False) as server:
            self.assertEqual(ask_admin(server, "POST", "/v1/users/x/kick").status, 401)
            self.assertEqual(ask_admin(server, "POST", "/v1/users/kicked/kick", headers=headers).status, 200)
            server.end()
            server.restart()
            self.assertEqual(ask_admin(server, "GET", "/v1/audit").status, 401)
            records = ask_admin(server, "GET", "/v1/audit", headers=headers).json["records"]
            self.assertEqual([(one["action"], one["target"]) for one in records], [("user.kick", "kicked")])
            self.assertRegex(records[0]["token"], r"^sha256:[0-9a-f]{8}$")
            self.assertNotIn(token, json.dumps(records))


if __name__ == "__main__":
    unittest.main()
