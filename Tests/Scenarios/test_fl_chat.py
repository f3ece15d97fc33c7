"""What FLSocketIM's apps say to each other, as they have always said it."""

import json
import signal
import threading
import time
import unittest
import zlib

from websocket import ABNF

from people import Person
from phones import UUID, Phones
from server import TIMEOUT, companions_wanted, eventually, suspend
from test_files import form, gif
from wire import ask_http


class Chat(Phones):
    def message(self, to: str, sender: str = "somebody", **bodies) -> dict:
        return {
            "from_user": sender, "to_user": to, "chat_type": "chat", "sendtime": int(time.time() * 1000) + self.count(),
            "bodies": bodies, "type": 1, "isSendSuccess": False, "odd": [1, {"a": None}],
        }

    def count(self) -> int:
        Phones.serial += 1
        return Phones.serial

    def pair(self, platform: str = "ios") -> tuple:
        """Two people nobody has talked to yet."""
        n = self.count()
        return self.phone(f"alice_{n}x"), self.phone(f"bobby_{n}x", platform), f"bobby_{n}x"

    def say(self, phone, to: str, text: str, **more) -> dict:
        return phone.ask("chat", self.message(to, type="txt", msg=text) | more)[0]

    def fetch(self, path: str):
        return ask_http(self.server, "GET", f"/{path}")

    def take(self, phone) -> str:
        """The text of the next message, which the phone answers as the apps do."""
        while not (found := [event for event in phone.pending if event[0] == "chat"]):
            phone._step(TIMEOUT)
        phone.pending.remove(found[0])
        phone.send_packets([f'43{found[0][2]}["hello 我是应答"]'])
        return found[0][1][0]["bodies"]["msg"]

    def answer_all(self, phone) -> None:
        """As the app answers each message it got; the numbers go on for all phones of the server."""
        phone.heard("chat")
        for packet in [p for p in phone.trace if isinstance(p, str) and p.startswith("42") and '"chat"' in p]:
            number = packet[2:].partition("[")[0]
            phone.send_packets([f'43{number}["hello 我是应答"]'])
        phone.heard("chat")


class OneToOne(Chat):
    def test_D01_D02_text_reaches_its_addressee_with_everything_else_in_it(self):
        a, b, to = self.pair("android")
        c = self.phone("carol")
        sent = self.message(to, "mallory", type="txt", msg="你好 😀")
        before = int(time.time() * 1000)
        answer = a.ask("chat", sent)[0]
        self.assertRegex(answer["msg_id"], UUID)
        self.assertTrue(before <= answer["timestamp"] <= int(time.time() * 1000))
        self.assertEqual(answer, sent | {"from_user": to.replace("bobby", "alice"), "msg_id": answer["msg_id"], "timestamp": answer["timestamp"]})
        self.assertEqual(b.expect("chat"), answer)
        self.assertEqual(c.heard("chat"), [])

    def test_D02_every_chat_comes_with_an_ack(self):
        a, b, to = self.pair()
        self.say(a, to, "x")
        b.expect("chat")
        self.say(a, to, "y")
        while not (found := [number for name, _, number in b.pending if name == "chat"]):
            b._step(5)
        self.assertIsNotNone(found[0])

    def test_D04_a_message_that_is_sent_again_is_one_message(self):
        a, b, to = self.pair()
        message = self.message(to, type="txt", msg="once")
        first, again = a.ask("chat", message)[0], a.ask("chat", message)[0]
        self.assertEqual(first, again)
        self.assertEqual(b.expect("chat"), first)
        self.say(a, to, "next")
        self.assertEqual(b.expect("chat")["bodies"]["msg"], "next")

    def draws(self, picture: bytes) -> None:
        """A message waits half a second for its thumbnail, which is little on a machine that has never drawn one."""
        a, _, to = self.pair("android")
        send = lambda: a.ask("chat", self.message(to, type="img", fileName="0.gif", fileData=picture, size={"width": 0, "height": 0}))[0]
        eventually(lambda: "/s_" in send()["bodies"]["thumbnailRemotePath"], "a thumbnail in time")

    def test_D05_D07_pictures_come_with_their_size_and_a_thumbnail(self):
        a, b, to = self.pair("android")
        self.draws(gif(900, 600))
        for width, height, small in ((900, 600, (300, 200)), (200, 100, None)):
            picture = gif(width, height)
            answer = a.ask("chat", self.message(to, type="img", fileName="1.gif", fileData=picture, size={"width": 0, "height": 0}))[0]
            bodies = answer["bodies"]
            self.assertEqual(bodies["size"], {"width": width, "height": height})
            self.assertIsNone(bodies["fileData"])
            self.assertEqual(self.fetch(bodies["fileRemotePath"]).body, picture)
            self.assertRegex(bodies["fileRemotePath"], r"^images/chatImages/[\w-]{20}\.gif$")
            thumbnail = self.fetch(bodies["thumbnailRemotePath"]).body
            got = b.expect("chat")["bodies"]
            self.assertEqual(got["fileData"], thumbnail)
            if small:
                self.assertRegex(bodies["thumbnailRemotePath"], r"^images/chatImages/s_[\w-]{20}\.png$")
                self.assertEqual(int.from_bytes(thumbnail[16:20], "big"), small[0])
                self.assertEqual(int.from_bytes(thumbnail[20:24], "big"), small[1])
            else:
                self.assertEqual(bodies["thumbnailRemotePath"], bodies["fileRemotePath"])

    def test_D05_five_pictures_at_once(self):
        a, b, to = self.pair()
        pictures = [gif(10 + n, 10) for n in range(5)]
        for number, picture in enumerate(pictures):
            a.emit("chat", self.message(to, type="img", fileName="x.gif", fileData=picture), number=100 + number)
        got = [b.expect("chat")["bodies"]["fileData"] for _ in pictures]
        self.assertEqual(sorted(got), sorted(pictures))

    def test_K04_voice_is_kept_and_fetched_by_its_path(self):
        """K04.stored"""
        a, b, to = self.pair()
        voice = b"#!AMR\n" + (b"\x3c" + bytes(31)) * 100
        answer = a.ask("chat", self.message(to, type="audio", fileName="1.amr", duration=2, fileData=voice))[0]
        self.assertIsNone(answer["bodies"]["fileData"])
        got = b.expect("chat")["bodies"]
        self.assertNotIn("fileData", got)
        self.assertEqual((got["duration"], self.fetch(got["fileRemotePath"]).body), (2, voice))
        self.assertRegex(got["fileRemotePath"], r"^audios/[\w-]{20}\.amr$")

    def test_B11_photos_and_recordings_of_twenty_megabytes_pass_on_every_transport(self):
        n = self.count()
        b = self.phone(f"bobby_{n}x")
        photo, voice = gif(600, 400) + bytes(20_000_000), b"#!AMR\n" + bytes(20_000_000)
        for number, options in enumerate(({"stays_polling": True}, {"starts_on_socket": True})):
            a = self.phone(f"alice_{n}{number}", "ios", **options)
            for kind, name, data in (("img", "1.gif", photo), ("audio", "1.amr", voice)):
                with self.subTest(kind, **options):
                    with b.staying_alive():
                        answer = a.ask("chat", self.message(f"bobby_{n}x", type=kind, fileName=name, fileData=data), within=60)
                        self.assertEqual(self.fetch(answer[0]["bodies"]["fileRemotePath"]).body, data)
                    b.expect("chat", within=60)
            a.close()

    def test_B05_a_server_that_was_paused_disconnects_nobody_who_sent_pings(self):
        a, b, to = self.pair()
        suspend(self.server.process)
        try:
            with a.staying_alive(), b.staying_alive():
                # Longer than its ping timeout of eight seconds.
                threading.Event().wait(9)
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.say(a, to, "still here")
        self.assertEqual(b.expect("chat")["bodies"]["msg"], "still here")

    def test_B11_a_photo_that_comes_slowly_keeps_its_phone_there(self):
        a, b, to = self.pair()
        a.close()
        a = self.phone(f"slow_{self.count()}x", starts_on_socket=True)
        photo = gif(600, 400) + bytes(1_000_000)
        text = json.dumps(["chat", self.message(to, type="img", fileName="1.gif", fileData={"_placeholder": True, "num": 0})])
        a.socket.send(f"451-7{text}")
        frame = ABNF.create_frame(b"\x04" + photo, ABNF.OPCODE_BINARY).format()
        for start in range(0, len(frame), len(frame) // 10 + 1):
            a.socket.sock.sendall(frame[start:start + len(frame) // 10 + 1])
            b.stay_alive()
            time.sleep(1)
        self.assertEqual(b.expect("chat")["bodies"]["size"], {"width": 600, "height": 400})

    def test_D09_a_location_comes_with_a_picture_drawn_here(self):
        a, b, to = self.pair()
        place = {"latitude": 30.27, "longitude": 120.15, "locationName": "杭州", "detailLocationName": "西湖"}
        answer = a.ask("chat", self.message(to, type="loc", **place))[0]
        got = b.expect("chat")["bodies"]
        self.assertEqual(got, answer["bodies"])
        self.assertLessEqual(place.items(), got.items())
        picture = self.fetch(got["fileRemotePath"])
        self.assertEqual(picture.headers["content-type"], "image/png")
        self.assertEqual((int.from_bytes(picture.body[16:20], "big"), int.from_bytes(picture.body[20:24], "big")), (400, 200))
        rows = zlib.decompress(self.chunks(picture.body)[b"IDAT"])
        self.assertEqual(len(rows), 200 * (1 + 400 // 4))
        self.assertEqual({row[0] for row in (rows[i : i + 101] for i in range(0, len(rows), 101))}, {0})
        self.assertRegex(got["fileRemotePath"], r"^images/mapImages/[\w-]{20}\.PNG$")

    def chunks(self, png: bytes) -> dict[bytes, bytes]:
        found, place = {}, 8
        while place < len(png):
            length = int.from_bytes(png[place : place + 4], "big")
            name, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
            self.assertEqual(zlib.crc32(name + content), int.from_bytes(png[place + 8 + length : place + 12 + length], "big"))
            found[name], place = content, place + 12 + length
        return found

    def test_D13_a_message_to_oneself_comes_back_once(self):
        a = self.phone("alice")
        self.say(a, "alice", "note")
        self.assertEqual(a.expect("chat")["bodies"]["msg"], "note")
        self.say(a, "alice", "next")
        self.assertEqual(a.expect("chat")["bodies"]["msg"], "next")

    def test_D14_what_the_server_does_not_know_passes(self):
        a, b, to = self.pair()
        self.assertEqual(a.ask("chat", self.message(to, type="video", x=1))[0]["bodies"], {"type": "video", "x": 1})
        self.assertEqual(b.expect("chat")["bodies"], {"type": "video", "x": 1})

    def test_E09_what_came_while_a_phone_was_away_comes_at_its_next_connect(self):
        a, b = self.phone("alice"), self.phone("daisy")
        self.say(a, "daisy", "here")
        b.expect("chat")
        self.answer_all(b)
        b.close()
        a.expect("offLine", user="daisy")
        for text in range(50):
            self.say(a, "daisy", str(text))
        b = self.phone("daisy")
        got = [b.expect("chat")["bodies"]["msg"] for _ in range(50)]
        self.assertEqual(got, [str(text) for text in range(50)])
        self.answer_all(b)
        b.close()
        a.expect("offLine", user="daisy")
        b = self.phone("daisy")
        self.assertEqual(b.heard("chat"), [])

    def test_E09_whoever_missed_much_gets_all_of_it_in_order_and_then_what_is_new(self):
        a, b, to = self.pair()
        b.close()
        a.expect("offLine", user=to)
        for number in range(330):
            self.say(a, to, str(number))
        b = self.phone(to)
        got = [self.take(b) for _ in range(50)]
        self.say(a, to, "new")
        got += [self.take(b) for _ in range(281)]
        self.assertEqual(got, [str(number) for number in range(330)] + ["new"])
        b.heard("chat")
        b.close()
        a.expect("offLine", user=to)
        self.assertEqual(self.phone(to).heard("chat"), [])

    def test_E09_what_was_not_answered_comes_again_with_all_behind_it(self):
        a, b, to = self.pair()
        for number in range(5):
            self.say(a, to, str(number))
        b.heard("chat")
        for name, _, number in list(b.pending):
            if name == "chat" and number != b.pending[2][2]:
                b.send_packets([f'43{number}["hello 我是应答"]'])
        b.heard("chat")
        b.close()
        a.expect("offLine", user=to)
        b = self.phone(to)
        self.assertEqual([self.take(b) for _ in range(3)], ["2", "3", "4"])

    def test_what_cannot_be_delivered_is_not_answered(self):
        a, _, to = self.pair()
        a.emit("chat", self.message("nobody_here", type="txt", msg="x"), number=500)
        a.emit("chat", self.message(to, type="img", fileName="x", fileData=b"no picture"), number=501)
        a.emit("chat", {"bodies": 1}, number=502)
        a.emit("chat", "nonsense", number=503)
        a.heard("chat")
        self.assertEqual({500, 501, 502, 503} & set(a.acks), set())

    def test_what_is_longer_than_a_message_may_be_is_not_answered(self):
        a, b, to = self.pair()
        self.say(a, to, "x" * 30_000)
        self.assertEqual(len(b.expect("chat")["bodies"]["msg"]), 30_000)
        a.emit("chat", self.message(to, type="txt", msg="x" * 66_000), number=500)
        group = f"long {self.count()}"
        for phone in (a, b):
            phone.ask("join", {"roomId": group})
            phone.expect("GroupChat")
        a.expect("GroupChat")
        a.emit("GroupChat", {"roomId": group, "bodies": {"type": "txt", "msg": "x" * 66_000}})
        self.assertEqual(a.heard("GroupChat") + b.heard("GroupChat") + b.heard("chat"), [])
        self.assertNotIn(500, a.acks)

    def test_the_limit_of_words_to_everybody(self):
        """Words to everybody: the largest message at once, then nobody hears them for a while."""
        a, b, _ = self.pair()
        for words in ("x" * 1_400_000, "y" * 1_400_000, "short"):
            a.emit("liaotian", {"neirong": words})
        self.assertEqual([len(b.expect("liaotian")["neirong"]) for _ in range(2)], [1_400_000, 5])

    def test_a_picture_of_oneself_is_brought_before_there_is_a_token(self):
        def bring(content: bytes) -> dict:
            body, kind = form("me.jpg", content, "image")
            return ask_http(self.server, "POST", "/uploadFiles", body, {"Content-Type": kind}).json

        answer = bring(gif(10, 10))
        self.assertEqual((answer["code"], answer["message"]), (1, "上传文件成功"))
        self.assertEqual(self.fetch(answer["data"]).body[:4], b"\x89PNG", "drawn anew")
        self.assertRegex(answer["data"], r"^images/[\w-]{20}\.png$")
        self.assertEqual(bring(b"no picture")["code"], -1)
        self.assertEqual(bring(bytes(6 << 20))["code"], -1)
        # Each node counts for itself.
        self.assertIn(-1, [bring(gif(10, 10))["code"] for _ in range(25 * (companions_wanted() + 1))])

    def test_only_files_of_the_apps_are_open(self):
        for path in ("images/chatImages/x", "audios/../secret", "images/chatImages/AAAAAAAAAAAAAAAAAAAA.jpg"):
            self.assertEqual(self.fetch(path).status, 404, path)


class Groups(Chat):
    def test_F01_F02_groups_are_made_joined_and_left(self):
        """F03"""
        a, b, c = self.phone("alice"), self.phone("bobby"), self.phone("carol")
        name = f"组 {self.count()}"
        self.assertEqual(a.ask("create", {"roomId": name}), [name])
        self.assertEqual(a.expect("GroupChat")["roomId"], name)
        self.assertEqual(b.ask("join", {"roomId": name}), [name])
        b.expect("GroupChat")
        self.assertEqual(c.ask("join", {"roomId": name}), [name])
        c.expect("GroupChat")
        said = {"roomId": name, "from_user": "alice", "bodies": {"type": "txt", "msg": "hi"}, "odd": 1, "n": 1}
        a.emit("GroupChat", said)
        for phone in (a, b, c):
            self.assertEqual(phone.expect("GroupChat", n=1), said)
        c.emit("leave", {"roomId": name})
        # Nobody answers that; what carol says next is written behind it.
        self.say(c, "carol", "I have left")
        a.emit("GroupChat", said | {"n": 2})
        b.expect("GroupChat", n=2)
        self.assertEqual(c.heard("GroupChat"), [])
        self.server.restart()
        b = self.phone("bobby")
        a = self.phone("alice")
        a.emit("GroupChat", said | {"n": 3})
        b.expect("GroupChat", n=3)


    def test_F08_who_joins_is_told_to_the_members_and_to_themselves(self):
        a, b, c = self.phone("alice"), self.phone("bobby"), self.phone("carol")
        name = f"joined {self.count()}"
        a.ask("create", {"roomId": name})
        self.assertEqual(a.expect("GroupChat"), {"roomId": name})
        b.ask("join", {"roomId": name})
        for phone in (a, b):
            self.assertEqual(phone.expect("GroupChat"), {"roomId": name})
        self.assertEqual(a.heard("GroupChat") + b.heard("GroupChat") + c.heard("GroupChat"), [])

    def test_F09_two_groups_of_one_name_are_two_and_both_are_of_use(self):
        a, b, c, d = (self.phone(name) for name in ("alice", "bobby", "carol", "david"))
        name = f"same {self.count()}"
        self.assertEqual([a.ask("create", {"roomId": name}), a.ask("create", {"roomId": name})], [[name]] * 2)
        self.assertEqual(b.ask("create", {"roomId": name}), [f"{name}#2"])
        c.ask("join", {"roomId": name})
        d.ask("join", {"roomId": f"{name}#2"})
        a.emit("GroupChat", {"roomId": name, "n": 1})
        b.emit("GroupChat", {"roomId": name, "n": 2})
        for phone, number in ((a, 1), (c, 1), (b, 2), (d, 2)):
            phone.expect("GroupChat", n=number)
            self.assertFalse([said for said in phone.heard("GroupChat") if said[0].get("n")])


class BothWorlds(Chat):
    def test_people_of_both_worlds_talk_to_each_other(self):
        phone = self.phone("alice")
        login = ask_http(self.server, "POST", "/v1/auth/register", {"userName": "natty", "password": "g00d-p4ssphrase"}).json
        native = Person(self.server, token=login["accessToken"])
        self.addCleanup(native.link.close)
        native.ask("chat.sync")
        answer = self.say(phone, "natty", "hello")
        entry = native.expect("chat.entry")
        self.assertEqual((entry["body"]["text"], entry["time"]), ("hello", answer["timestamp"]))
        native.ask("chat.send", conversation=entry["conversation"], body={"text": "and you"})
        got = phone.expect("chat")
        self.assertEqual((got["from_user"], got["to_user"], got["bodies"]), ("natty", "alice", {"type": "txt", "msg": "and you"}))
        native.ask("chat.send", conversation=entry["conversation"], kind="card", body={"x": 1})
        self.assertEqual(phone.expect("chat")["bodies"]["msg"], "[其他]")

    def test_E09_a_message_behind_many_things_that_are_none_is_not_lost(self):
        phone, other, _ = self.pair()
        name = f"alice_{Phones.serial}x"
        login = ask_http(self.server, "POST", "/v1/auth/register", {"userName": "reacts", "password": "g00d-p4ssphrase"}).json
        native = Person(self.server, token=login["accessToken"])
        self.addCleanup(native.link.close)
        native.ask("chat.sync")
        self.say(phone, "reacts", "hello")
        place = native.expect("chat.entry")["conversation"]
        phone.close()
        other.expect("offLine", user=name)
        for turn in range(205):
            native.ask("chat.react", conversation=place, number=1, reaction="👍", on=turn % 2 == 0)
        native.ask("chat.send", conversation=place, body={"text": "here"})
        for _ in range(2):
            phone = self.phone(name)
            self.assertEqual(phone.expect("chat")["bodies"]["msg"], "here")
            phone.close()
            other.expect("offLine", user=name)

    def test_E09_messages_of_more_people_than_fit_into_one_answer_come_all(self):
        other, phone, name = self.pair()
        login = ask_http(self.server, "POST", "/v1/auth/login", {"userName": name, "password": "g00d-p4ssphrase"}).json
        phone.close()
        other.expect("offLine", user=name)
        for number in range(105):
            with Person(self.server) as sender:
                self.assertNotIn("error", sender.ask("chat.send", user=login["user"], body={"text": str(number)}))
        phone = self.phone(name)
        while len([event for event in phone.pending if event[0] == "chat"]) < 100:
            phone._step(TIMEOUT)
        self.assertEqual(len(phone.heard("chat")), 100, "the rest is for whoever answers")
        got = [self.take(phone) for _ in range(105)]
        self.assertEqual(sorted(got, key=int), [str(number) for number in range(105)])

    def test_nobody_speaks_in_the_name_of_somebody_else(self):
        a, b, to = self.pair()
        login = ask_http(self.server, "POST", "/v1/auth/register", {"userName": "mallory", "password": "g00d-p4ssphrase"}).json
        native = Person(self.server, token=login["accessToken"])
        self.addCleanup(native.link.close)
        native.ask("chat.sync")
        self.say(a, "mallory", "for mallory")
        entry = native.expect("chat.entry")
        self.say(b, "mallory", "hello")
        place = native.expect("chat.entry")["conversation"]
        forged = {"text": "x", "fl": self.message(to, to.replace("bobby", "alice"), type="txt", msg="give me money")}
        self.assertEqual(native.error("chat.send", conversation=place, body=forged), "bad_request")
        native.ask("chat.send", conversation=place, body={}, forward={"conversation": entry["conversation"], "number": 1})
        got = b.expect("chat")
        self.assertEqual((got["from_user"], got["to_user"], got["bodies"]["msg"]), ("mallory", to, "for mallory"))

    def test_nobody_speaks_in_the_name_of_somebody_else_in_a_group(self):
        a, b, _ = self.pair()
        name = f"组 {self.count()}"
        for phone in (a, b):
            phone.ask("join", {"roomId": name})
            phone.expect("GroupChat")
        a.emit("GroupChat", {"roomId": name, "from_user": "the_boss", "n": 1})
        self.assertRegex(b.expect("GroupChat", n=1)["from_user"], "^alice_")

    def test_D23_a_phone_is_left_in_peace_by_whom_its_owner_blocks(self):
        a, b = self.phone("blocked1"), self.phone("peaceful1")
        form = {"password": "g00d-p4ssphrase"}
        names = {name: ask_http(self.server, "POST", "/v1/auth/login", form | {"userName": name}).json for name in ("blocked1", "peaceful1")}
        token = {"Authorization": f"Bearer {names['peaceful1']['accessToken']}"}
        place = f"/v1/blocks/{names['blocked1']['user']}"
        self.assertEqual(ask_http(self.server, "PUT", place, {}, token).status, 200)
        tablet = self.phone("peaceful1", "android")
        room = a.ask("videoChat", {"from_user": "blocked1", "to_user": "peaceful1"})[0]
        a.emit("__join", {"room": room})
        a.expect("cancelVideoChat")
        a.emit("liaotian", {"neirong": "psst"})
        a.emit("chat", self.message("peaceful1", type="txt", msg="psst"), number=500)
        a.heard("chat")
        for phone in (b, tablet):
            for event in ("videoChat", "cancelVideoChat", "liaotian", "chat"):
                self.assertEqual(phone.heard(event), [], event)
        self.assertNotIn(500, a.acks)
        self.assertEqual(ask_http(self.server, "DELETE", place, None, token).status, 200)
        a.ask("videoChat", {"from_user": "blocked1", "to_user": "peaceful1"})
        b.expect("videoChat")


if __name__ == "__main__":
    unittest.main()
