"""Doors for apps that were made for other servers: open or closed, by an option."""

import subprocess
import unittest

from fl import Phone, account
from people import APP, APP_SECRET, VOUCHED, Person
from server import Server, binary
from wire import ask_http

#: Of each door: its HTTP routes.
ROUTES = {
    "flsocketim": [
        ("POST", "/register"), ("POST", "/mobileLogin"), ("GET", "/allUsers"), ("POST", "/uploadFiles"),
        ("GET", "/images/AAAAAAAAAAAAAAAAAAAA.png"), ("GET", "/audios/AAAAAAAAAAAAAAAAAAAA.amr"),
    ],
    "orderchat": [
        ("PUT", "/v1/orders/o-1"), ("POST", "/v1/orders/o-1/events"), ("POST", "/orderchat/session"),
        ("POST", "/orderchat/messages"), ("POST", "/orderchat/poll"), ("POST", "/orderchat/read"),
    ],
    "jpush": [
        ("POST", "/v3/push"), ("POST", "/v3/push/validate"), ("GET", "/v3/push/cid"), ("GET", "/v3/devices/0123456789abcdef012"),
        ("GET", "/v3/aliases/a"), ("GET", "/v3/tags/"), ("GET", "/v3/device/tags/"),
        ("POST", "/v3/grouppush"), ("POST", "/v3/schedules/"), ("GET", "/v3/received"), ("POST", "/v3/push/batch/alias/single"),
    ],
    "rongcloud": [
        ("POST", "/user/getToken.json"), ("POST", "/user/checkOnline.json"), ("POST", "/message/private/publish.json"),
        ("POST", "/message/group/publish.json"), ("POST", "/message/system/publish.json"), ("POST", "/group/create.json"),
        ("POST", "/chatroom/create.json"), ("POST", "/user/block.json"), ("POST", "/v3/message/private/query.json"),
    ],
    "realtime-tree": [
        ("GET", "/.json"), ("PUT", "/a/b.json"), ("POST", "/a.json"), ("PATCH", "/a.json"), ("DELETE", "/a.json"), ("GET", "/.ws?v=5"),
        ("GET", "/.lp?start=t&cb=1&ser=1&v=5"), ("POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp"),
        ("POST", "/securetoken.googleapis.com/v1/token"), ("POST", "/token"),
    ],
}  # fmt: skip
HANDSHAKES = ("EIO=3&transport=polling", "transport=polling&b64=1&auth_token=T")


class Doors(unittest.TestCase):
    def server(self, *options: str, data: str | None = None) -> Server:
        server = Server(*VOUCHED, *options, testing=False, data=data)
        self.addCleanup(server.__exit__)
        return server

    def expect_closed(self, server: Server, door: str) -> None:
        for method, path in ROUTES[door]:
            answer = ask_http(server, method, path, {} if method != "GET" else b"")
            self.assertEqual(answer.status, 404, path)

    def test_B10_closed_doors_have_no_routes_and_their_apps_are_told_in_their_own_words(self):
        server = self.server("--doors", "none")
        for door in ROUTES:
            self.expect_closed(server, door)
        for query in HANDSHAKES:
            answer = ask_http(server, "GET", f"/socket.io/?{query}")
            self.assertEqual(answer.status, 400)
            self.assertEqual(answer.json, {"code": 5, "message": "Unsupported protocol version"})
        # Our own clients do not care.
        person = Person(server, "P")
        self.addCleanup(person.link.close)
        self.assertEqual(person.ask("room.join", room="hall")["count"], 1)

    def test_B10_each_door_opens_alone(self):
        apps = self.server("--doors", "flsocketim")
        self.expect_closed(apps, "orderchat")
        phone = Phone(apps, account(apps, "xiaoming")["data"]["auth_token"])
        self.addCleanup(phone.close)
        while "40" not in phone.trace:
            phone.next()
        orders = self.server("--doors", "orderchat")
        self.expect_closed(orders, "flsocketim")
        self.expect_closed(self.server("--doors", "jpush"), "jpush")
        self.expect_closed(self.server("--doors", "rongcloud"), "rongcloud")
        self.expect_closed(self.server("--doors", "rongcloud,jpush"), "realtime-tree")
        # What the page has for itself stays its own.
        tree = self.server("--doors", "realtime-tree")
        self.assertEqual(ask_http(tree, "GET", "/v1/openapi.json").json["openapi"][:2], "3.")
        self.assertEqual(ask_http(tree, "GET", "/else.json").status, 401)
        shop = {"application": APP, "secret": APP_SECRET, "driver": "d", "passenger": "p"}
        self.assertEqual(ask_http(orders, "PUT", "/v1/orders/o-1", shop).json["ret_code"], 200)
        self.assertEqual(ask_http(orders, "GET", f"/socket.io/?{HANDSHAKES[0]}").status, 400)

    def test_B10_what_only_a_door_may_write_is_kept_from_others_while_it_is_closed(self):
        server = self.server("--doors", "none")
        person, other = Person(server, "P"), Person(server, "O")
        for one in (person, other):
            self.addCleanup(one.link.close)
        for name in ("fl", "oc", "rc"):
            answer = person.ask("chat.send", user=other.user, body={"text": "x", name: {}})
            self.assertEqual(answer["error"]["code"], "bad_request")
        for id in ("fl-x", "order-x", "rcg:x", "rcr:x", "rcs:x"):
            self.assertEqual(person.ask("chat.create", conversation=id)["error"]["code"], "bad_request")

    def test_B10_a_door_that_does_not_exist_is_named(self):
        run = subprocess.run([binary(), "serve", "--doors", "backdoor"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 64)
        self.assertIn("flsocketim", run.stderr)


if __name__ == "__main__":
    unittest.main()
