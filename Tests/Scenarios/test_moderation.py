"""What operators and moderators do to people, and what is written down about it."""

import http.client
import json
import subprocess
import unittest

from house import House
from people import VOUCHED, Person
from server import PATIENCE, Server, binary
from wire import Answer, read_answer


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
