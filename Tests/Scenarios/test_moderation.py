"""What operators and moderators do to people, and what is written down about it."""

import http.client
import json
import subprocess
import unittest

from house import House
from people import VOUCHED, Person
from server import PATIENCE, Server, binary
from wire import Answer, ask_http, read_answer


def ask_admin(server: Server, method: str, path: str, body: dict | None = None, headers: dict | None = None) -> Answer:
    connection = http.client.HTTPConnection(*server.admin, timeout=PATIENCE)
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
        timeout=PATIENCE)


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
