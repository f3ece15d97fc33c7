"""Requests that stay for a while: streams, and those that wait until something happens."""

import http.client
import json
import unittest

from people import APP, APP_SECRET, Person, vouch
from server import TIMEOUT, eventually
from talk import Talk


class Stream:
    """Server-Sent Events, read one by one."""

    def __init__(self, server, target: str, token: str, after: str | None = None):
        self.connection = http.client.HTTPConnection(*server.address, timeout=TIMEOUT)
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        self.connection.request("GET", target, headers=headers | ({"Last-Event-ID": after} if after else {}))
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *_) -> None:
        self.answer.close()
        self.connection.close()

    def next(self) -> tuple[str | None, str, dict]:
        fields: dict[str, str] = {}
        while line := self.answer.fp.readline() if not self.answer.chunked else self.answer.readline():
            text = line.decode().rstrip("\n")
            if not text and "data" in fields:
                return fields.get("id"), fields["event"], json.loads(fields["data"])
            name, _, value = text.partition(": ")
            if name:
                fields[name] = value
        raise AssertionError("the stream ended")


class Streams(Talk):
    def test_E09_a_stream_goes_on_where_it_stopped(self):
        a, b = self.listener("A"), self.person("B")
        for number in range(3):
            place = self.say(a, str(number), user=b.user)["conversation"]
        target = f"/v1/conversations/{place}/entries"
        with Stream(self.server, target, b.token) as stream:
            self.assertEqual([stream.next()[0] for _ in range(3)], ["1", "2", "3"])
            self.say(a, "live", conversation=place)
            number, event, entry = stream.next()
            self.assertEqual((number, event, entry["body"]["text"]), ("4", "chat.entry", "live"))
        self.say(a, "missed", conversation=place)
        with Stream(self.server, target, b.token, after="4") as stream:
            self.assertEqual(stream.next()[0], "5")

    def test_everything_in_one_stream(self):
        a, b = self.listener("A"), self.person("B")
        self.say(a, "missed", user=b.user)
        with Stream(self.server, "/v1/events?device=tv", b.token) as stream:
            _, event, synced = stream.next()
            self.assertEqual((event, synced["conversations"][0]["remaining"]), ("chat.sync", 0))
            place = self.say(a, "live", user=b.user)["conversation"]
            self.assertEqual(stream.next()[2]["body"]["text"], "live")
            a.ask("chat.typing", conversation=place)
            self.assertEqual(stream.next()[1], "chat.typing")

    def watch(self, person: Person, place: str) -> list[Stream]:
        """Both kinds of stream, each past its beginning."""
        streams = [
            Stream(self.server, target, person.token) for target in ("/v1/events", f"/v1/conversations/{place}/entries")]
        for stream in streams:
            self.addCleanup(stream.__exit__)
            stream.next()
        return streams

    def wait(self, person: Person, place: str, seconds: int = 60) -> http.client.HTTPConnection:
        """A request that is waiting by now."""
        connection = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        connection.request(
            "GET", f"/v1/conversations/{place}/entries?after=1&wait={seconds}",
            headers={"Authorization": f"Bearer {person.token}"})
        # One request after the other: this one is looked at behind it.
        person.ask("chat.history", conversation=place)
        return connection

    def test_E09_a_stream_begins_with_what_was_missed_however_long_it_is(self):
        a, b = self.listener("A"), self.person("B")
        for number in range(12):
            self.say(a, str(number) + "x" * 60_000, user=b.user)
        with Stream(self.server, "/v1/events", b.token) as stream:
            piece = stream.next()[2]["conversations"][0]
            texts = [entry["body"]["text"] for entry in piece["entries"]]
            self.assertEqual([text.rstrip("x") for text in texts], [str(n) for n in range(12 - piece["remaining"])])
            # More than a connection is given at once.
            self.assertGreater(sum(map(len, texts)), 256 * 1024)
            self.say(a, "live", user=b.user)
            self.assertEqual(stream.next()[2]["body"]["text"], "live")

    def test_whoever_is_sent_away_or_runs_out_of_time_hears_no_more(self):
        for verb, code, status in (("kick", "kicked", 401), ("ban", "banned", 403)):
            a, b = self.listener("A"), self.person("B")
            place = self.say(a, "first", user=b.user)["conversation"]
            streams, waiting = self.watch(b, place), self.wait(b, place)
            self.server.ask_admin("POST", f"/v1/users/{b.user}/{verb}")
            self.assert_ended(streams, code)
            answer = waiting.getresponse()
            self.assertEqual((answer.status, json.loads(answer.read())["code"]), (status, code))
        a, b = self.listener("A"), self.person(token=vouch(APP, APP_SECRET, "brief", "B", lasts=3))
        self.assert_ended(self.watch(b, self.say(a, "first", user=b.user)["conversation"]), "token_expired")

    def test_whoever_is_sent_away_before_the_end_of_a_request_is_refused(self):
        a, b = self.listener("A"), self.person("B")
        place = self.say(a, "first", user=b.user)["conversation"]
        connection = http.client.HTTPConnection(*self.server.address, timeout=TIMEOUT)
        self.addCleanup(connection.close)
        connection.putrequest("POST", f"/v1/conversations/{place}/messages")
        body = b'{"body": {"text": "late"}}'
        for name, value in (("Authorization", f"Bearer {b.token}"), ("Content-Length", str(len(body)))):
            connection.putheader(name, value)
        connection.endheaders()
        connection.send(body[:5])
        b.ask("chat.history", conversation=place)
        self.server.ask_admin("POST", f"/v1/users/{b.user}/ban")
        connection.send(body[5:])
        self.assertEqual(connection.getresponse().status, 403)
        self.assertEqual(len(a.ask("chat.history", conversation=place)["entries"]), 1)

    def assert_ended(self, streams: list[Stream], code: str) -> None:
        for stream in streams:
            _, event, body = stream.next()
            self.assertEqual((event, body["error"]["code"]), ("session.ending", code))
            self.assertRaises(AssertionError, stream.next)

    def test_nothing_is_kept_for_those_who_have_gone(self):
        a, b = self.listener("A"), self.person("B")
        place = self.say(a, "first", user=b.user)["conversation"]
        before = self.server.descriptors()
        for _ in range(3):
            for stream in self.watch(b, place):
                stream.__exit__()
            self.wait(b, place).close()
        eventually(lambda: self.server.descriptors() <= before, "as many descriptors as before")


if __name__ == "__main__":
    unittest.main()
