"""A server that is killed again and again while people write to each other, and what must be true afterwards."""

import random
import subprocess
import threading
import time
from dataclasses import dataclass, field

from people import Person, vouch, APP, APP_SECRET, VOUCHED
from server import Server, binary
from wire import Closed


#: What a line may say when the server dies under it.
LOST = (Closed, OSError, TimeoutError, AssertionError, ValueError, IndexError)


@dataclass
class Sender:
    """Says one thing after the other, each until it is acknowledged, over whatever line there is."""

    server: Server
    name: str
    places: list[dict]
    acked: dict[str, tuple] = field(default_factory=dict)
    retries: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        token = vouch(APP, APP_SECRET, self.name)
        line, number = None, 0
        while not self.is_over.is_set():
            message = {"id": f"{self.name}-{number}", "body": {"text": str(number)}} | self.places[number % len(self.places)]
            try:
                line = line or Person(self.server, token=token)
                answer = line.ask("chat.send", message)
                if "error" in answer:
                    time.sleep(0.005)
                    continue
                self.acked[message["id"]] = (answer["conversation"], answer["number"], answer["time"])
                number += 1
            except LOST:
                line = close(line)
                self.retries += 1
                time.sleep(0.01)
        close(line)


@dataclass
class Reader:
    """Hears what is said, and remembers all of it: what was heard must never be unsaid."""

    server: Server
    name: str
    heard: dict[tuple, tuple] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        token = vouch(APP, APP_SECRET, self.name)
        line, positions = None, {}
        while not self.is_over.is_set():
            try:
                if line is None:
                    line = Person(self.server, token=token)
                    answer = line.ask("chat.sync", positions=positions)
                    for view in answer["conversations"]:
                        for entry in view["entries"]:
                            self.take(entry, positions)
                        if view["remaining"]:
                            # The next sync goes on from here.
                            line = close(line)
                            break
                    continue
                self.take(line.expect("chat.entry", within=0.2), positions)
            except AssertionError:
                continue  # Nothing was said for a while.
            except LOST:
                line = close(line)
                time.sleep(0.01)
        close(line)

    def take(self, entry: dict, positions: dict[str, int]) -> None:
        place, number = entry["conversation"], entry["number"]
        before = positions.get(place, number - 1)
        if number != before + 1:
            self.troubles.append(f"{self.name} heard {number} after {before} in {place}")
        positions[place] = number
        self.heard[place, number] = (entry["id"], entry["from"], entry.get("client"), entry["time"])


def close(line: Person | None) -> None:
    if line:
        try:
            line.link.close()
        except OSError:
            pass  # It is gone already.


class StoreTorture:
    """Kills the server `kills` times under load and looks at what is left."""

    def __init__(self, kills: int, seed: int, senders: int = 4, say=lambda text: None):
        self.kills, self.random, self.say = kills, random.Random(seed), say
        self.server = Server(*VOUCHED, "--request-rate", "100000", testing=False)
        self.readers = [Reader(self.server, f"reader-{i}") for i in range(2)]
        group = self.begin([reader.name for reader in self.readers] + [f"sender-{i}" for i in range(senders)])
        places = [{"conversation": group}, {"user": "reader-0"}]
        self.senders = [Sender(self.server, f"sender-{i}", places) for i in range(senders)]

    def begin(self, names: list[str]) -> str:
        with Person(self.server, token=vouch(APP, APP_SECRET, names[0])) as owner:
            return owner.ask("chat.create", users=names, id="group")["conversation"]

    def run(self) -> dict:
        people = [*self.senders, *self.readers]
        threads = [threading.Thread(target=person.run, daemon=True) for person in people]
        for thread in threads:
            thread.start()
        for kill in range(self.kills):
            time.sleep(self.random.uniform(0.05, 0.4))
            if kill % 3 == 0:
                self.look_in()
            self.server.restart()
            self.say(f"killed {kill + 1} times, {sum(len(s.acked) for s in self.senders)} messages acknowledged")
        time.sleep(0.3)
        for person in people:
            person.is_over.set()
        for thread in threads:
            thread.join(30)
        return self.check()

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
            expect(not reader.troubles, "; ".join(reader.troubles[:3]))
            for (place, number), what in reader.heard.items():
                entry = everything.get((place, number))
                expect(entry is not None, f"{reader.name} heard {place} {number}, which is gone")
                expect(what == (entry["id"], entry["from"], entry.get("client"), entry["time"]), "it changed since")
        return {"kills": self.kills, "acknowledged": acked, "kept": len(everything),
                "retries": sum(s.retries for s in self.senders), "heard": sum(len(r.heard) for r in self.readers)}

    def read(self, name: str) -> dict[str, list[dict]]:
        log: dict[str, list[dict]] = {}
        with Person(self.server, token=vouch(APP, APP_SECRET, name)) as person:
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
