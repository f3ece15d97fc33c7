import base64
import hashlib
import hmac
import json
import subprocess
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from server import binary, eventually
from talk import Talk
from wire import ask_http

SECRET = "a-long-secret-for-tests-5f0c9d7be1"


def events(hook: "Listener", *names: str) -> list[dict]:
    """Those that are no entries, in their order."""
    return [e for e in hook.heard if e["event"] in names or (not names and e["event"] != "chat.entry")]


class Listener:
    """Another program: it notes what it hears, and answers what the test wants."""

    def __init__(self):
        self.heard: list[dict] = []
        self.ids: list[str] = []
        self.traces: list[str] = []
        self.answer = lambda event: (200, b"")
        self._noting = threading.Lock()
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                listener.check(self.headers, body)
                event = json.loads(body)
                status, text = listener.answer(event)
                if 200 <= status < 300:
                    listener.note(event, self.headers)
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook?a=1"
        self.faults: list[str] = []
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def note(self, event: dict, headers) -> None:
        with self._noting:
            self.heard.append(event)
            self.ids.append(headers["Webhook-Id"])
            self.traces.append(headers["traceparent"])

    def once(self) -> list[dict]:
        """Each event when it was heard for the first time."""
        with self._noting:
            first = dict(zip(reversed(self.ids), reversed(self.heard)))
            return [first[name] for name in dict.fromkeys(self.ids)]

    def check(self, headers, body: bytes) -> None:
        signed = f"{headers['Webhook-Id']}.{headers['Webhook-Timestamp']}.".encode() + body
        code = base64.b64encode(hmac.digest(SECRET.encode(), signed, hashlib.sha256)).decode()
        if headers["Webhook-Signature"] != f"v1,{code}" or abs(int(headers["Webhook-Timestamp"]) - time.time()) > 60:
            self.faults.append(headers["Webhook-Signature"])

    def texts(self) -> list[str]:
        return [e["entry"]["body"]["text"] for e in self.heard if "entry" in e and e["entry"]["type"] == "message"]

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Hooked(Talk):
    hook: Listener

    @classmethod
    def setUpClass(cls) -> None:
        cls.hook = Listener()
        cls.options = (*cls.flags(cls.hook), "--webhook-secret", SECRET)
        super().setUpClass()
        cls.addClassCleanup(cls.hook.close)

    def setUp(self) -> None:
        self.hook.answer = lambda event: (200, b"")
        self.hook.heard.clear()
        self.hook.ids.clear()
        self.hook.traces.clear()

    def tearDown(self) -> None:
        self.assertEqual(self.hook.faults, [])


class WebhookTests(Hooked):
    @staticmethod
    def flags(hook: Listener) -> tuple[str, ...]:
        return ("--webhook", hook.url)

    def command(self, *words: str) -> str:
        address = f"{self.server.admin[0]}:{self.server.admin[1]}"
        done = subprocess.run([binary(), "webhooks", *words, "--admin", address], capture_output=True, text=True, check=True)
        return done.stdout

    def test_another_program_hears_of_everything_in_order(self):
        a, b = self.person("A"), self.person("B")
        for number in range(30):
            sent = self.say(a, str(number), user=b.user)
        eventually(lambda: len(self.hook.heard) == 30, "all was delivered")
        self.assertEqual(self.hook.texts(), [str(n) for n in range(30)])
        self.assertEqual((self.hook.heard[-1]["id"], self.hook.ids[-1]), (sent["id"], sent["id"]))
        self.assertEqual(self.hook.heard[-1]["entry"]["conversation"], sent["conversation"])
        eventually(lambda: json.loads(self.command("--json"))["waiting"] == 0, "nothing waits")

    def test_a_conversation_that_is_refused_waits_and_others_go_on(self):
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        bad = self.say(a, "first", user=b.user)["conversation"]
        eventually(lambda: self.hook.texts() == ["first"], "the first was delivered")
        self.hook.answer = lambda event: (500, b"") if event["entry"]["conversation"] == bad else (204, b"")
        self.say(a, "second", user=b.user)
        self.say(a, "third", user=b.user)
        self.say(a, "other", user=c.user)
        eventually(lambda: "other" in self.hook.texts(), "the other conversation goes on")
        eventually(lambda: "500" in self.command(), "the list shows what went wrong")
        self.hook.answer = lambda event: (200, b"")
        eventually(lambda: len(self.hook.texts()) == 4, "the rest is delivered later")
        self.assertEqual([text for text in self.hook.texts() if text != "other"], ["first", "second", "third"])

    def test_a_long_conversation_that_is_refused_holds_up_nobody(self):
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        bad = self.say(a, "first", user=b.user)["conversation"]
        eventually(lambda: self.hook.texts() == ["first"], "the first was delivered")
        self.hook.answer = lambda event: (400 if event["entry"]["conversation"] == bad else 200, b"")
        lines = [self.device(a) for _ in range(6)]
        for line in lines:
            for number in range(369):
                line.send("chat.send", {"conversation": bad, "body": {"text": f"{number}"}})
            # A store lets only so many of one user wait.
            self.say(line, "the last of them", conversation=bad)
        self.say(a, "other", user=c.user)
        eventually(lambda: self.hook.texts() == ["first", "other"], "the other conversation goes on")
        self.hook.answer = lambda event: (200, b"")
        eventually(lambda: len(self.hook.heard) == 2 + 6 * 370, "all is delivered later", 60)
        numbers = [e["entry"]["number"] for e in self.hook.heard if e["entry"]["conversation"] == bad]
        self.assertEqual(numbers, list(range(1, 2 + 6 * 370)))

    def test_what_was_not_delivered_outlives_the_server(self):
        a, b = self.person("A"), self.person("B")
        self.hook.answer = lambda event: (503, b"")
        for number in range(5):
            self.say(a, str(number), user=b.user)
        self.server.end()
        self.hook.answer = lambda event: (200, b"")
        self.server.begin()
        eventually(lambda: len(self.hook.texts()) >= 5, "all is delivered after the restart")
        self.assertEqual(self.hook.texts(), [str(n) for n in range(5)])

    def test_a_conversation_is_delivered_again_from_a_number(self):
        a, b = self.person("A"), self.person("B")
        for number in range(4):
            place = self.say(a, str(number), user=b.user)["conversation"]
        eventually(lambda: len(self.hook.heard) == 4, "all was delivered")
        before = list(self.hook.ids)
        self.assertEqual(json.loads(self.command("replay", place, "--after", "2")), {"deliveries": 2})
        eventually(lambda: len(self.hook.heard) == 6, "two were delivered again")
        self.assertEqual(self.hook.ids[4:], before[2:])
        self.assertEqual(json.loads(self.command("replay")), {"deliveries": 0})


class PreSendTests(Hooked):
    silence = "allow"

    @classmethod
    def flags(cls, hook: Listener) -> tuple[str, ...]:
        return ("--pre-send-hook", hook.url, "--pre-send-timeout", "300ms", "--pre-send-silence", cls.silence)

    def refuse(self, reason: str) -> bytes:
        return json.dumps({"allow": False, "reason": reason}).encode()

    def test_another_program_has_a_say_in_what_is_said(self):
        a, b = self.person("A"), self.listener("B")
        self.hook.answer = lambda event: (200, self.refuse("be kind") if "bad" in str(event["body"]) else b"")
        answer = a.ask("chat.send", user=b.user, body={"text": "a bad word"}, id="m-1")
        self.assertEqual(answer["error"], {"code": "forbidden", "message": "be kind"})
        sent = self.say(a, "a good word", user=b.user)
        self.assertEqual(b.expect("chat.entry")["body"]["text"], "a good word")
        question = self.hook.heard[0]
        self.assertEqual((question["from"], question["user"], question["id"]), (a.user, b.user, "m-1"))
        edit = a.error("chat.edit", conversation=sent["conversation"], number=sent["number"], body={"text": "bad"})
        self.assertEqual(edit, "forbidden")
        self.assertEqual(len(b.heard("chat.entry")), 0)

    def test_what_was_said_and_is_repeated_is_not_asked_about_again(self):
        a, b = self.person("A"), self.listener("B")
        first = a.ask("chat.send", user=b.user, body={"text": "once"}, id="m-1")
        # Whatever the hook would say now.
        self.hook.answer = lambda event: (200, self.refuse("not any more"))
        self.assertEqual(a.ask("chat.send", user=b.user, body={"text": "once"}, id="m-1"), first)
        self.assertEqual([event["id"] for event in self.hook.heard], ["m-1"])
        self.assertEqual(a.error("chat.send", user=b.user, body={"text": "other"}, id="m-2"), "forbidden")

    def test_what_one_user_says_keeps_its_order(self):
        a, b = self.person("A"), self.listener("B")
        for number in range(20):
            a.send("chat.send", {"user": b.user, "body": {"text": str(number)}})
        for number in range(20):
            self.assertEqual(b.expect("chat.entry")["body"]["text"], str(number))

    def test_silence_means_what_the_operator_wants(self):
        a, b = self.person("A"), self.person("B")
        release = threading.Event()
        self.addCleanup(release.set)
        for answer in (lambda event: (200, b"?"), lambda event: (500, b""), lambda event: (release.wait(20), (200, b""))[1]):
            self.hook.answer = answer
            code = a.error("chat.send", user=b.user, body={"text": "x"})
            self.assertEqual(code, None if self.silence == "allow" else "unavailable")


class StrictPreSendTests(PreSendTests):
    silence = "refuse"


class HookOptionTests(unittest.TestCase):
    def test_a_hook_without_a_good_secret_is_refused(self):
        for words in (["--webhook", "http://x/"], ["--webhook", "http://x/", "--webhook-secret", "short"], ["--webhook", "ftp://x"]):
            done = subprocess.run([binary(), "serve", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 64, done.stderr)
            self.assertIn("--webhook", done.stderr)

    def test_the_advice_makes_a_secret_that_libraries_take(self):
        done = subprocess.run(
            [binary(), "serve", "--webhook", "http://x/", "--webhook-secret", "short"], capture_output=True, text=True)
        self.assertIn("echo whsec_$(openssl rand -base64 32)", done.stderr)


class EventTests(Hooked):
    """What happens beside messages."""

    @staticmethod
    def flags(hook: Listener) -> tuple[str, ...]:
        return ("--webhook", hook.url, "--webhook-events", "calls,rooms,presence", "--ring-timeout", "30s")

    def wait(self, count: int, *names: str) -> list[dict]:
        eventually(lambda: len(events(self.hook, *names)) >= count, f"{count} of {names}")
        return events(self.hook, *names)

    def test_P13_who_comes_and_goes_is_told_with_the_first_and_the_last_line(self):
        """P13.presence"""
        a = self.person("A")
        second = self.device(a)
        a.link.close()
        second.link.close()
        eventually(lambda: [e["online"] for e in events(self.hook, "presence") if e["user"] == a.user] == [True, False], "both came")
        self.assertTrue(all(abs(e["time"] / 1000 - time.time()) < 60 for e in events(self.hook, "presence")))

    def test_P13_a_call_is_told_from_the_ringing_to_the_end(self):
        """P13.calls"""
        a, b = self.person("A"), self.person("B")
        call = a.ask("call.invite", user=b.user, kind="audio")["call"]
        b.expect("call.incoming")
        b.ask("call.accept", call=call)
        a.expect("call.connected")
        a.ask("call.hangup", call=call)
        started, answered, ended = [e for e in self.wait(3, "call.started", "call.answered", "call.ended") if e["call"] == call]
        self.assertEqual([started["event"], answered["event"], ended["event"]], ["call.started", "call.answered", "call.ended"])
        for event in (started, answered, ended):
            self.assertEqual((event["from"], event["to"], event["kind"]), (a.user, b.user, "audio"))
        self.assertEqual((ended["outcome"], ended["by"], ended["seconds"]), ("completed", a.user, 0))

    def test_P13_a_room_is_told_from_the_first_to_the_last(self):
        """P13.rooms"""
        a, b = self.person("A"), self.person("B")
        for person, what in [(a, "room.join"), (b, "room.join"), (a, "room.leave")]:
            person.ask(what, room="told")
        b.link.close()
        eventually(lambda: events(self.hook, "room.closed"), "it is over", within=40)
        told = [e for e in events(self.hook) if e.get("room") == "told"]
        facts = [(e["event"].removeprefix("room."), e.get("user"), e.get("reason")) for e in told]
        self.assertEqual(facts[:4], [("opened", None, None), ("joined", a.user, None), ("joined", b.user, None), ("left", a.user, "left")])
        self.assertEqual((facts[4][:2], facts[5][0]), (("left", b.user), "closed"))

    def test_P13_a_room_whose_only_seat_changes_hands_is_not_opened_again(self):
        """P13.rooms"""
        a = self.person("A")
        a.ask("room.join", room="handed")
        with self.device(a) as other:
            self.assertEqual(other.ask("room.join", room="handed", replaces=a.member)["count"], 1)
            other.ask("room.leave", room="handed")
            eventually(lambda: any(e["room"] == "handed" for e in events(self.hook, "room.closed")), "it is over", within=40)
        told = [e["event"] for e in events(self.hook) if e.get("room") == "handed"]
        self.assertEqual(told.count("room.opened"), 1, told)
        self.assertEqual(told.count("room.joined"), 2, told)

    def test_P13_what_was_not_taken_is_told_after_a_crash_and_in_its_order(self):
        """P13.presence P13.calls"""
        tried = []
        self.hook.answer = lambda event: tried.append(event.get("user")) or (503, b"")
        a = self.person("A")
        # What is tried is in the store; something of the tests before may be, too.
        eventually(lambda: a.user in tried, "it waits")
        self.server.restart()
        self.hook.answer = lambda event: (200, b"")
        eventually(lambda: any(e["user"] == a.user for e in events(self.hook, "presence")), "it came", within=30)


class TraceTests(Hooked):
    @staticmethod
    def flags(hook: Listener) -> tuple[str, ...]:
        return ("--webhook", hook.url, "--access-log")

    def test_P11_a_request_is_followed_to_the_webhook_and_through_the_log(self):
        """P11.trace"""
        a, b = self.listener("A"), self.listener("B")
        trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
        headers = {"Authorization": f"Bearer {a.token}", "traceparent": f"00-{trace}-{span}-01"}
        answer = ask_http(self.server, "POST", f"/v1/users/{b.user}/messages", {"kind": "text", "body": {"text": "traced"}}, headers)
        self.assertEqual(answer.status, 201, answer.text)
        eventually(lambda: self.hook.texts() == ["traced"], "it was told")
        version, told, step, flags = self.hook.traces[0].split("-")
        self.assertEqual((version, told, flags), ("00", trace, "01"))
        self.assertNotEqual(step, span)
        while (event := self.server.event("http.request")).get("trace") != trace:
            pass
        self.assertEqual((event["method"], event["status"]), ("POST", 201))
        # What begins here has a trace of its own.
        self.say(a, "untraced", user=b.user)
        eventually(lambda: self.hook.texts() == ["traced", "untraced"], "it was told")
        self.assertRegex(self.hook.traces[1], r"^00-[0-9a-f]{32}-[0-9a-f]{16}-00$")
        self.assertNotIn(trace, self.hook.traces[1])


if __name__ == "__main__":
    unittest.main()
