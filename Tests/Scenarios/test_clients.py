import asyncio
import queue
import unittest

import official
import socketio
from house import House
from official import Official
from people import APP, APP_SECRET, VOUCHED, Person, vouch
from server import TIMEOUT, Server
from wire import PollingLink, WebSocketLink, read_answer

TEXTS = ["plain", "long " * 40_000, "中文", "\U0001f600 \U00020000 \u2028", '{"a":"\\u0000"}']
TRANSPORTS = (["polling"], ["websocket"], ["polling", "websocket"])


@unittest.skipUnless(official.is_there(), "needs Node and the official client: Scripts/install tests")
class OfficialClient(House):
    """The official JavaScript client, version 4."""

    def client(self, transports: list[str], name: str = "J", **auth) -> Official:
        token = vouch(APP, APP_SECRET, name, name)
        client = Official(self.server, transports=transports, auth={"token": token, "recover": True} | auth)
        self.addCleanup(client.close)
        return client

    def test_B02_B06_it_signs_in_and_talks_over_every_transport(self):
        """B02.polling B02.websocket"""
        for transports in TRANSPORTS:
            with self.subTest(transports):
                client, peer = self.client(transports), self.person("P")
                client.expect("connect")
                self.assertEqual(client.expect("event", "welcome")[0]["name"], "J")
                room = "-".join(["hall", *transports])
                peer.ask("room.join", room=room)
                self.assertEqual(client.ask("room.join", {"room": room})[0]["count"], 2)
                for text in TEXTS:
                    peer.ask("signal", room=room, data=text)
                    self.assertEqual(client.expect("event", "signal")[0]["data"], text)
                    client.ask("signal", {"room": room, "data": text})
                    self.assertEqual(peer.expect("signal")["data"], text)

    def test_B01_the_upgrade_loses_nothing_and_doubles_nothing(self):
        """B01.upgrade"""
        peer = self.person("P")
        peer.ask("room.join", room="upgrade")
        client = self.client(["polling", "websocket"])
        client.expect("connect")
        client.ask("room.join", {"room": "upgrade"})
        for number in range(200):
            peer.send("signal", {"room": "upgrade", "data": number})
            client.do("emit", "signal", {"room": "upgrade", "data": number})
        self.assertEqual(client.expect("upgrade"), [{"transport": "websocket"}])
        client.ask("signal", {"room": "upgrade", "data": "end"})
        peer.ask("signal", room="upgrade", data="end")
        numbers = [*range(200), "end"]
        self.assertEqual([event[0]["data"] for event in client.events("signal")], numbers)
        self.assertEqual([signal["data"] for signal in peer.heard("signal")], numbers)

    def test_A05_it_is_told_why_it_may_not_come_in(self):
        client = Official(self.server, transports=["websocket"], auth={"token": "nonsense"})
        self.addCleanup(client.close)
        self.assertEqual(client.expect("connect_error"), [{"message": "unauthorized", "final": True}])

    def test_B03_it_recovers_every_time_with_exactly_what_it_missed(self):
        client, peer = self.client(["websocket"], "R"), self.person("P")
        first = client.expect("connect")[0]
        self.assertFalse(first["recovered"])
        user = client.expect("event", "welcome")[0]["user"]
        for turn in range(5):
            client.do("cut")
            client.expect("disconnect")
            # An invitation is kept for whoever is away.
            again = client.expect("connect")[0]
            self.assertEqual(again, {"id": first["id"], "recovered": True}, turn)
        call = peer.ask("call.invite", user=user, kind="audio")["call"]
        client.expect("event", "call.incoming")
        client.ask("call.accept", {"call": call})
        peer.expect("call.connected")
        for turn in range(3):
            client.do("cut")
            client.expect("disconnect")
            for number in range(20):
                peer.send("signal", {"call": call, "data": [turn, number]})
            self.assertTrue(client.expect("connect")[0]["recovered"])
            peer.ask("signal", call=call, data=[turn, "end"])
            heard = [client.expect("event", "signal")[0]["data"] for _ in range(21)]
            self.assertEqual(heard, [[turn, number] for number in [*range(20), "end"]])
        self.assertEqual(client.events("signal"), [])
        self.assertEqual(len(client.events("welcome")), 5 + 3)  # one for each connect

    def test_B03_a_restart_is_no_recovery_and_says_so(self):
        with Server(*VOUCHED, testing=False) as server:
            client = Official(server, transports=["websocket"], auth={"token": vouch(APP, APP_SECRET, "S", "S"), "recover": True})
            self.addCleanup(client.close)
            first = client.expect("connect")[0]
            client.expect("event", "welcome")
            server.end()
            client.expect("disconnect")
            client.do("emit", "room.join", {"room": "queued"})
            server.begin()
            again = client.expect("connect")[0]
            self.assertFalse(again["recovered"])
            self.assertNotEqual(again["id"], first["id"])
            client.expect("event", "welcome")
            peer = Person(server, "P")
            client.ask("ice.servers", {})
            self.assertEqual(peer.ask("room.join", room="queued")["count"], 2)  # it came once, after all
            peer.link.close()

    def test_A12_a_token_is_checked_again_when_somebody_comes_back(self):
        client = self.client(["websocket"], "T")
        client.expect("connect")
        client.do("auth", {"token": vouch(APP, APP_SECRET, "T", lasts=-10)})
        client.do("cut")
        self.assertEqual(client.expect("connect_error"), [{"message": "token_expired", "final": True}])

    def test_A12_who_expires_is_disconnected_by_the_server(self):
        client = Official(self.server, transports=["websocket"], auth={"token": vouch(APP, APP_SECRET, "E", lasts=5)})
        self.addCleanup(client.close)
        self.assertEqual(client.expect("event", "session.ending")[0]["error"]["code"], "token_expired")
        self.assertEqual(client.expect("disconnect"), [{"reason": "io server disconnect"}])


@unittest.skipUnless(official.is_there(), "needs Node and the official client: Scripts/install tests")
class OfficialClientParts(House):
    options = ("--conformance",)
    testing = True

    def test_B07_binary_parts_travel_both_ways_over_every_transport(self):
        for transports in TRANSPORTS:
            with self.subTest(transports):
                client = Official(self.server, transports=transports)
                client.expect("connect")
                message = {"a": bytes(range(256)) * 1000, "b": [b"", {"c": b"\xff"}]}
                client.do("emit", "message", message, "text")
                self.assertEqual(client.expect("event", "message-back"), [message, "text"])
                self.assertEqual(client.ask("message-with-ack", message), [message])
                client.close()


class Upgrades(House):
    """Version 4 by hand, so that every message has its place before, beside or behind the upgrade."""

    def test_B01_what_is_said_before_beside_and_behind_the_upgrade_arrives_once_both_ways(self):
        """B01.upgrade B01.whole"""
        peer, mover = self.person("P"), self.person("M", link=PollingLink)
        for person in (peer, mover):
            person.ask("room.join", room="upgrade")
        polling = mover.link
        mover.send("signal", {"room": "upgrade", "data": "a"})
        peer.ask("signal", room="upgrade", data=1)
        socket = WebSocketLink(self.server, f"EIO=4&sid={polling.sid}")
        peer.ask("signal", room="upgrade", data=2)
        mover.send("signal", {"room": "upgrade", "data": "b"})
        self.assertEqual([mover.expect("signal")["data"] for _ in range(2)], [1, 2])
        polling.polls.request("GET", polling.target)
        socket.send("2probe")
        self.assertEqual(socket.receive(), "3probe")
        self.assertEqual(read_answer(polling.polls).text, "6", "the waiting poll is let go")
        peer.ask("signal", room="upgrade", data=3)
        mover.send("signal", {"room": "upgrade", "data": "c"})
        socket.send("5")
        mover.link = socket
        self.addCleanup(socket.close)
        peer.ask("signal", room="upgrade", data=4)
        mover.send("signal", {"room": "upgrade", "data": "d"})
        self.assertEqual([signal["data"] for signal in mover.heard("signal")], [3, 4])
        self.assertEqual([peer.expect("signal")["data"] for _ in "abcd"], [*"abcd"])
        self.assertEqual(peer.heard("signal"), [])


class PythonClients(House):
    """python-socketio, in threads and with asyncio."""

    def auth(self, name: str) -> dict:
        return {"token": vouch(APP, APP_SECRET, name, name)}

    def url(self) -> str:
        return "http://{}:{}".format(*self.server.address)

    def test_B02_python_clients_in_threads_talk_over_every_transport(self):
        for transports in TRANSPORTS:
            with self.subTest(transports), socketio.SimpleClient(handle_sigint=False) as client:
                client.connect(self.url(), auth=self.auth("py"), transports=transports)
                self.assertEqual(client.receive(timeout=TIMEOUT)[0], "welcome")
                peer = self.person("P")
                room = "-".join(["threads", *transports])
                peer.ask("room.join", room=room)
                self.assertEqual(client.call("room.join", {"room": room}, timeout=TIMEOUT)["count"], 2)
                for text in TEXTS:
                    client.call("signal", {"room": room, "data": text}, timeout=TIMEOUT)
                    self.assertEqual(peer.expect("signal")["data"], text)
                    peer.ask("signal", room=room, data=text)
                    self.assertEqual(client.receive(timeout=TIMEOUT)[1]["data"], text)

    def test_B02_python_clients_with_asyncio_talk_over_every_transport(self):
        async def talk(transports: list[str]) -> None:
            async with socketio.AsyncSimpleClient(handle_sigint=False) as client:
                await client.connect(self.url(), auth=self.auth("pa"), transports=transports)
                self.assertEqual((await client.receive(timeout=TIMEOUT))[0], "welcome")
                peer = await asyncio.to_thread(self.person, "P")
                room = "-".join(["asyncio", *transports])
                await asyncio.to_thread(peer.ask, "room.join", room=room)
                answer = await client.call("room.join", {"room": room}, timeout=TIMEOUT)
                self.assertEqual(answer["count"], 2)
                await asyncio.to_thread(peer.ask, "signal", room=room, data="hello")
                self.assertEqual((await client.receive(timeout=TIMEOUT))[1]["data"], "hello")

        for transports in TRANSPORTS:
            with self.subTest(transports):
                asyncio.run(talk(transports))

    def test_B03_it_reconnects_by_itself_after_a_restart(self):
        with Server(*VOUCHED, testing=False) as server:
            welcomes: queue.Queue = queue.Queue()
            client = socketio.Client(reconnection_delay=0.1, reconnection_delay_max=0.3, handle_sigint=False)
            client.on("welcome", welcomes.put)
            client.connect("http://{}:{}".format(*server.address), auth=self.auth("again"), transports=["websocket"])
            first = welcomes.get(timeout=TIMEOUT)
            server.restart()
            second = welcomes.get(timeout=TIMEOUT)
            self.assertEqual(first["user"], second["user"])
            self.assertNotEqual(first["member"], second["member"])
            client.disconnect()


if __name__ == "__main__":
    unittest.main()
