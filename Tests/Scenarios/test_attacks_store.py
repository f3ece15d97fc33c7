"""What one user can cost the others through the store. Tests are named after the finding they hold."""

import os
import subprocess
import tempfile
import threading
import time
import unittest
import zlib
from pathlib import Path

from people import APP, APP_SECRET, VOUCHED, Person, sign_in, vouch
from server import Server, binary, eventually, of_one_process
from test_files import Files, gif
from wire import ask_http


def flood(side: int) -> bytes:
    """A picture of many pixels in few bytes, all of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    pressed = zlib.compressobj(1)
    rows = b"".join(pressed.compress(bytes(1 + side * 3)) for _ in range(side)) + pressed.flush()
    head = side.to_bytes(4) * 2 + b"\x08\x02\0\0\0"
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Conversations(unittest.TestCase):
    options: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.server = self.enterContext(Server(*VOUCHED, *self.options, testing=False))

    def person(self, name: str = "", **more) -> Person:
        return self.enterContext(Person(self.server, name, **more))

    def say(self, person: Person, text: str = "hello", **place) -> dict:
        return person.ask("chat.send", {"body": {"text": text}} | place)

    def test_finding_L12_an_id_tells_strangers_that_it_is_taken_and_nothing_else(self):
        owner, stranger = self.person("owner"), self.person("stranger")
        owner.ask("chat.create", conversation="secret-plans", title="Secret plans")
        self.assertEqual(stranger.error("chat.create", conversation="secret-plans"), "conflict")
        for event, more in (
            ("chat.history", {}), ("chat.members", {}), ("chat.search", {"text": "x"}), ("chat.pins", {}),
            ("chat.send", {"body": {"text": "x"}}), ("chat.read", {"number": 1}),
        ):
            there, nowhere = (
                stranger.ask(event, {"conversation": place} | more)["error"] for place in ("secret-plans", "nowhere"))
            self.assertIn(there["code"], ("not_member", "not_found"), event)
            self.assertNotIn("Secret", str(there))

    def test_H3_nobody_writes_to_somebody_nobody_knows(self):
        a = self.person("A")
        self.assertEqual(self.say(a, user="made-up")["error"]["code"], "not_found")
        self.assertEqual(a.ask("chat.conversations")["conversations"], [])

    def test_H3_who_was_vouched_for_is_known_when_they_come(self):
        a = self.person("A")
        silent = vouch(APP, APP_SECRET, "silent-one")
        self.assertEqual(self.say(a, user="silent-one")["error"]["code"], "not_found")
        self.person(token=silent)
        self.is_known(a, "silent-one")
        asked = ask_http(self.server, "GET", "/v1/conversations", headers={
            "Authorization": f"Bearer {vouch(APP, APP_SECRET, 'rest-one')}"})
        self.assertEqual(asked.status, 200)
        self.is_known(a, "rest-one")
        issued = ask_http(self.server, "POST", "/v1/auth/token", {
            "application": APP, "secret": APP_SECRET, "user": "issued-one"})
        self.assertEqual(issued.status, 200)
        self.is_known(a, "issued-one")
        signed_in = sign_in(self.server)
        self.is_known(a, signed_in["user"])

    def is_known(self, asker: Person, user: str) -> None:
        """Where there are several nodes, a moment later on the others."""
        self.server.shows(lambda: "error" not in self.say(asker, user=user), f"{user} is known")

    def test_H3_one_begins_thirty_conversations_at_once_and_goes_on_in_those(self):
        a, b = self.person("A"), self.person("B")
        self.assertNotIn("error", self.say(a, user=b.user))
        codes = [a.error("chat.create", title=str(n)) for n in range(40)]
        self.assertEqual(codes[:29], [None] * 29)
        self.assertEqual(codes[-1], "rate_limited")
        self.assertNotIn("error", self.say(a, user=b.user))
        c = self.person("C")
        refused = self.say(a, user=c.user)["error"]
        self.assertEqual((refused["code"], refused["retryAfter"]), ("rate_limited", 1000))

    @of_one_process
    def test_H3_strangers_put_nobody_into_many_groups(self):
        victim, friend = self.person("Victim"), self.person("Friend")
        codes = []
        for number in range(2):
            attacker = self.person(f"Attacker{number}")
            codes += [attacker.error("chat.create", users=[victim.user]) for _ in range(15)]
        self.assertEqual(codes, [None] * 20 + ["blocked"] * 10)
        self.assertNotIn("error", self.say(victim, user=friend.user))
        self.assertIsNone(friend.error("chat.create", users=[victim.user]))

    def test_H3_one_user_has_one_heavy_question_under_way_and_few_waiting(self):
        a, b = self.person("A"), self.person("B")
        self.say(a, user=b.user)
        for number in range(200):
            a.send("chat.sync", {}, number=1000 + number)
        answers = [a.answer(1000 + number) for number in range(200)]
        codes = [answer.get("error", {}).get("code") for answer in answers]
        self.assertGreaterEqual(codes.count(None), 11)
        self.assertEqual(set(codes), {None, "rate_limited"})
        self.assertNotIn("error", self.say(b, user=a.user))

    def test_M7_nobody_is_rid_of_a_silence_or_a_removal_by_leaving_and_joining(self):
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        room = a.ask("chat.create", kind="room", title="Hall")["conversation"]
        for person in (b, c):
            self.assertIsNone(person.error("chat.join", conversation=room))
        until = 4_000_000_000_000
        self.assertIsNone(a.error("chat.silence", conversation=room, user=b.user, until=until))
        self.assertIsNone(b.error("chat.leave", conversation=room))
        self.assertIsNone(b.error("chat.join", conversation=room))
        self.assertEqual(self.say(b, conversation=room)["error"]["code"], "silenced")
        self.assertIsNone(a.error("chat.remove", conversation=room, user=b.user))
        self.assertEqual(b.error("chat.join", conversation=room), "forbidden")
        self.assertEqual(c.error("chat.invite", conversation=room, users=[b.user]), "forbidden")
        self.server.restart()
        b, a = self.person(token=b.token), self.person(token=a.token)
        self.assertEqual(b.error("chat.join", conversation=room), "forbidden")
        self.assertIsNone(a.error("chat.invite", conversation=room, users=[b.user]))
        self.assertEqual(self.say(b, conversation=room)["error"]["code"], "silenced")
        self.assertIsNone(a.error("chat.silence", conversation=room, user=b.user))
        self.assertNotIn("error", self.say(b, conversation=room))


class Quotas(Files):
    options = ("--message-bytes-per-day", "200K", "--file-count-per-user", "3")

    def test_M8_one_user_says_only_so_much_in_a_day(self):
        a, b = self.person("A"), self.person("B")
        codes = [a.error("chat.send", user=b.user, body={"text": "x" * 60_000}) for _ in range(5)]
        self.assertEqual(codes, [None] * 3 + ["rate_limited"] * 2)
        self.assertIsNone(b.error("chat.send", user=a.user, body={"text": "hello"}))

    def test_M8_one_user_keeps_only_so_many_files(self):
        a, b = self.person("A"), self.person("B")
        for number in range(3):
            self.bring(a, f"file {number}".encode())
        refused = self.tus(a, "POST", "/v1/uploads", Upload_Length=1)
        self.assertEqual((refused.status, refused.json["code"]), (507, "quota_exceeded"))
        self.bring(b, b"another one's")

    def test_L1_a_link_ends_with_the_right_to_see_the_file(self):
        a, b, c = self.person("A"), self.person("B"), self.person("C")
        for other, end in ((b, lambda sent: a.ask("chat.recall", conversation=sent["conversation"], number=sent["number"])),
                           (c, lambda sent: self.ban(c.user))):
            file = self.bring(a, f"for {other.user}".encode())
            sent = a.ask("chat.send", user=other.user, kind="file", body={"file": file})
            url = self.describe(other, file)["url"]
            own = self.describe(a, file)["url"]
            self.assertEqual(self.ask(None, "GET", url).status, 200)
            end(sent)
            self.assertIn(self.ask(None, "GET", url).status, (403, 404))
            self.assertEqual(self.ask(None, "GET", own).status, 200)

    def test_L1_an_upload_begun_before_a_ban_does_not_end(self):
        a = self.person("A")
        place = self.begin(a, 10)
        self.assertEqual(self.patch(a, place, 0, b"12345").status, 204)
        self.ban(a.user)
        rest = self.ask(a, "PATCH", place, b"67890", Tus_Resumable="1.0.0", Content_Type="application/offset+octet-stream", Upload_Offset=5)
        self.assertIn(rest.status, (401, 403))
        file = place.rpartition("/")[2]
        self.assertIn(self.ask(a, "GET", f"/v1/files/{file}").status, (401, 403))
        b = self.person("B")
        self.assertEqual(self.ask(b, "GET", f"/v1/files/{file}").status, 404)

    def ban(self, user: str) -> None:
        address = "{}:{}".format(*self.server.admin)
        subprocess.run([binary(), "users", "ban", user, "--admin", address], check=True, capture_output=True)


class Pictures(Files):
    def test_L2_pictures_that_take_long_to_draw_delay_nobody_s_answer(self):
        """And the small picture of everybody else comes in its turn."""
        attackers, victim, heavy = [self.person("A") for _ in range(6)], self.person("V"), flood(9_999)
        uploads = [threading.Thread(target=self.bring, args=(attacker, heavy + bytes([n]))) for n, attacker in enumerate(attackers)]
        for upload in uploads:
            upload.start()
        for upload in uploads:
            upload.join()
        began = time.monotonic()
        about = self.describe(victim, self.bring(victim, gif(401, 401)))
        self.assertLess(time.monotonic() - began, 1)
        eventually(lambda: "thumbnail" in self.describe(victim, about["file"]), "it is drawn later", within=30)


class SmallDisk(unittest.TestCase):
    """A disk of a few megabytes in memory, which only root can make."""

    def setUp(self) -> None:
        self.data = self.enterContext(tempfile.TemporaryDirectory())
        if os.geteuid() or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", self.data], capture_output=True
        ).returncode:
            self.skipTest("no disk in memory can be made here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.data], check=True)

    def test_M8_messages_leave_the_last_of_the_disk(self):
        server = Server(*VOUCHED, testing=False, data=self.data)
        self.addCleanup(server.end)
        with Person(server, "A") as a, Person(server, "B") as b:
            place = a.ask("chat.send", user=b.user, body={"text": "before"})["conversation"]
            Path(self.data, "ballast").write_bytes(bytes(10 << 20))
            crowd = {"text": "x" * 60_000}
            eventually(lambda: a.error("chat.send", conversation=place, body=crowd) == "unavailable", "the disk is full")
            refused = a.ask("chat.send", conversation=place, body={"text": "x"})["error"]
            self.assertEqual((refused["code"], refused["retryAfter"]), ("unavailable", 60_000))
            reason = "the disk is full: messages are refused\n"
            self.assertEqual(server.get("/readyz", admin=True), (503, reason))
            self.assertIsNone(b.error("chat.read", conversation=place, number=1))
            self.assertIsNone(a.error("chat.recall", conversation=place, number=1))
            self.assertNotIn("error", sign_in(server))
            Path(self.data, "ballast").unlink()
            eventually(lambda: a.error("chat.send", conversation=place, body={"text": "x"}) is None, "there is room")
            self.assertEqual(server.get("/readyz", admin=True)[0], 200)


if __name__ == "__main__":
    unittest.main()
