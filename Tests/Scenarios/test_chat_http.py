import http.client
import json
import os
import threading
import time
import unittest

from people import Person
from server import TIMEOUT, eventually, of_one_process
from talk import Talk
from wire import Answer, ask_http

DESCRIPTION: dict = {}
#: Between two polls. The server keeps nothing of a client that polls, so twenty seconds are like one of them.
POLLING_PAUSE = 20 if os.environ.get("PARLEY_LONG_TESTS") else 0.3


def resolve(schema: dict) -> dict:
    return DESCRIPTION["components"][schema["$ref"].split("/")[2]][schema["$ref"].split("/")[3]] if "$ref" in schema else schema


def check(value, schema: dict, place: str = "answer") -> None:
    """As much of JSON Schema as our description uses."""
    schema = resolve(schema)
    for part in schema.get("allOf", []):
        check(value, part, place)
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
    if "type" in schema:
        assert isinstance(value, kinds[schema["type"]]), f"{place} is no {schema['type']}: {value!r}"
    if "enum" in schema:
        assert value in schema["enum"], f"{place}: {value!r}"
    for name in schema.get("required", []) if isinstance(value, dict) else []:
        assert name in value, f"{place} lacks {name}: {value}"
    for name, inner in schema.get("properties", {}).items() if isinstance(value, dict) else []:
        if name in value:
            check(value[name], inner, f"{place}.{name}")
    for inner in value if isinstance(value, list) else []:
        check(inner, schema["items"], f"{place}[]")


class Writing:
    """People who write to somebody, each on a thread, until it is over. `said` has everything that was acknowledged."""

    def __init__(self, people: list[Person], to: Person):
        self.said: dict[str, list[str]] = {person.user: [] for person in people}
        self._to = to.user
        self._is_over = threading.Event()
        self._trouble: list[Exception] = []
        self._threads = [threading.Thread(target=self._write, args=[person]) for person in people]

    def _write(self, person: Person) -> None:
        try:
            while not self._is_over.is_set():
                text = str(len(self.said[person.user]))
                answer = person.ask("chat.send", user=self._to, body={"text": text})
                assert "error" not in answer, answer
                self.said[person.user].append(text)
                self._is_over.wait(0.01)
        except Exception as error:
            self._trouble.append(error)

    def count(self) -> int:
        return sum(map(len, self.said.values()))

    def wait_for_more(self) -> None:
        before = self.count()
        eventually(lambda: self._trouble or self.count() >= before + 10, "more is written")

    def __enter__(self) -> "Writing":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join(TIMEOUT)
        assert not self._trouble and not any(thread.is_alive() for thread in self._threads), self._trouble


class Described(Talk):
    """Asks over HTTP. Every answer is held against the description."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        DESCRIPTION.update(ask_http(cls.server, "GET", "/v1/openapi.json").json)

    def http(
        self, person: Person, method: str, target: str, body: dict | None = None, headers: dict | None = None
    ) -> Answer:
        headers = {"Authorization": f"Bearer {person.token}"} | (headers or {})
        answer = ask_http(self.server, method, target, body if body is not None else b"", headers)
        self.hold_against_description(method, target.partition("?")[0], answer)
        return answer

    def hold_against_description(self, method: str, path: str, answer: Answer) -> None:
        for pattern, methods in DESCRIPTION["paths"].items():
            wanted, given = pattern.split("/"), path.split("/")
            if len(wanted) == len(given) and all(w == g or w.startswith("{") for w, g in zip(wanted, given)):
                break
        else:
            raise AssertionError(f"{path} is not described")
        response = resolve(methods[method.lower()]["responses"][str(answer.status)])
        kind = answer.headers["content-type"].partition(";")[0]
        self.assertIn(kind, response["content"], f"{method} {path} {answer.status}")
        if kind.endswith("json"):
            check(answer.json, response["content"][kind]["schema"])


class Requests(Described):
    """Conversations over HTTP."""

    def post(self, person: Person, other: Person, text: str, **headers) -> dict:
        answer = self.http(person, "POST", f"/v1/users/{other.user}/messages", {"body": {"text": text}}, headers)
        self.assertEqual(answer.status, 201, answer.text)
        return answer.json

    def test_D01_D02_E01_E06_what_is_said_over_http_is_heard_on_sockets_and_the_other_way(self):
        a, b = self.person("A"), self.listener("B")
        sent = self.post(a, b, "hello")
        entry = b.expect("chat.entry")
        self.assertEqual((entry["number"], entry["time"], entry["id"]), (sent["number"], sent["time"], sent["id"]))
        place = f"/v1/conversations/{sent['conversation']}"
        self.say(b, "hi", conversation=sent["conversation"])
        page = self.http(a, "GET", f"{place}/entries?limit=1").json
        self.assertEqual((self.texts(page["entries"]), page["more"]), (["hi"], True))
        page = self.http(a, "GET", f"{place}/entries?before=2").json
        self.assertEqual((self.texts(page["entries"]), page["more"]), (["hello"], False))
        views = self.http(a, "GET", "/v1/conversations").json["conversations"]
        self.assertEqual([(v["unread"], v["latest"]["body"]["text"]) for v in views], [(1, "hi")])
        marked = self.http(a, "PUT", f"{place}/read?device=web", {"number": 2}).json
        self.assertEqual(marked["unread"], 0)
        self.assertEqual(b.expect("chat.receipt")["read"], 2)

    def test_D04_an_idempotency_key_makes_a_request_happen_once(self):
        a, b = self.person("A"), self.listener("B")
        headers = {"Idempotency-Key": "k-1"}
        first = self.http(a, "POST", f"/v1/users/{b.user}/messages", {"body": {"text": "x"}}, headers)
        again = self.http(a, "POST", f"/v1/users/{b.user}/messages", {"body": {"text": "x"}}, headers)
        self.assertEqual(first.json, again.json)
        self.assertEqual(len(b.heard("chat.entry")), 1)

    def test_D17_F01_everything_else_that_sockets_can(self):
        a, b, c = self.listener("A"), self.person("B"), self.person("C")
        made = self.http(a, "POST", "/v1/conversations", {"title": "Team", "users": [b.user]})
        place = f"/v1/conversations/{made.json['conversation']}"
        for status, person, method, target, body in (
            (200, a, "PATCH", place, {"title": "New"}),
            (403, b, "PATCH", place, {"title": "No"}),
            (200, a, "POST", f"{place}/members", {"users": [c.user]}),
            (409, a, "POST", f"{place}/members", {"users": [c.user]}),
            (200, a, "GET", f"{place}/members?limit=2", None),
            (200, a, "PUT", f"{place}/members/{b.user}", {"role": "admin"}),
            (400, a, "PUT", f"{place}/members/{b.user}", {"role": "king"}),
            (200, b, "PUT", f"{place}/members/{c.user}/silence", {"until": 9999999999999}),
            (403, c, "POST", f"{place}/messages", {"body": {"text": "x"}}),
            (200, b, "DELETE", f"{place}/members/{c.user}/silence", None),
            (201, c, "POST", f"{place}/messages", {"body": {"text": "x"}}),
            (200, c, "PUT", f"{place}/messages/7", {"body": {"text": "hello world"}}),
            (200, a, "PUT", f"{place}/messages/7/reactions/%F0%9F%91%8D", None),
            (200, a, "DELETE", f"{place}/messages/7/reactions/%F0%9F%91%8D", None),
            (200, a, "GET", "/v1/search?text=hello", None),
            (200, c, "DELETE", f"{place}/messages/7", None),
            (409, c, "DELETE", f"{place}/messages/7", None),
            (404, c, "DELETE", f"{place}/messages/99", None),
            (400, c, "DELETE", f"{place}/messages/x", None),
            (200, c, "PUT", f"{place}/muted", None),
            (200, c, "DELETE", f"{place}/muted", None),
            (200, c, "PUT", f"{place}/archived", None),
            (200, c, "DELETE", f"{place}/archived", None),
            (200, c, "GET", place, None),
            (200, c, "DELETE", f"{place}/entries", None),
            (200, b, "DELETE", f"{place}/members/{c.user}", None),
            (403, c, "GET", place, None),
            (403, c, "POST", f"{place}/join", None),
            (200, b, "POST", f"{place}/leave", None),
            (200, c, "PUT", f"/v1/blocks/{a.user}", None),
            (200, c, "GET", "/v1/blocks", None),
            (403, a, "POST", f"/v1/users/{c.user}/messages", {"body": {"text": "x"}}),
            (200, c, "DELETE", f"/v1/blocks/{a.user}", None),
            (400, a, "POST", f"{place}/messages", {"body": "x"}),
            (404, a, "POST", "/v1/conversations/nowhere/messages", {"body": {"text": "x"}}),
            (200, a, "DELETE", place, None),
            (200, a, "POST", "/v1/sync", {"positions": {}}),
        ):
            answer = self.http(person, method, target, body)
            self.assertEqual(answer.status, status, f"{method} {target}: {answer.text}")

    @of_one_process
    def test_who_has_no_token_or_asks_too_much_is_told(self):
        a = self.person("A")
        answer = ask_http(self.server, "GET", "/v1/conversations")
        self.assertEqual((answer.status, answer.json["code"]), (401, "unauthorized"))
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        answer = self.http(a, "GET", "/v1/conversations")
        self.assertEqual(answer.headers["ratelimit-limit"], "400")
        self.assertEqual(answer.headers["ratelimit-remaining"], "399")
        headers, statuses = {"Authorization": f"Bearer {a.token}"}, []
        connection = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
        for _ in range(2000):
            connection.request("GET", "/v1/blocks", headers=headers)
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
            if answer.status == 429:
                self.assertGreater(int(answer.headers["Retry-After"]), 0)
                break
        connection.close()
        self.assertIn(429, statuses)
        self.assertGreater(len(statuses), 400)
        answer = self.http(self.person("B"), "POST", "/v1/users/x/messages", {"body": {"text": "x" * 200_000}})
        self.assertEqual(answer.status, 413)

    def test_B09_a_client_that_only_polls_sees_everything_once_while_others_go_on_writing(self):
        """B09.everything B09.once B09.pause"""
        people = [self.person(name) for name in "AC"]
        b = self.person("B")
        seen: dict[str, list[str]] = {}
        positions: dict[str, int] = {}
        written_meanwhile = 0
        with Writing(people, to=b) as writing:
            for _ in range(6):
                writing.wait_for_more()
                time.sleep(POLLING_PAUSE)
                before = writing.count()
                self.poll(b, positions, seen)
                written_meanwhile += writing.count() - before
        self.poll(b, positions, seen)
        self.assertEqual(sorted(seen.values()), sorted(writing.said.values()))
        self.assertGreater(written_meanwhile, 0, "something was written while a poll was under way")
        self.assertEqual(self.poll(b, positions, seen), 0, "nothing comes twice")

    def poll(self, person: Person, positions: dict[str, int], seen: dict[str, list[str]]) -> int:
        """What there is beyond the positions, answer by answer until nothing remains."""
        count, remains = 0, True
        while remains:
            views = self.http(person, "POST", "/v1/sync", {"positions": positions, "limit": 7}).json["conversations"]
            for view in views:
                for entry in view["entries"]:
                    positions[view["conversation"]] = entry["number"]
                    seen.setdefault(entry["from"], []).append(entry["body"]["text"])
                    count += 1
            remains = any(view["remaining"] for view in views)
        return count

    def test_B09_a_request_waits_until_something_happens(self):
        a, b = self.listener("A"), self.person("B")
        place = self.say(a, "first", user=b.user)["conversation"]
        target = f"/v1/conversations/{place}/entries"
        self.assertEqual(self.texts(self.http(b, "GET", f"{target}?after=0&wait=5").json["entries"]), ["first"])
        answers: list[Answer] = []
        began = time.monotonic()
        waiting = threading.Thread(target=lambda: answers.append(self.http(b, "GET", f"{target}?after=1&wait=10")))
        waiting.start()
        self.http(b, "GET", f"{target}?after=0")
        self.say(a, "second", conversation=place)
        waiting.join(TIMEOUT)
        self.assertEqual(self.texts(answers[0].json["entries"]), ["second"])
        self.assertLess(time.monotonic() - began, 5)
        began = time.monotonic()
        self.assertEqual(self.http(b, "GET", f"{target}?after=2&wait=1").json, {"entries": [], "more": False})
        self.assertGreaterEqual(time.monotonic() - began, 1)
        self.assertEqual(self.http(self.person("C"), "GET", f"{target}?after=0&wait=5").status, 403)


if __name__ == "__main__":
    unittest.main()
