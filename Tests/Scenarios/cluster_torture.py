"""Nodes on one PostgreSQL that are killed, frozen, restarted and cut off while people write, meet in a room and talk in a call."""

import itertools
import json
import signal
import threading
import time
from collections import Counter
from pathlib import Path

from balancer import data_beside
from gate import Gate, process_of
from postgres import Postgres
from server import Server, eventually
from test_webhooks import SECRET, Listener
from torture import StoreTorture, expect
from travellers import Member, Talker, Wanderer

#: How often each fault happens for 200 kills.
FAULTS = {"kill": 200, "pause": 100, "roll": 50, "database": 50, "freeze": 20, "cut": 20, "apart": 15, "alone": 15, "island": 15, "halves": 15}


class Cluster:
    """Each new line goes to the next node that is up, as a balancer without sticky sessions sends it. A firewall stands in front of each node
    for what the others say to it, and between each and the database."""

    def __init__(self, count: int, *options: str):
        self.database = Postgres()
        self.database.create("parley")
        self.options = options
        self.nodes: list[Server] = []
        self.links: list[Gate] = []
        self.stores: list[Gate] = []
        self.down: set[int] = set()
        self.fault = ""
        self.turns = itertools.count()
        for _ in range(count):
            self.add()

    def add(self) -> None:
        self.links.append(Gate(who=self.node_of))
        self.stores.append(Gate(Path(self.database.folder, ".s.PGSQL.5432")))
        url = f"postgresql://parley@127.0.0.1:{self.stores[-1].address[1]}/parley"
        data = data_beside(self.nodes[0]) if self.nodes else None
        self.nodes.append(Server(
            *self.options, "--store", url, "--node-address", f"http://127.0.0.1:{self.links[-1].address[1]}",
            "--drain-timeout", "6s", testing=False, data=data))
        self.links[-1].target = self.nodes[-1].address

    def node_of(self, port: int) -> int | None:
        """The number of the node that connects from there."""
        processes = [node.process.pid for node in self.nodes]
        process = process_of(port, processes)
        return None if process is None else processes.index(process)

    @property
    def address(self) -> tuple[str, int]:
        up = [number for number in range(len(self.nodes)) if number not in self.down]
        return self.nodes[up[next(self.turns) % len(up)]].address

    def are_together(self) -> bool:
        return all(self.sees_all(node) for node in self.nodes)

    def sees_all(self, node: Server) -> bool:
        """Whether the node has its part in all that is shared, and so have all others that it knows of."""
        rows = json.loads(node.get("/v1/nodes", admin=True)[1])["nodes"]
        return len(rows) == len(self.nodes) and all(row["shared"] for row in rows) and node.metric("parley_cluster_links") == len(self.nodes) - 1

    def divide(self, some: set[int]) -> None:
        """No frame between these nodes and the others comes through any more."""
        for number, link in enumerate(self.links):
            link.drop(*(set(range(len(self.nodes))) - some if number in some else some))

    def join(self) -> None:
        for gate in (*self.links, *self.stores):
            gate.open()

    def __exit__(self, *_) -> None:
        for node in self.nodes:
            node.__exit__()
        for gate in (*self.links, *self.stores):
            gate.__exit__()
        self.database.end()


class Health:
    """Asks each node whether it lives, for as long as the torture goes on. One that is gone or stands still says nothing."""

    def __init__(self, cluster: Cluster):
        self.cluster, self.name = cluster, "health"
        self.said: Counter = Counter()
        self.is_over = threading.Event()

    def run(self) -> None:
        while not self.is_over.wait(0.1):
            for node in self.cluster.nodes:
                try:
                    status, _ = node.get("/livez", admin=True, within=1)
                except OSError:
                    status = None
                self.said[status] += 1
                expect(status in (200, None), f"/livez said {status}")


class ClusterTorture(StoreTorture):
    """A fault after the other on three nodes, drawn by chance until each was there as often as it should be; then an account."""

    #: Between two messages of one sender; what is tested is what faults do to them, not how many there can be.
    think_time = 0.01

    def __init__(self, kills: int, seed: int, senders: int = 3, say=lambda text: None, faults: dict[str, int] | None = None):
        self.hook = Listener()
        counts = faults or {fault: -(-count * kills // FAULTS["kill"]) for fault, count in FAULTS.items()}
        super().__init__(sum(counts.values()), seed, senders, say)
        self.plan = [fault for fault, count in counts.items() for _ in range(count)]
        self.random.shuffle(self.plan)
        for sender in self.senders:
            sender.think_time = self.think_time
        self.health = Health(self.cluster)
        self.members = [Member(self.server, f"member-{n}") for n in range(3)]
        self.wanderers = [Wanderer(self.server, f"wanderer-{n}") for n in range(3)]
        self.talkers = [Talker(self.server, "talker-0", other="talker-1", starts=True), Talker(self.server, "talker-1")]

    def make_server(self, *options: str) -> Cluster:
        told = ("--webhook", self.hook.url, "--webhook-secret", SECRET, "--webhook-events", "rooms", "--outgoing-allow", "127.0.0.0/8")
        self.cluster = Cluster(3, *options, *told)
        eventually(self.cluster.are_together, "the nodes find each other", 30)
        return self.cluster

    def others(self) -> list:
        return [*self.travellers(), self.health]

    def travellers(self) -> list:
        return [*self.members, *self.wanderers, *self.talkers]

    def disturb(self, kill: int) -> None:
        fault, number = self.plan[kill], self.random.randrange(3)
        self.say(f"{fault} of node {number}")
        self.cluster.fault = fault
        getattr(self, fault)(number, self.cluster.nodes[number])
        eventually(self.cluster.are_together, f"the nodes are together again after {fault}", 40)
        self.cluster.fault = ""

    def kill(self, number: int, node: Server) -> None:
        self.cluster.down.add(number)
        node.end()
        time.sleep(self.random.uniform(0, 5))
        node.begin()
        self.cluster.down.discard(number)

    def pause(self, number: int, node: Server) -> None:
        """For 1 to 30 seconds, short ones more often than long ones."""
        node.tell(signal.SIGSTOP)
        self.cluster.down.add(number)
        time.sleep(30 ** self.random.random())
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

    def database(self, number: int, node: Server) -> None:
        self.cluster.database.kill()
        time.sleep(self.random.uniform(0, 1))
        self.cluster.database.start()

    def freeze(self, number: int, node: Server) -> None:
        self.cluster.database.signal(signal.SIGSTOP)
        time.sleep(self.random.uniform(0.5, 6))
        self.cluster.database.signal(signal.SIGCONT)

    def cut(self, number: int, node: Server) -> None:
        """Every connection to the database breaks."""
        self.cluster.database.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'parley' AND pid <> pg_backend_pid()", "postgres")

    def apart(self, number: int, node: Server) -> None:
        """One node and the others reach each other by the database alone."""
        self.part(links={number}, stores=set())

    def alone(self, number: int, node: Server) -> None:
        """One node does not reach the database."""
        self.part(links=set(), stores={number})

    def island(self, number: int, node: Server) -> None:
        """One node reaches nobody."""
        self.part(links={number}, stores={number})

    def halves(self, number: int, node: Server) -> None:
        """One node has the database to itself, the two others only each other."""
        self.part(links={number}, stores={0, 1, 2} - {number})

    def part(self, links: set[int], stores: set[int]) -> None:
        """What a node cannot keep it refuses, so the balancer, which asks whether it is ready, sends nobody there."""
        self.cluster.down |= stores
        self.cluster.divide(links) if links else None
        for number in stores:
            self.cluster.stores[number].drop(None)
        time.sleep(8 ** self.random.random())
        self.cluster.join()
        self.cluster.down -= stores

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
        return found | Counter(self.plan) | self.told() | {"ghosts_gone_ms": self.ghosts_gone()} | self.comings() | {
            "room_sent": sum(m.sent for m in self.members), "room_acked": sum(m.acked for m in self.members),
            "room_refused": sum(m.refused for m in self.members), "room_unknown": sum(m.unknown for m in self.members),
            "room_heard": sum(len(m.heard) for m in self.members),
            "call_signals": sum(t.answers for t in self.talkers), "livez_200": self.health.said[200]}

    def comings(self) -> dict:
        """How people came back; for rolling restarts by themselves too."""
        kinds = ("recovered", "instead", "fresh")
        under = lambda kind, fault: sum(n for t in self.travellers() for (k, f), n in t.resumes.items() if k == kind and fault in (None, f))
        away = sorted(moment for traveller in self.travellers() for moment in traveller.away)
        return {kind: under(kind, None) for kind in kinds} | {f"roll_{kind}": under(kind, "roll") for kind in kinds} | {
            "back_p50_ms": int(1000 * away[len(away) // 2]) if away else 0,
            "back_p99_ms": int(1000 * away[len(away) * 99 // 100]) if away else 0}

    def told(self) -> dict:
        """Another program was told all that was acknowledged, in its order; again at most what it had been told already."""
        acked = {(place, number) for sender in self.senders for place, number, _ in sender.acked.values()}
        eventually(lambda: acked <= set(self.hook_heard()), "the webhook was told all", 60)
        last: dict[str, int] = {}
        for place, number in dict.fromkeys(self.hook_heard()):
            expect(number == last.get(place, 0) + 1, f"the webhook was told {number} of {place} after {last.get(place, 0)}")
            last[place] = number
        expect(self.hook.faults == [], f"signatures: {self.hook.faults[:3]}")
        return {"webhooks": len(self.hook.heard), "webhooks_again": len(self.hook.ids) - len(set(self.hook.ids))} | self.told_of_hall()

    def told_of_hall(self) -> dict:
        """Each visit to it was told once, with its beginning before its end. When all nodes lose the database at once, what one of them had heard
        last may not have happened for the others: then they begin or end it once more."""
        events = [event for event in self.hook.once() if event.get("room") == "hall"]
        inside: set[str] = set()
        odd = 0
        for event in events:
            if event["event"] == "room.joined":
                odd += event["member"] in inside
                inside.add(event["member"])
            elif event["event"] == "room.left":
                odd += event["member"] not in inside
                inside.discard(event["member"])
            elif event["event"] == "room.closed":
                odd += len(inside)
                inside.clear()
        most = len(self.wanderers) * sum(fault in ("database", "cut") for fault in self.plan)
        expect(odd <= most, f"{odd} visits to the hall were told in another order than they happened in, or not at all")
        return {"hall_visits": sum(w.visits for w in self.wanderers), "hall_told": len(events), "hall_odd": odd}

    def hook_heard(self) -> list[tuple[str, int]]:
        return [(event["entry"]["conversation"], event["entry"]["number"]) for event in list(self.hook.heard) if "entry" in event]

    def ghosts_gone(self) -> int:
        """Everybody has gone; places are kept for two minutes, people are shown for a moment."""
        began = time.monotonic()

        def online(node: Server) -> list:
            return node.get("/v1/users", admin=True)[1]
        views = lambda: {online(node) for node in self.cluster.nodes}
        eventually(lambda: views() == {'{"users":[]}'}, "all nodes know that nobody is online", 10)
        return int(1000 * (time.monotonic() - began))

    def close(self) -> None:
        super().close()
        self.hook.close()
