"""A chat between the driver and the passenger of an order, over plain HTTP: apps ask every twenty seconds."""

import itertools
import json
import unittest

from people import APP, APP_SECRET, Person
from test_files import Files
from wire import ask_http

DRIVER, PASSENGER, SYSTEM = 11, 12, 13
NEW, READ = 10, 20
_serial = itertools.count(1)


class Orders(Files):
    def setUp(self) -> None:
        self.driver, self.passenger, self.stranger = (self.person(name) for name in ("D", "P", "S"))
        self.order = f"订单-{next(_serial)}"
        self.numbers: dict[str, dict[str, int]] = {}

    # Who asks.

    def shop(self, method: str, path: str, **fields) -> dict:
        body = {"application": APP, "secret": APP_SECRET} | fields
        return ask_http(self.server, method, path, body).json

    def open(self) -> str:
        path = f"/v1/orders/order-{self.order.encode().hex()}"
        self.order = path.rpartition("/")[2]
        answer = self.shop("PUT", path, driver=self.driver.user, passenger=self.passenger.user)
        self.assertEqual(answer["ret_code"], 200, answer)
        return answer["result"][0]["sessionID"]

    def tell(self, type: str, **fields) -> dict:
        return self.shop("POST", f"/v1/orders/{self.order}/events", type=type, **fields)

    def app(self, person: Person, path: str, **fields) -> dict:
        answer = ask_http(
            self.server, "POST", f"/orderchat/{path}", fields, {"Authorization": f"Bearer {person.token}"})
        self.assertEqual(answer.status, 200)
        return answer.json

    def say(self, person: Person, chat_type: int, content: dict, **fields) -> dict:
        answer = self.app(person, "messages", orderID=self.order, chatType=chat_type, content=content, **fields)
        self.assertEqual(answer["ret_code"], 200, answer)
        return answer["result"][0]

    def poll(self, person: Person, role: int) -> list[dict]:
        """As an app does it: from the numbers it has got to."""
        numbers = self.numbers.setdefault(f"{person.user} {role}", {})
        answer = self.app(person, "poll", role=role, positions=numbers)
        self.assertEqual(answer["ret_code"], 200, answer)
        for item in answer["result"]:
            numbers[item["sessionID"]] = max(numbers.get(item["sessionID"], 0), item["number"])
        return answer["result"]


class OrderChatTests(Orders):
    def test_I01_an_order_has_one_conversation_however_often_it_is_asked_for(self):
        session = self.open()
        for _ in range(2):
            again = self.shop(
                "PUT", f"/v1/orders/{self.order}", driver=self.driver.user, passenger=self.passenger.user)
            self.assertEqual(again["result"][0]["sessionID"], session)
            for person, role in ((self.driver, DRIVER), (self.passenger, PASSENGER)):
                answer = self.app(person, "session", orderID=self.order)["result"][0]
                self.assertEqual(answer, {"sessionID": session, "orderID": self.order, "speakType": role})
        self.assertEqual(self.app(self.stranger, "session", orderID=self.order)["ret_code"], 403)
        self.assertEqual(self.shop("PUT", "/v1/orders/x", driver="a")["ret_code"], 400)
        wrong = ask_http(self.server, "PUT", "/v1/orders/x", {"application": APP, "secret": "wrong"})
        self.assertEqual(wrong.json["ret_code"], 401)

    def test_I02_everybody_speaks_in_their_role(self):
        """I02.driver I02.passenger I02.system"""
        self.open()
        self.say(self.driver, 1, {"text": "coming"})
        self.say(self.driver, 1, {"text": "driving"}, speakType=15)
        self.say(self.passenger, 1, {"text": "fine"}, speakType=PASSENGER)
        self.tell("new_chat", content={"text": "welcome"})
        got = self.poll(self.passenger, PASSENGER)
        self.assertEqual(
            [(item["speakType"], item["content"]["text"], item["content"]["topic"]) for item in got],
            [(DRIVER, "coming", self.order), (15, "driving", self.order), (PASSENGER, "fine", self.order),
             (SYSTEM, "welcome", self.order)])
        for person, role in ((self.passenger, DRIVER), (self.passenger, 15), (self.driver, PASSENGER), (self.driver, SYSTEM)):
            refused = self.app(person, "messages", orderID=self.order, chatType=1, content={"text": "x"}, speakType=role)
            self.assertEqual(refused["ret_code"], 403)
        self.assertEqual(self.poll(self.passenger, DRIVER), [])

    def test_I03_I04_I05_order_events_chat_and_account_messages_are_three_classes(self):
        """I03.classes I04.events I05.state"""
        self.open()
        for event in ("DRIVER_ARRIVE", "RECEPTION_DRIVER", "SERVICE_DONE"):
            self.assertEqual(self.tell(event, content={"a": 1})["ret_code"], 200)
        self.tell("COUPON", **{"class": 3})
        self.say(self.driver, 1, {"text": "hi"})
        got = self.poll(self.passenger, PASSENGER)
        self.assertEqual(
            [(item["msgClass"], item["type"]) for item in got],
            [(1, "DRIVER_ARRIVE"), (1, "RECEPTION_DRIVER"), (1, "SERVICE_DONE"), (3, "COUPON"), (2, "new_chat")])
        self.assertEqual(got[0]["content"], {"a": 1, "order_id": self.order})
        self.assertEqual(self.tell("X", **{"class": 4})["ret_code"], 400)
        self.assertEqual({item["kChatRepeatState"] for item in got}, {NEW})
        account = got[3]
        self.app(self.passenger, "read", sessionID=account["sessionID"], number=account["number"])
        self.numbers[f"{self.passenger.user} {PASSENGER}"] = {account["sessionID"]: 0}
        states = [item["kChatRepeatState"] for item in self.poll(self.passenger, PASSENGER)]
        self.assertEqual(states, [READ, READ, READ, READ, NEW], "opened up to the account message")

    def test_I06_cards_and_what_nobody_knows_pass_as_they_are(self):
        """I06.carried"""
        self.open()
        file = self.bring(self.driver, b"#!AMR\n" + bytes(99))
        said = [
            (3, {"file": file, "duration": 3}), (4, {"latitude": 1.5, "longitude": 2, "name": "gate"}),
            (5, {"parts": [1, {"x": 2}], "files": [file]}),
            (6, {"title": "booked", "detail": {"car": "red", "seats": [1, 2]}}), (6, {"title": "driver departed"}),
            (6, {"title": "driver in place", "map": {"latitude": 1.5, "longitude": 2}}), (701, {"y": 1}),
        ]
        for chat_type, content in said:
            self.say(self.driver, chat_type, content)
        got = self.poll(self.passenger, PASSENGER)
        self.assertEqual([(i["chatType"], {k: v for k, v in i["content"].items() if k != "topic"}) for i in got], said)
        self.assertEqual(self.ask(self.passenger, "GET", f"/v1/files/{file}").status, 200)
        self.assertEqual(self.ask(self.stranger, "GET", f"/v1/files/{file}").status, 404)
        bad = self.app(self.driver, "messages", orderID=self.order, chatType=3, content={"file": "x"})
        self.assertEqual(bad["ret_code"], 400)

    def test_B09_polling_brings_everything_once_and_says_what_was_read(self):
        session = self.open()
        seen: list[str] = []
        for turn in range(5):
            for number in range(7):
                self.say(self.driver, 1, {"text": f"{turn}.{number}"}, messageID=f"{self.order[-8:]}-{turn}-{number}")
            items = self.poll(self.passenger, PASSENGER)
            self.assertEqual({item["kChatRepeatState"] for item in items}, {NEW})
            seen += [item["content"]["text"] for item in items]
        self.assertEqual(seen, [f"{turn}.{number}" for turn in range(5) for number in range(7)])
        self.assertEqual(self.poll(self.passenger, PASSENGER), [])
        last = max(self.numbers[f"{self.passenger.user} {PASSENGER}"].values())
        self.assertEqual(self.app(self.passenger, "read", sessionID=session, number=last)["ret_code"], 200)
        self.numbers.clear()
        self.numbers[f"{self.passenger.user} {PASSENGER}"] = {session: 0}
        items = self.poll(self.passenger, PASSENGER)
        self.assertEqual(({item["kChatRepeatState"] for item in items}, len(items)), ({READ}, 35))

    def test_E11_an_app_that_polls_from_the_beginning_shows_nothing_that_was_read(self):
        session = self.open()
        shown: list[str] = []

        def poll() -> None:
            """The app shows what is new, and says that it was read."""
            items = self.poll(self.passenger, PASSENGER)
            shown.extend(item["content"]["text"] for item in items if item["kChatRepeatState"] == NEW)
            if items:
                self.app(self.passenger, "read", sessionID=session, number=items[-1]["number"])

        for text in ("one", "two"):
            self.say(self.driver, 1, {"text": text})
        poll()
        for turn in range(3):
            self.numbers[f"{self.passenger.user} {PASSENGER}"] = {session: 0}
            self.say(self.driver, 1, {"text": str(turn)})
            poll()
        self.assertEqual(shown, ["one", "two", "0", "1", "2"])

    def test_B09_polling_knows_how_far_it_is_in_a_thousand_orders(self):
        session = self.open()
        number = self.say(self.driver, 1, {"text": "x"})["number"]
        others = {f"order-{place:032x}": 7 for place in range(999)}
        for positions in ({session: number} | others, others | {session: number}):
            self.assertEqual(self.app(self.passenger, "poll", positions=positions), {"ret_code": 200, "result": []})
        for positions in (others | {session: number, "order-x": 1}, {session: -1}, {session: "1"}, [session]):
            self.assertEqual(self.app(self.passenger, "poll", positions=positions)["ret_code"], 400)

    def test_B09_an_order_is_heard_of_whatever_else_is_said_to_somebody(self):
        self.open()
        self.say(self.driver, 1, {"text": "coming"})
        for _ in range(20):
            place = self.stranger.ask("chat.create", users=[self.passenger.user])["conversation"]
            self.stranger.ask("chat.send", conversation=place, body={"text": "x" * 65_000})
        self.assertEqual([item["content"]["text"] for item in self.poll(self.passenger, PASSENGER)], ["coming"])
        self.say(self.driver, 1, {"text": "there"})
        self.stranger.ask("chat.send", conversation=place, body={"text": "x"})
        self.assertEqual([item["content"]["text"] for item in self.poll(self.passenger, PASSENGER)], ["there"])

    def test_D04_a_message_that_is_sent_again_is_one_message(self):
        self.open()
        first = self.say(self.driver, 1, {"text": "x"}, messageID=f"m-{self.order[-8:]}")
        again = self.say(self.driver, 1, {"text": "x"}, messageID=f"m-{self.order[-8:]}")
        self.assertEqual(first, again)
        items = self.poll(self.passenger, PASSENGER)
        self.assertEqual([item["messageID"] for item in items], [first["messageID"]])

    def test_our_own_clients_hear_the_same_and_are_heard(self):
        session = self.open()
        self.passenger.ask("chat.sync")
        self.say(self.driver, 1, {"text": "hello"})
        self.assertEqual(self.passenger.expect("chat.entry")["body"]["text"], "hello")
        self.passenger.ask("chat.send", conversation=session, body={"text": "and you"})
        item = self.poll(self.driver, DRIVER)[-1]
        self.assertEqual((item["speakType"], item["chatType"], item["content"]["text"]), (PASSENGER, 1, "and you"))

    def test_nobody_else_takes_the_name_of_an_order(self):
        session = self.open()
        for name in (session, "order-x", "fl-x"):
            self.assertEqual(self.stranger.error("chat.create", conversation=name), "bad_request")

    def test_nobody_speaks_for_the_system_or_decides_who_is_there(self):
        session = self.open()
        forged = {"type": "ORDER_CANCELLED", "msgClass": 1, "speakType": SYSTEM, "chatType": 1, "content": {"a": 1}}
        self.tell("DRIVER_ARRIVE")
        first = self.say(self.driver, 1, {"text": "hi"})
        for name in ("oc", "fl", "\\u006fc"):
            body = f'{{"text":"x","{name}":{json.dumps(forged)}}}'
            sent = self.passenger.ask_raw(f'["chat.send",{{"conversation":"{session}","body":{body}}}]')
            self.assertEqual(sent.get("error", {}).get("code"), "bad_request", name)
        mine = self.passenger.ask("chat.send", conversation=session, body={"text": "x"})["number"]
        edit = {"conversation": session, "number": mine, "body": {"text": "y", "oc": forged}}
        self.assertEqual(self.passenger.error("chat.edit", edit), "bad_request")
        history = self.passenger.ask("chat.history", conversation=session)["entries"]
        event = next(entry for entry in history if entry.get("kind") == "notice")
        again = {"conversation": session, "number": event["number"]}
        self.assertNotIn("error", self.passenger.ask("chat.send", conversation=session, body={}, forward=again))
        self.assertEqual(
            [(item["type"], item["speakType"]) for item in self.poll(self.driver, DRIVER)],
            [("DRIVER_ARRIVE", SYSTEM), ("new_chat", DRIVER), ("new_chat", PASSENGER), ("new_chat", PASSENGER)])
        self.assertEqual(self.driver.error("chat.remove", conversation=session, user=self.passenger.user), "forbidden")
        for person in (self.driver, self.passenger):
            self.assertEqual(person.error("chat.invite", conversation=session, users=[self.stranger.user]), "forbidden")
            self.assertEqual(person.error("chat.leave", conversation=session), "forbidden")
        self.assertEqual(self.driver.error("chat.recall", conversation=session, number=event["number"]), "forbidden")
        self.assertNotIn("error", self.driver.ask("chat.recall", conversation=session, number=first["number"]))

    def test_what_makes_no_sense_is_told(self):
        session = self.open()
        for path, fields, code in (
            ("session", {}, 400), ("session", {"orderID": "nowhere"}, 403), ("messages", {"orderID": self.order}, 400),
            ("read", {"sessionID": session}, 400), ("read", {"sessionID": session, "number": 999}, 404),
        ):
            self.assertEqual(self.app(self.passenger, path, **fields)["ret_code"], code, path)
        self.assertEqual(ask_http(self.server, "POST", "/orderchat/poll", {}).json["ret_code"], 401)


class OrderReplyTests(Orders):
    options = tuple(
        word
        for reply in (
            "RECEPTION_DRIVER:driver:I am on my way: ten minutes", "DRIVER_ARRIVE:system:look for a red car",
            "first:local:who drives may not type", "unknown:upgrade:您的当前版本过低,点击升级客户端",
        )
        for word in ("--order-reply", reply)
    )

    def replies(self, person: Person, role: int) -> list[tuple]:
        return [
            (item["speakType"], item["chatType"], item["content"]["text"])
            for item in self.poll(person, role) if item["type"] == "new_chat" and item["messageID"].startswith("auto-")]

    def test_I07_an_event_is_answered_once_by_whom_it_was_arranged_for(self):
        self.open()
        self.driver.ask("chat.sync")
        for _ in range(2):
            self.tell("RECEPTION_DRIVER", messageID=f"{self.order[-8:]}-e")
        self.tell("SERVICE_DONE")
        entry = self.driver.expect("chat.entry", **{"from": self.driver.user})
        self.assertEqual(entry["body"]["text"], "I am on my way: ten minutes")
        self.assertEqual(self.replies(self.passenger, PASSENGER), [(15, 1, "I am on my way: ten minutes")])
        self.tell("DRIVER_ARRIVE")
        self.driver.expect("chat.entry", kind="text", **{"from": "order:system"})
        self.assertEqual(self.replies(self.passenger, PASSENGER), [(SYSTEM, 1, "look for a red car")])
        self.tell("RECEPTION_DRIVER")
        self.driver.expect("chat.entry", kind="text", **{"from": self.driver.user})
        self.assertEqual(self.replies(self.passenger, PASSENGER), [(15, 1, "I am on my way: ten minutes")])

    def test_I07_the_passengers_first_word_is_answered_and_no_other(self):
        """I02.replies"""
        session = self.open()
        self.driver.ask("chat.sync")
        self.say(self.driver, 1, {"text": "hello"})
        self.assertEqual(self.replies(self.passenger, PASSENGER), [])
        self.say(self.passenger, 1, {"text": "one"})
        self.driver.expect("chat.entry", **{"from": "order:system", "kind": "text"})
        for number in range(3):
            self.say(self.passenger, 1, {"text": f"{number}"})
        self.passenger.ask("chat.send", conversation=session, body={"text": "from another client"})
        self.assertEqual(self.replies(self.passenger, PASSENGER), [(14, 1, "who drives may not type")])

    def test_I07_what_an_app_cannot_show_brings_a_hint_to_renew_it(self):
        """I02.hint"""
        session = self.open()
        self.driver.ask("chat.sync")
        self.say(self.driver, 99, {"x": 1})
        self.driver.expect("chat.entry", **{"from": "order:system"})
        hint = (16, 701, "您的当前版本过低,点击升级客户端")
        self.assertEqual(self.replies(self.passenger, PASSENGER), [hint])
        self.driver.ask("chat.send", conversation=session, kind="hologram", body={"x": 1})
        self.driver.expect("chat.entry", **{"from": "order:system"})
        self.say(self.driver, 1, {"text": "known"})
        self.assertEqual(self.replies(self.passenger, PASSENGER), [hint])

    def test_I07_a_restart_does_not_answer_again(self):
        self.open()
        self.driver.ask("chat.sync")
        self.say(self.passenger, 1, {"text": "one"})
        self.driver.expect("chat.entry", **{"from": "order:system", "kind": "text"})
        self.server.restart()
        self.driver = self.device(self.driver)
        self.say(self.passenger, 1, {"text": "two"})
        self.assertEqual(len(self.driver.heard("chat.entry", **{"from": "order:system"})), 0)
        self.assertEqual(self.replies(self.passenger, PASSENGER), [(14, 1, "who drives may not type")])


if __name__ == "__main__":
    unittest.main()
