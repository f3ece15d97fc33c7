"""What an attacker tries with little, and what the others feel of it. Tests are named after the finding they hold."""

import http.client
import json
import socket
import struct
import subprocess
import tempfile
import unittest
import zlib

import websocket
from fl import Phone
from people import APP, APP_SECRET, VOUCHED, Person, Refused, sign_in
from server import TIMEOUT, Server, binary
from test_hostile import DEFLATE, UPGRADE, frame, read_all, send_all
from wire import Closed, WebSocketLink, ask_http

UPGRADE_SOCKET = UPGRADE.replace(b"/test/echo", b"/socket.io/?EIO=4&transport=websocket")


def packed(text: str) -> bytes:
    """A compressed text frame (RFC 7692)."""
    deflater = zlib.compressobj(9, wbits=-15)
    data = deflater.compress(text.encode()) + deflater.flush(zlib.Z_SYNC_FLUSH)
    return frame(1, data[:-4], 0xC0)


class Attacks(unittest.TestCase):
    def setUp(self) -> None:
        self.server = self.enterContext(Server(*VOUCHED, testing=False))

    def socket_with_compression(self) -> socket.socket:
        peer = self.server.connect()
        self.addCleanup(peer.close)
        peer.sendall(UPGRADE_SOCKET + DEFLATE + b"\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += peer.recv(1)
        self.assertIn(b"permessage-deflate", head)
        return peer

    def test_H2_a_stranger_cannot_unfold_a_megabyte(self):
        peer = self.socket_with_compression()
        peer.sendall(packed("40" + json.dumps({"token": "x", "a": [1] * 300_000})))
        self.assertIn(struct.pack(">H", 1009), read_all(peer))

    def test_H2_compressed_messages_of_one_wait_and_those_of_the_others_do_not(self):
        victim = self.enterContext(Person(self.server, "Victim"))
        peer = self.socket_with_compression()
        token = sign_in(self.server)["accessToken"]
        peer.sendall(frame(1, f"40{json.dumps({'token': token})}".encode()))
        seen = b""
        while b'"welcome"' not in seen:
            seen += peer.recv(1 << 16)
        bomb = "".join(["[", '"chat.send",{"a":[', "1," * 400_000, "1]}]"])
        for number in range(30):
            send_all(peer, packed(f"42{number}{bomb}"))
        for _ in range(3):
            self.assertNotIn("error", victim.ask("chat.send", user=victim.user, body={"text": "hello"}))
        answered = self.read_available(peer).count(b"43")
        self.assertLess(answered, 30, "the attacker's messages wait for their turn")

    def read_available(self, peer: socket.socket) -> bytes:
        peer.setblocking(False)
        received = b""
        try:
            while piece := peer.recv(1 << 16):
                received += piece
        except BlockingIOError:
            pass
        return received

    def test_H4_a_body_that_nobody_signed_in_for_is_refused_by_its_length(self):
        opening = ask_http(self.server, "GET", "/socket.io/?EIO=4&transport=polling").text
        sid = json.loads(opening[1:])["sid"]
        with self.server.connect() as peer:
            peer.sendall(f"POST /socket.io/?EIO=4&transport=polling&sid={sid} HTTP/1.1\r\nHost: a\r\n"
                         "Content-Length: 995000\r\n\r\n".encode())
            self.assertIn(b" 413 ", read_all(peer).split(b"\r\n")[0])

    def test_H4_an_unfinished_message_before_sign_in_is_refused_by_its_length(self):
        link = WebSocketLink(self.server, "EIO=4")
        link.receive()
        link.socket.sock.sendall(b"\x81\xff" + struct.pack(">Q", 900_000) + bytes(4))
        with self.assertRaises(Closed) as closed:
            link.receive()
        self.assertEqual(closed.exception.code, 1009)

    def test_H4_an_order_chat_asks_for_the_token_before_the_body(self):
        with self.server.connect() as peer:
            peer.sendall(b"POST /orderchat/session HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            peer.settimeout(TIMEOUT)
            self.assertIn(b'"ret_code":401', peer.recv(1 << 16))


class OldDoors(unittest.TestCase):
    """H1: sessions of FLSocketIM's clients, whose ids others are told."""

    def test_H1_who_knows_the_id_of_a_session_cannot_speak_for_it(self):
        with Server(testing=False) as server:
            answer = ask_http(server, "POST", "/register", {"userName": "victim1", "password": "a good password"}).json
            token = answer["data"]["auth_token"]
            phone = Phone(server, token, stays_polling=True)
            query = f"EIO=3&transport=polling&sid={phone.sid}"
            for more in ("", "&auth_token=", "&auth_token=wrong"):
                said = ask_http(server, "POST", f"/socket.io/?{query}{more}", '10:42["chat"]')
                self.assertEqual(said.status, 400, said)
                heard = ask_http(server, "GET", f"/socket.io/?{query}{more}")
                self.assertEqual(heard.status, 400, heard)
                with self.assertRaises(websocket.WebSocketBadStatusException):
                    host, port = server.address
                    websocket.create_connection(
                        f"ws://{host}:{port}/socket.io/?{query}{more}".replace("polling", "websocket"), timeout=TIMEOUT)
            self.assertEqual(phone.post("1:2").status, 200)

    def test_M1_who_is_here_is_told_to_users_only(self):
        with Server("--doors", "all", testing=False) as server:
            answer = ask_http(server, "POST", "/register", {"userName": "user01", "password": "a good password"}).json
            token = answer["data"]["auth_token"]
            self.assertEqual(ask_http(server, "GET", "/allUsers").json["code"], -1)
            self.assertEqual(ask_http(server, "GET", "/allUsers?auth_token=wrong").json["code"], -1)
            users = ask_http(server, "GET", f"/allUsers?auth_token={token}").json["data"]["allUser"]
            self.assertEqual([user["name"] for user in users], ["user01"])


class Operators(unittest.TestCase):
    """What an operator has open without having said so."""

    def start(self, *options: str) -> subprocess.CompletedProcess:
        """A start that is refused."""
        with tempfile.TemporaryDirectory() as data:
            command = [binary(), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--stun", "off", "--data", data]
            return subprocess.run([*command, *options], capture_output=True, text=True, timeout=TIMEOUT)

    def test_M1_doors_for_old_apps_are_closed_by_default(self):
        with Server(testing=False, doors=False) as server:
            for method, path in (("POST", "/register"), ("GET", "/allUsers"), ("POST", "/orderchat/session")):
                self.assertEqual(ask_http(server, method, path).status, 404, path)
            self.assertEqual(ask_http(server, "GET", "/socket.io/?EIO=3&transport=polling").status, 400)

    def test_M1_A15_ways_to_sign_in_can_be_closed(self):
        """A15"""
        with Server("--sign-in", "none", *VOUCHED, testing=False) as server:
            for name, form in (("anonymous", {}), ("register", {"userName": "user01", "password": "a good password"}),
                               ("token", {"application": APP, "secret": APP_SECRET, "user": "u"})):
                answer = ask_http(server, "POST", f"/v1/auth/{name}", form)
                self.assertEqual((answer.status, answer.json["error"]["code"]), (403, "forbidden"), name)
            with self.assertRaises(Refused):
                Person(server)
            legacy = ask_http(server, "POST", "/register", {"userName": "user01", "password": "a good password"})
            self.assertEqual(legacy.json["code"], -1)

    def test_M4_a_public_address_needs_TLS_or_a_word(self):
        refused = self.start("--listen", "0.0.0.0:0")
        self.assertEqual(refused.returncode, 64, refused)
        self.assertRegex(refused.stderr, "without TLS.*--tls self-signed.*--trusted-proxy.*--plain-http")

    def test_M4_a_public_admin_address_needs_a_token_or_a_word(self):
        refused = self.start("--admin", "0.0.0.0:0")
        self.assertEqual(refused.returncode, 64, refused)
        self.assertIn("--admin-token", refused.stderr)
        weak = self.start("--admin", "0.0.0.0:0", "--admin-token", "short")
        self.assertEqual(weak.returncode, 64, weak)

    def test_M4_the_admin_token_is_asked_for(self):
        token = "a token of more than thirty-two bytes, 0815"
        with Server("--admin-token", token, testing=False) as server:
            self.assertEqual(server.get("/v1/users", admin=True)[0], 401)
            self.assertEqual(server.get("/metrics", admin=True)[0], 401)
            self.assertEqual(server.get("/livez", admin=True)[0], 200)
            address = "{}:{}".format(*server.admin)
            listed = subprocess.run([binary(), "users", "--admin", address, "--admin-token", token],
                                    capture_output=True, text=True, timeout=TIMEOUT)
            self.assertEqual(listed.returncode, 0, listed)

    def test_L6_answers_say_that_their_type_is_not_to_be_guessed(self):
        with Server(testing=False) as server:
            for path in ("/", "/v1/openapi.json", "/nowhere"):
                self.assertEqual(ask_http(server, "GET", path).headers["x-content-type-options"], "nosniff", path)

    def test_L7_metrics_are_not_read_under_a_strangers_name(self):
        with Server(testing=False) as server:
            connection = http.client.HTTPConnection(*server.admin, timeout=TIMEOUT)
            connection.request("GET", "/metrics", headers={"Host": "evil.example"})
            self.assertEqual(connection.getresponse().status, 403)
            connection.close()

    def test_finding_L10_a_malformed_key_is_not_shown(self):
        refused = self.start("--app", "a-secret-without-a-name-in-front-of-it")
        self.assertEqual(refused.returncode, 64)
        self.assertNotIn("a-secret", refused.stderr)

    def test_finding_L14_one_data_directory_has_one_server(self):
        with Server(testing=False) as server:
            second = self.start("--data", server.data)
            self.assertEqual(second.returncode, 73, second)
            self.assertIn("another parley serve is using the data directory", second.stderr)


if __name__ == "__main__":
    unittest.main()
