"""A server that is killed again and again while people write to each other, and what must be true afterwards."""

import random
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import websocket
from people import APP, APP_SECRET, VOUCHED, Person, vouch
from server import Server, binary, eventually
from wire import Closed, WebSocketLink


#: What a line may say when the server dies under it: that it is closed, silent, or ends in the middle of a handshake.
LOST = (Closed, OSError, TimeoutError, websocket.WebSocketException)


def lasting(name: str) -> str:
    """A token for all of a torture."""
    return vouch(APP, APP_SECRET, name, lasts=36_000)


@dataclass
class Sender:
    """Says one thing after the other, each until it is acknowledged, over whatever line there is."""

    server: Server
    name: str
    places: list[dict]
    token: Callable[[str], str] = lasting
    lost: tuple = LOST
    acked: dict[str, tuple] = field(default_factory=dict)
    retries: int = 0
    #: How long it waits between one and the next, in seconds.
    think_time: float = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        line, number = None, 0
        while not self.is_over.is_set():
            message = {"id": f"{self.name}-{number}", "body": {"text": str(number)}} | self.places[number % len(self.places)]
            try:
                line = line or Person(self.server, token=self.token(self.name))
                answer = line.ask("chat.send", message)
                if "error" in answer:
                    time.sleep(0.005)
                    continue
                self.acked[message["id"]] = (answer["conversation"], answer["number"], answer["time"])
                number += 1
                self.is_over.wait(self.think_time)
            except self.lost:
                line = close(line)
                self.retries += 1
                time.sleep(0.01)
        close(line)


@dataclass
class Reader:
    """Hears what is said, and remembers all of it: what was heard must never be unsaid.

    It shows an entry first and notes how far it is a little later, as clients do. Once in a while it crashes in between:
    it forgets everything but its notes, and is told again from there.
    """

    server: Server
    name: str
    random: random.Random
    token: Callable[[str], str] = lasting
    lost: tuple = LOST
    heard: dict[tuple, tuple] = field(default_factory=dict)
    #: The number of the last entry of each place that was noted down; what a crash leaves.
    noted: dict[str, int] = field(default_factory=dict)
    #: The same for what is on the screen.
    shown: dict[str, int] = field(default_factory=dict)
    crashes: int = 0
    shown_again: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        line = None
        while not self.is_over.is_set():
            try:
                line = line or self.come_in(self.token(self.name))
                line.listen(0.05)
                for _, entry in take(line, "chat.entry"):
                    self.show(entry)
                if self.random.random() < 0.05:
                    line = self.crash(line)
                else:
                    self.noted = dict(self.shown)
            except self.lost:
                line = close(line)
                time.sleep(0.01)
        close(line)

    def come_in(self, token: str) -> Person:
        """A line that has been told everything there is."""
        line = Person(self.server, token=token, link=WebSocketLink)
        remains = True
        while remains:
            answer = line.ask("chat.sync", positions=self.shown)
            if "error" in answer:
                time.sleep(0.005)
                continue
            for view in answer["conversations"]:
                for entry in view["entries"]:
                    self.show(entry)
            remains = any(view["remaining"] for view in answer["conversations"])
        return line

    def show(self, entry: dict) -> None:
        place, number = entry["conversation"], entry["number"]
        before = self.shown.get(place, 0)
        what = (entry["id"], entry["from"], entry.get("client"), entry["time"])
        if number <= before:
            return  # The client has it on its screen; an entry on its way may come beside a sync.
        expect(number == before + 1, f"{self.name} heard {number} after {before} in {place}")
        self.shown_again += (place, number) in self.heard
        expect(self.heard.setdefault((place, number), what) == what, f"{place} {number} changed since it was shown")
        self.shown[place] = number

    def crash(self, line: Person) -> None:
        line.link.cut()
        self.crashes += 1
        self.shown = dict(self.noted)


def take(line: Person, event: str) -> list[list]:
    """What has come of that name, no longer pending."""
    found = [each for each in line.pending if each[0] == event]
    line.pending = [each for each in line.pending if each[0] != event]
    return found


def watched(person: "Sender | Reader", troubles: list[str]) -> None:
    """Runs somebody whose end is noticed, whatever it came from."""
    try:
        person.run()
    except Exception as error:
        troubles.append(f"{person.name}: {error!r}")


def close(line: Person | None) -> None:
    if line:
        try:
            line.link.close()
        except OSError:
            pass  # It is gone already.


class StoreTorture:
    """Kills the server `kills` times under load and looks at what is left."""

    #: What a line may say before it is opened anew.
    lost = LOST

    def __init__(self, kills: int, seed: int, senders: int = 4, say=lambda text: None):
        self.kills, self.random, self.say = kills, random.Random(seed), say
        self.server = self.make_server(*VOUCHED, "--request-rate", "100000", *self.store())
        self.readers = [Reader(self.server, f"reader-{i}", random.Random(seed + i), self.token, self.lost) for i in range(2)]
        self.group = self.begin([reader.name for reader in self.readers] + [f"sender-{i}" for i in range(senders)])
        places = [{"conversation": self.group}, {"user": "reader-0"}]
        self.senders = [Sender(self.server, f"sender-{i}", places, self.token, self.lost) for i in range(senders)]

    def begin(self, names: list[str]) -> str:
        # Nobody is brought into a group who was never here.
        for name in names[1:]:
            Person(self.server, token=self.token(name)).link.close()
        with Person(self.server, token=self.token(names[0])) as owner:
            return owner.ask("chat.create", users=names, id="group")["conversation"]

    def run(self) -> dict:
        people = [*self.senders, *self.readers, *self.others()]
        troubles: list[str] = []
        threads = {person.name: threading.Thread(target=watched, args=[person, troubles], daemon=True) for person in people}
        for thread in threads.values():
            thread.start()
        for kill in range(self.kills):
            before = self.acknowledged()
            eventually(lambda: troubles or self.acknowledged() >= before + 10, "messages are acknowledged between two kills")
            time.sleep(self.random.uniform(0, 0.3))
            expect(not troubles, "; ".join(troubles[:3]))
            self.disturb(kill)
            self.say(f"killed {kill + 1} times, {self.acknowledged()} messages acknowledged")
        acknowledged = {(place, number) for sender in self.senders for place, number, _ in list(sender.acked.values())}
        eventually(lambda: troubles or self.has_heard(acknowledged), "the readers hear what was acknowledged")
        for person in people:
            person.is_over.set()
        for name, thread in threads.items():
            thread.join(30)
            expect(not thread.is_alive(), f"{name} hangs")
        expect(not troubles, "; ".join(troubles[:3]))
        return self.check()

    def make_server(self, *options: str) -> Server:
        return Server(*options, testing=False)

    def token(self, name: str) -> str:
        return lasting(name)

    def others(self) -> list:
        """Who else is there, with `run`, `name` and `is_over`."""
        return []

    def store(self) -> list[str]:
        """Where the server keeps what it is told, if not in its folder."""
        return []

    def disturb(self, kill: int) -> None:
        if kill % 3 == 0:
            self.look_in()
        self.server.restart()

    def acknowledged(self) -> int:
        return sum(len(sender.acked) for sender in self.senders)

    def has_heard(self, entries: set[tuple]) -> bool:
        """Everybody reads the group, and the first one also what is said to him alone."""
        first, *others = (set(reader.heard) for reader in self.readers)
        return entries <= first and all({e for e in entries if e[0] == self.group} <= heard for heard in others)

    def look_in(self) -> None:
        """Another program reads the database and lets go of it, and people go on writing."""
        done = subprocess.run([binary(), "check", "--data", self.server.data], capture_output=True, text=True)
        expect(done.returncode == 0, f"looking in: {done.stdout}{done.stderr}")
        time.sleep(self.random.uniform(0.02, 0.1))

    def check(self) -> dict:
        logs = {name: self.read(name) for name in [p.name for p in [*self.readers, *self.senders]]}
        everything: dict[tuple, dict] = {}
        for name, log in logs.items():
            for place, entries in log.items():
                numbers = [entry["number"] for entry in entries]
                expect(numbers == list(range(1, len(numbers) + 1)), f"{name} sees a gap in {place}")
                times = [entry["time"] for entry in entries]
                expect(times == sorted(times), f"time runs backwards in {place}")
                for entry in entries:
                    known = everything.setdefault((place, entry["number"]), entry)
                    expect(known == entry, f"two people see {place} {entry['number']} differently")
        names = [(e["from"], e["client"]) for e in everything.values() if "client" in e]
        expect(len(names) == len(set(names)), "a message is there twice")
        acked = 0
        for sender in self.senders:
            for client, (place, number, moment) in sender.acked.items():
                entry = everything.get((place, number))
                expect(entry is not None, f"{client} was acknowledged and is lost")
                expect((entry["client"], entry["time"]) == (client, moment), f"{client} is not what was acknowledged")
                acked += 1
        for reader in self.readers:
            for (place, number), what in reader.heard.items():
                entry = everything.get((place, number))
                expect(entry is not None, f"{reader.name} heard {place} {number}, which is gone")
                expect(what == (entry["id"], entry["from"], entry.get("client"), entry["time"]), "it changed since")
        return {"kills": self.kills, "acknowledged": acked, "kept": len(everything),
                "retries": sum(s.retries for s in self.senders), "heard": sum(len(r.heard) for r in self.readers),
                "crashes": sum(r.crashes for r in self.readers), "shown_again": sum(r.shown_again for r in self.readers)}

    def read(self, name: str) -> dict[str, list[dict]]:
        log: dict[str, list[dict]] = {}
        with Person(self.server, token=self.token(name)) as person:
            for view in person.ask("chat.conversations", limit=200)["conversations"]:
                place, entries = view["conversation"], []
                while True:
                    page = person.ask("chat.history", conversation=place, after=len(entries), limit=200)
                    entries += page["entries"]
                    if not page["more"]:
                        break
                log[place] = entries
        return log

    def close(self) -> None:
        self.server.__exit__()


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
