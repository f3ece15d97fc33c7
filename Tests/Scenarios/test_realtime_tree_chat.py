"""Places of the realtime tree that are chat rooms: an app made for the tree and people on the page talk with each other."""

import unittest

from server import companions_wanted, eventually
from talk import Talk
from tree_client import EMULATOR, TreeSocket, ask, sign_up

ROOM = "rtr:messages"


class Bridge(Talk):
    options = (*EMULATOR, "--tree-room", "messages", "--tree-rules", "{rules}")

    @classmethod
    def setUpClass(cls) -> None:
        import tempfile

        with tempfile.NamedTemporaryFile("w", suffix=".json") as rules:
            rules.write('{"rules": {"messages": {".read": "auth != null", ".write": "auth != null"}}}')
            rules.flush()
            cls.options = tuple(text.replace("{rules}", rules.name) for text in cls.options)
            super().setUpClass()
            cls.server.wait_for_tree()
        # Each node behind a balancer knows by then who has the tree.
        nodes = companions_wanted() + 1
        eventually(lambda: all(ask(cls.server, "GET", "/messages.json").status == 200 for _ in range(2 * nodes)), "the tree is open")

    def member(self, name: str):
        person = self.listener(name)
        self.assertNotIn("error", person.ask("chat.join", conversation=ROOM))
        return person

    def app(self) -> tuple[TreeSocket, str]:
        """An app's user without a name, who listens as the app does."""
        user = sign_up(self.server)
        socket = TreeSocket(self.server, credential=user["idToken"])
        self.addCleanup(socket.close)
        socket.listen("/messages/messages", {"l": 25, "vf": "r"}, 1)
        return socket, user["localId"]

    def test_L08_what_an_app_says_is_heard_in_the_chat_and_the_other_way_round(self):
        ask(self.server, "DELETE", "/messages.json")
        person = self.member("Page")
        past = len(self.everything(person, ROOM))
        socket, uid = self.app()
        socket.ask("p", p="/messages/messages/-P70U9iR6jPGpqgMUxNi", d={"text": "hi 你好", "senderId": uid})
        socket.push()
        entry = person.expect("chat.entry", type="message")
        self.assertEqual((entry["from"], entry["body"]["text"], entry["conversation"]), (uid, "hi 你好", ROOM))
        self.say(person, "hello", conversation=ROOM)
        action, path, value = socket.push()
        self.assertEqual((action, value["text"], value["senderId"]), ("d", "hello", person.user))
        self.assertTrue(path.startswith("messages/messages/-"))
        # Each is there once, in the same order, whoever asks.
        self.assertEqual(self.texts(self.everything(person, ROOM)[past:]), ["hi 你好", "hello"])
        written = ask(self.server, "GET", "/messages/messages.json").json
        self.assertEqual([written[key]["text"] for key in sorted(written)], ["hi 你好", "hello"])
        found = person.ask("chat.search", text="hello", conversation=ROOM)
        self.assertEqual(self.texts(found["entries"])[:1], ["hello"])

    def test_L08_nobody_speaks_in_the_name_of_another(self):
        person = self.member("Listener")
        socket, uid = self.app()
        socket.ask("p", p="/messages/messages/forged", d={"text": "forged", "senderId": person.user})
        socket.ask("p", p="/messages/messages/own", d={"text": "own", "senderId": uid})
        self.assertEqual(person.expect("chat.entry", type="message")["body"]["text"], "own")
        self.assertEqual(person.heard("chat.entry", type="message"), [])

    def test_G01_who_types_on_one_side_shows_on_the_other(self):
        person = self.member("Typist")
        socket, uid = self.app()
        query = {"sp": True, "sin": True, "ep": True, "ein": True, "i": ".value"}
        self.assertEqual(socket.listen("/messages/typingIndicator", query, 2), None)
        socket.ask("o", p=f"/messages/typingIndicator/{uid}", d=None)
        socket.ask("p", p=f"/messages/typingIndicator/{uid}", d=True)
        self.assertEqual(socket.push(), ("d", f"messages/typingIndicator/{uid}", True))
        self.assertEqual(person.expect("chat.typing", user=uid)["on"], True)
        person.ask("chat.typing", conversation=ROOM, on=True)
        self.assertEqual(socket.push(), ("d", f"messages/typingIndicator/{person.user}", True))
        person.ask("chat.typing", conversation=ROOM, on=False)
        self.assertEqual(socket.push(), ("d", f"messages/typingIndicator/{person.user}", None))
        socket.cut()
        self.assertEqual(person.expect("chat.typing", user=uid)["on"], False)


if __name__ == "__main__":
    unittest.main()
