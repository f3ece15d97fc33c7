"""Nodes on one PostgreSQL that are killed, frozen, restarted and cut off while people write, meet in a room and talk in a call."""

import itertools
import json
import random
import shutil
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, field

from people import APP, APP_SECRET, Person, vouch
from postgres import Postgres
from server import Server, eventually
from torture import LOST, StoreTorture, close, expect, take


class Cluster:
    """Each new line goes to the next node that is up, as a balancer without sticky sessions sends it."""

    def __init__(self, count: int, *options: str):
        self.database = Postgres()
        self.url = self.database.create("parley")
        self.options = options
        self.nodes: list[Server] = []
        self.down: set[int] = set()
        self.turns = itertools.count()
        for _ in range(count):
            self.nodes.append(self.node())

    def node(self) -> Server:
        data = tempfile.mkdtemp(prefix="parley-test-")
        if self.nodes:
            shutil.copy(f"{self.nodes[0].data}/secret", data)
        return Server(*self.options, "--store", self.url, "--drain-timeout", "6s", testing=False, data=data)

    @property
    def address(self) -> tuple[str, int]:
        up = [number for number in range(len(self.nodes)) if number not in self.down]
        return self.nodes[up[next(self.turns) % len(up)]].address

    def are_together(self) -> bool:
        return all(self.sees_all(node) for node in self.nodes)

    def sees_all(self, node: Server) -> bool:
        """Whether the node has its part in all that is shared, and so have all others that it knows of."""
        rows = json.loads(node.get("/v1/nodes", admin=True)[1])["nodes"]
        return len(rows) == len(self.nodes) and all(row["shared"] for row in rows)

    def __exit__(self, *_) -> None:
        for node in self.nodes:
            node.__exit__()
        self.database.end()


@dataclass
class Traveller:
    """Somebody whose line is taken up again, on whichever node, for as long as there is a place to take up."""

    server: Cluster
    name: str
    resumes: dict[str, int] = field(default_factory=lambda: {"recovered": 0, "fresh": 0, "instead": 0})
    line: Person | None = None
    lost_at: float | None = None
    #: How long it took to be back.
    away: list[float] = field(default_factory=list)
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        old = None
        while not self.is_over.is_set():
            try:
                if self.line is None:
                    self.come_back(old)
                old = self.line
                self.act()
            except LOST:
                self.lost_at = self.lost_at or time.monotonic()
                self.line = close(self.line)
                time.sleep(0.02)
        close(self.line)

    def come_back(self, old: Person | None) -> None:
        if old is None:
            line = Person(self.server, token=vouch(APP, APP_SECRET, self.name, lasts=36_000), recover=True)
        else:
            line = Person.back(old)
            kind = "recovered" if line.is_recovered else "instead" if "instead" in line.welcome else "fresh"
            self.resumes[kind] += 1
        if self.lost_at:
            self.away.append(time.monotonic() - self.lost_at)
            self.lost_at = None
        self.line = line
        if not line.is_recovered:
            self.begin(old)

    def begin(self, old: Person | None) -> None:
        """A new session."""

    def act(self) -> None:
        raise NotImplementedError


@dataclass
class Member(Traveller):
    """Is in a room, says numbers to all, and notes what was heard under which number."""

    heard: dict[int, tuple] = field(default_factory=dict)
    sent: int = 0
    acked: int = 0
    refused: int = 0
    #: Numbers of own signals, which this session does not hear.
    own: set[int] = field(default_factory=set)
    unknown: int = 0

    def begin(self, old: Person | None) -> None:
        while not self.is_over.is_set():
            view = self.line.ask("room.join", {"room": "square"} | ({"replaces": old.member} if old else {}))
            if "error" not in view:
                take(self.line, "signal")
                return
            expect(view["error"]["code"] == "unavailable", f"{self.name} may not come in: {view}")
            time.sleep(0.05)

    def act(self) -> None:
        self.sent += 1
        self.unknown += 1
        answer = self.line.ask("signal", room="square", data=f"{self.name} {self.sent}")
        self.unknown -= 1
        if "error" in answer:
            self.refused += 1
            if answer["error"]["code"] == "not_member":
                self.begin(None)
            time.sleep(0.05)
            return
        self.acked += 1
        self.own.add(answer["number"])
        self.line.listen(0.02)
        for name, event in [(each[0], each[1]) for each in self.line.pending]:
            if name == "signal" and event.get("number"):
                self.hear(event)
        self.line.pending = []

    def hear(self, event: dict) -> None:
        number, what = event["number"], (event["from"], event["data"])
        before = self.heard.setdefault(number, what)
        expect(before == what, f"{self.name}: {number} was {before} and is {what}")


@dataclass
class Talker(Traveller):
    """One of two in a call that must outlive everything, as long as both come back."""

    other: str = ""
    call: str | None = None
    starts: bool = False
    is_connected: bool = False
    count: int = 0
    answers: int = 0

    def begin(self, old: Person | None) -> None:
        if old is None and not self.starts:
            self.line.ask("call.answering", count=1)
        while self.call and not self.is_over.is_set():
            answer = self.line.ask("call.take", {"call": self.call} | ({"replaces": old.member} if old else {}))
            if "error" not in answer:
                return
            if not self.is_connected:
                self.call = None
                return
            expect(answer["error"]["code"] in ("unavailable", "conflict"), f"{self.name}: the call is gone: {answer}")
            time.sleep(0.05)

    def act(self) -> None:
        if self.call is None and self.starts:
            answer = self.line.ask("call.invite", user=self.other, kind="audio")
            self.call = answer.get("call")
            time.sleep(0.05)
            return
        self.line.listen(0.03)
        for name, event in [(each[0], each[1]) for each in self.line.pending]:
            if name == "call.incoming":
                self.call = event["call"]
                self.is_connected = "error" not in self.line.ask("call.accept", call=self.call)
            elif name == "call.connected":
                self.is_connected = True
            elif name == "call.ended":
                # Until the other one was there the first time it is tried again.
                expect(not self.is_connected, f"{self.name}: the call ended: {event}")
                self.call = None
            elif name == "signal":
                self.answers += 1
        self.line.pending = []
        if self.call:
            self.count += 1
            self.line.ask("signal", call=self.call, data=self.count)


class ClusterTorture(StoreTorture):
    """A fault after the other, drawn by chance, on three nodes; then an account."""

    faults = ("kill", "kill", "pause", "roll", "cut", "database", "freeze")

    def __init__(self, kills: int, seed: int, senders: int = 3, say=lambda text: None):
        self.done: dict[str, int] = dict.fromkeys(dict.fromkeys(self.faults), 0)
        super().__init__(kills, seed, senders, say)
        self.members = [Member(self.server, f"member-{n}") for n in range(3)]
        self.talkers = [Talker(self.server, "talker-0", other="talker-1", starts=True), Talker(self.server, "talker-1")]

    def make_server(self, *options: str) -> Cluster:
        self.cluster = Cluster(3, *options)
        eventually(self.cluster.are_together, "the nodes find each other", 30)
        return self.cluster

    def others(self) -> list:
        return [*self.members, *self.talkers]

    def disturb(self, kill: int) -> None:
        fault = self.random.choice(self.faults)
        number = self.random.randrange(3)
        self.done[fault] += 1
        self.say(f"{fault} of node {number}")
        getattr(self, fault)(number, self.cluster.nodes[number])
        eventually(self.cluster.are_together, f"the nodes are together again after {fault}", 40)

    def kill(self, number: int, node: Server) -> None:
        self.cluster.down.add(number)
        node.end()
        time.sleep(self.random.uniform(0, 6))
        node.begin()
        self.cluster.down.discard(number)

    def pause(self, number: int, node: Server) -> None:
        node.tell(signal.SIGSTOP)
        self.cluster.down.add(number)
        time.sleep(self.random.uniform(0.5, 9))
        node.tell(signal.SIGCONT)
        self.cluster.down.discard(number)

    def roll(self, number: int, node: Server) -> None:
        """All nodes are started anew, one after the other, as for an upgrade."""
        for number, node in enumerate(self.cluster.nodes):
            self.cluster.down.add(number)
            node.tell(signal.SIGTERM)
            node.wait(20)
            node._reader.join()
            node.begin()
            self.cluster.down.discard(number)
            eventually(self.cluster.are_together, "the node that was rolled is back", 30)

    def cut(self, number: int, node: Server) -> None:
        """Every connection to the database breaks."""
        self.cluster.database.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'parley' AND pid <> pg_backend_pid()", "postgres")

    def database(self, number: int, node: Server) -> None:
        self.cluster.database.kill()
        time.sleep(self.random.uniform(0, 1))
        self.cluster.database.start()

    def freeze(self, number: int, node: Server) -> None:
        self.cluster.database.signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(0.5, 6))
        self.cluster.database.signal(signal.SIGCONT)

    def check(self) -> dict:
        found = super().check()
        everything: dict[int, tuple] = {}
        for member in self.members:
            for number, what in member.heard.items():
                known = everything.setdefault(number, what)
                expect(known == what, f"number {number} of the room is {known} and {what}")
        own = [number for member in self.members for number in member.own]
        expect(len(own) == len(set(own)), "a number of the room was given twice")
        expect(all(talker.answers > 0 for talker in self.talkers), "the two in the call have heard each other")
        self.expect_no_ghosts()
        away = sorted(moment for traveller in self.others() for moment in traveller.away)
        resumes = {kind: sum(t.resumes[kind] for t in self.others()) for kind in ("recovered", "instead", "fresh")}
        return found | self.done | resumes | {
            "room_sent": sum(m.sent for m in self.members), "room_acked": sum(m.acked for m in self.members),
            "room_refused": sum(m.refused for m in self.members), "room_heard": sum(len(m.heard) for m in self.members),
            "call_signals": sum(t.answers for t in self.talkers),
            "back_p50_ms": int(1000 * away[len(away) // 2]) if away else 0,
            "back_p99_ms": int(1000 * away[len(away) * 99 // 100]) if away else 0}

    def expect_no_ghosts(self) -> None:
        """Everybody has gone; places are kept for two minutes, people are shown for a moment."""
        def online(node: Server) -> list:
            return node.get("/v1/users", admin=True)[1]
        views = lambda: {online(node) for node in self.cluster.nodes}
        eventually(lambda: len(views()) == 1, "all nodes know the same people", 15)
        eventually(lambda: views() == {'{"users":[]}'}, "nobody is online any more", 15)
