"""Several servers that are one service: ours over PostgreSQL, neighbours over Redis."""

import contextlib
import os
import shutil

import bench
from people import APP, SECRET
from database import seconds  # noqa: I001


class Parley:
    """`count` servers over a database of their own."""

    kind = "parley"

    def __init__(self, database, binary, count):
        self.name = "one server" if count == 1 else f"{count} servers"
        self.database, self.binary, self.count = database, binary, count

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        url, self.servers = self.database.fresh(), []
        for _ in range(self.count):
            port = bench.free_port()
            server = bench.parley_server(
                self.binary, port, "--app", f"{APP}:{SECRET}", "--stun", "off", "--request-rate", "1000000", "--store", url)
            if self.servers:
                os.makedirs(server.data, exist_ok=True)
                shutil.copy(f"{self.servers[0].data}/secret", server.data)
            self.servers.append(self.stack.enter_context(server))
        self.wait(url)
        return self

    def wait(self, url):
        """Until each has its part in what all do."""
        name = url.rsplit("/", 1)[1]
        while int(self.database.ask("SELECT count(*) FROM parley.nodes WHERE ready", name)) < self.count:
            pass

    def __exit__(self, *_):
        self.stack.close()

    def engine(self):
        return self.database.cpu()


class OverRedis:
    """`count` processes of a neighbour and their Redis. `command` gets the port of a process and that of Redis."""

    def __init__(self, kind, name, command, count):
        self.kind, self.name = kind, f"{name}, {count} processes and Redis"
        self.command, self.count = command, count

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        port = bench.free_port()
        self.redis = self.stack.enter_context(
            bench.Server(["redis-server", "--port", port, "--save", "", "--appendonly", "no"], port))
        self.servers = [self.stack.enter_context(self.process(port)) for _ in range(self.count)]
        return self

    def process(self, redis):
        port = bench.free_port()
        return bench.Server(self.command(port, redis), port)

    def __exit__(self, *_):
        self.stack.close()

    def engine(self):
        return seconds(self.redis.pid)


def python_socketio():
    python = bench.python_with("python-socketio==5.18.1", "aiohttp==3.14.5", "redis==7.1.0")
    program = bench.SUPPORT / "sio-python.py"
    return lambda count: OverRedis(
        "plain", "python-socketio", lambda port, redis: [python, program, port, f"redis://127.0.0.1:{redis}/0"], count)


def centrifuge():
    program = bench.build_go(
        "centrifuge", "golang-github-centrifugal-centrifuge-dev", "golang-github-centrifugal-protocol-dev",
        "golang-github-fzambia-eagle-dev", "golang-github-igm-sockjs-go-dev", "golang-github-mna-redisc-dev")
    return lambda count: OverRedis(
        "centrifuge", "Centrifuge 0.15", lambda port, redis: [program, port, f"127.0.0.1:{redis}"], count)
