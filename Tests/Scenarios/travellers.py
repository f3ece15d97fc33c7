"""People whose lines break and who take them up again on whichever node: one who says numbers in a room, one who goes in and out of another, and
two who talk in a call."""

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from people import APP, APP_SECRET, Person, vouch
from torture import LOST, close, expect, take

if TYPE_CHECKING:
    from cluster_torture import Cluster


#: A server that says nothing for so long counts as gone: a seat waits for fifteen seconds, so there are ten to come back.
ANSWER_TIMEOUT = 5


@dataclass
class Traveller:
    """Somebody whose line is taken up again, on whichever node, for as long as there is a place to take up."""

    server: "Cluster"
    name: str
    #: How they came back, and under which fault the line had been well for the last time.
    resumes: Counter = field(default_factory=Counter)
    line: Person | None = None
    lost_at: float | None = None
    well_under: str = ""
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
                self.well_under = self.server.fault
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
            self.resumes[kind, self.well_under] += 1
        line.answer_timeout = ANSWER_TIMEOUT
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
class Wanderer(Traveller):
    """Goes into a room and out of it."""

    visits: int = 0

    def act(self) -> None:
        for what in ("room.join", "room.leave"):
            answer = self.line.ask(what, room="hall")
            if "error" in answer:
                expect(answer["error"]["code"] in ("unavailable", "not_member"), f"{self.name}: {what}: {answer}")
                time.sleep(0.05)
                return
        self.visits += 1
        self.line.pending = []
        time.sleep(0.02)


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
