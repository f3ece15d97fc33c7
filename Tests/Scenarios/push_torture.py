"""A server that is killed again and again while people who sleep are written to: each message has its push, and each push its message."""

import random
import threading
import time

from people import APP, APP_SECRET, VOUCHED, Person, vouch
from push_service import Device, Push, PushService
from server import Server, eventually
from torture import Sender, expect, watched
from wire import ask_http


class PushTorture:
    """Kills the server `kills` times under load. A later message of a conversation takes the place of one whose push has not left
    yet, so what must come is a push of this one or of a later one; and one comes twice only where the server was killed in between."""

    def __init__(self, kills: int, seed: int, senders: int = 4, say=lambda text: None):
        self.kills, self.random, self.say = kills, random.Random(seed), say
        self.service = PushService()
        self.server = Server(*VOUCHED, "--request-rate", "100000", "--outgoing-allow", "127.0.0.0/8", testing=False)
        #: From before to after each kill.
        self.killed: list[tuple[float, float]] = []
        self.devices: dict[str, Device] = {}
        self.senders = []
        for number in range(senders):
            names = [f"sleeper-{number}-{other}" for other in range(10)]
            for name in names:
                self.devices[name] = self.sleep(name)
            self.senders.append(Sender(self.server, f"sender-{number}", [{"user": name} for name in names]))

    def sleep(self, name: str) -> Device:
        """Somebody who was here, has a device, and is gone."""
        device, token = self.service.device(), vouch(APP, APP_SECRET, name)
        bearer = {"Authorization": f"Bearer {token}"}
        Person(self.server, token=token).link.close()
        self.service.key = ask_http(self.server, "GET", "/v1/push", headers=bearer).json["publicKey"]
        answer = ask_http(self.server, "PUT", "/v1/push/devices/phone", device.subscription, bearer)
        expect(answer.status == 200, f"a device: {answer.body!r}")
        return device

    def run(self) -> dict:
        troubles: list[str] = []
        threads = [threading.Thread(target=watched, args=[sender, troubles], daemon=True) for sender in self.senders]
        for thread in threads:
            thread.start()
        for kill in range(self.kills):
            before = self.acknowledged()
            eventually(lambda: troubles or self.acknowledged() >= before + 10, "messages are acknowledged between two kills")
            time.sleep(self.random.uniform(0, 0.3))
            expect(not troubles, "; ".join(troubles[:3]))
            began = time.monotonic()
            self.server.restart()
            self.killed.append((began, time.monotonic()))
            self.say(f"killed {kill + 1} times, {self.acknowledged()} messages acknowledged")
        for sender, thread in zip(self.senders, threads, strict=True):
            sender.is_over.set()
            thread.join(30)
            expect(not thread.is_alive(), f"{sender.name} hangs")
        expect(not troubles, "; ".join(troubles[:3]))
        eventually(self.is_told, "each message that was acknowledged is pushed, or a later one of its conversation", within=60)
        return self.check()

    def acknowledged(self) -> int:
        return sum(len(sender.acked) for sender in self.senders)

    def is_told(self) -> bool:
        told: dict[str, int] = {}
        for push in self.pushes():
            place, number = push.message["conversation"], push.message["number"]
            told[place] = max(told.get(place, 0), number)
        return all(told.get(place, 0) >= number for sender in self.senders for place, number, _ in sender.acked.values())

    def pushes(self) -> list[Push]:
        return [push for device in self.devices.values() for push in device.pushes]

    def check(self) -> dict:
        expect(self.service.faults == [], f"the push service refused: {self.service.faults[:3]}")
        expect(self.killed != [], "nothing was killed")
        said = {place: entries for sender in self.senders for place, entries in self.read(sender.name).items()}
        first: dict[tuple, float] = {}
        repeated = 0
        for push in sorted(self.pushes(), key=lambda push: push.time):
            place, number, text = (push.message[field] for field in ("conversation", "number", "text"))
            expect(said.get(place, {}).get(number) == text, f"a push without its message: {place} {number} {text}")
            if (place, number) in first:
                was_killed = any(first[place, number] <= after and before <= push.time for before, after in self.killed)
                expect(was_killed, f"{place} {number} came twice for nothing")
                repeated += 1
            first[place, number] = push.time
        kept = sum(len(entries) for entries in said.values())
        return {"kills": self.kills, "acknowledged": self.acknowledged(), "kept": kept, "pushes": len(self.pushes()),
                "repeated": repeated, "superseded": kept - len(first)}

    def read(self, name: str) -> dict[str, dict[int, str]]:
        log: dict[str, dict[int, str]] = {}
        with Person(self.server, token=vouch(APP, APP_SECRET, name)) as person:
            for view in person.ask("chat.conversations", limit=200)["conversations"]:
                entries = log.setdefault(view["conversation"], {})
                after, more = 0, True
                while more:
                    page = person.ask("chat.history", conversation=view["conversation"], after=after, limit=200)
                    entries.update((entry["number"], entry["body"]["text"]) for entry in page["entries"] if "body" in entry)
                    after, more = page["entries"][-1]["number"], page["more"]
        return log

    def close(self) -> None:
        self.server.__exit__()
        self.service.close()
