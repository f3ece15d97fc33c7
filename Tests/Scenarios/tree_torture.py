"""A realtime tree whose server is killed again and again while clients write, and what must be true afterwards."""

import random
import threading
import time
from dataclasses import dataclass, field

import websocket
from server import Server, eventually
from tree_client import EMULATOR, Refused, TreeSocket, ask

#: What a connection may say when the server dies under it.
LOST = (OSError, EOFError, TimeoutError, ValueError, websocket.WebSocketException)


@dataclass
class Writer:
    """Writes one value after the other, each until it is `ok`, and leaves a word for the end of each of its connections."""

    server: Server
    name: str
    #: Every path whose write was `ok`, and its value.
    acked: dict[str, object] = field(default_factory=dict)
    #: Words that are to be there once their connection has ended.
    left: set[str] = field(default_factory=set)
    counted: int = 0
    #: Increments of which nobody knows.
    uncertain: int = 0
    is_over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        line, number, sessions = None, 0, 0
        while not self.is_over.is_set():
            try:
                if line is None:
                    line = TreeSocket(self.server, credential="owner")
                    sessions += 1
                    line.ask("o", p=f"/left/{self.name}/{sessions}", d=True)
                    self.left.add(f"{self.name}/{sessions}")
                self.write(line, number)
                number += 1
            except LOST:
                line = None
                time.sleep(0.01)
            except Refused as refused:
                # It is being read anew.
                assert refused.status == "unavailable", refused
                line = None
        if line:
            line.close()

    def write(self, line: TreeSocket, number: int) -> None:
        path = f"{self.name}/{number}"
        kind = number % 3
        if kind == 0:
            line.ask("p", p=f"/w/{path}", d=number)
            self.acked[path] = number
        elif kind == 1:
            line.ask("m", p="/", d={f"w/{path}/a": number, f"w/{path}/b/c": "x" * (number % 100)})
            self.acked[path] = {"a": number, "b": {"c": "x" * (number % 100)}}
        else:
            self.uncertain += 1
            line.ask("p", p=f"/count/{self.name}", d={".sv": {"increment": 1}})
            self.uncertain -= 1
            self.counted += 1


class TreeTorture:
    """Kills the server `kills` times under load and looks at what is left."""

    def __init__(self, kills: int, seed: int, senders: int = 4, say=lambda text: None):
        self.kills, self.random, self.say = kills, random.Random(seed), say
        self.server = Server(*EMULATOR, testing=False)
        self.server.wait_for_tree()
        self.writers = [Writer(self.server, f"writer-{i}") for i in range(senders)]

    def run(self) -> dict:
        troubles: list[str] = []

        def watched(writer: Writer) -> None:
            try:
                writer.run()
            except Exception as error:
                troubles.append(f"{writer.name}: {error!r}")

        threads = [threading.Thread(target=watched, args=[writer], daemon=True) for writer in self.writers]
        for thread in threads:
            thread.start()
        for kill in range(self.kills):
            before = self.acknowledged()
            eventually(lambda: troubles or self.acknowledged() >= before + 10, "values are written between two kills")
            time.sleep(self.random.uniform(0, 0.2))
            assert not troubles, "; ".join(troubles[:3])
            self.server.restart()
            self.server.wait_for_tree()
            self.say(f"killed {kill + 1} times, {self.acknowledged()} writes were ok")
        for writer in self.writers:
            writer.is_over.set()
        for thread in threads:
            thread.join(30)
        assert not troubles, "; ".join(troubles[:3])
        self.server.restart()
        self.server.wait_for_tree()
        return self.check()

    def acknowledged(self) -> int:
        return sum(len(writer.acked) + writer.counted for writer in self.writers)

    def check(self) -> dict:
        tree = ask(self.server, "GET", "/.json?format=export").json
        words = 0
        for writer in self.writers:
            written = tree["w"][writer.name]
            for path, value in writer.acked.items():
                number = path.split("/")[1]
                assert written.get(number) == value, f"{path} was ok and is {written.get(number)}"
            count = tree["count"][writer.name]
            assert writer.counted <= count <= writer.counted + writer.uncertain, (
                f"{writer.name} counted {writer.counted} and perhaps {writer.uncertain} more, and {count} are there")
            for word in writer.left:
                name, session = word.split("/")
                assert tree["left"][name].get(session) is True, f"what {word} left was not written"
                words += 1
        return {"kills": self.kills, "written": self.acknowledged(), "left": words}

    def close(self) -> None:
        self.server.__exit__()
