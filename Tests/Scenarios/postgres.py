"""A PostgreSQL that runs for as long as a test looks at it, in a folder of its own and as an ordinary user."""

import contextlib
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from multiprocessing import util
from pathlib import Path

from server import TIMEOUT, eventually

PROGRAMS = "/usr/lib/postgresql"


@functools.cache
def programs() -> Path:
    found = sorted(Path(PROGRAMS).glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
    if not found:
        raise FileNotFoundError(f"no PostgreSQL under {PROGRAMS}: Scripts/install tests")
    return found[-1].parent


def as_ordinary_user() -> list[str]:
    """PostgreSQL refuses to run as root."""
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.geteuid() == 0 else []


class Postgres:
    """`settings` are lines of its configuration, say `fsync=off`. With `primary` it is a standby of that one; with `backup` it begins
    as a base backup was."""

    def __init__(self, *settings: str, primary: "Postgres | None" = None, backup: str | None = None):
        # A short name: that of a socket has room for a hundred bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        self.data = self.folder / "data"
        self.settings = ["listen_addresses=", f"unix_socket_directories={self.folder}", "max_connections=200", *settings]
        if primary:
            self.run("pg_basebackup", "--pgdata", self.data, "--host", primary.folder, "--username=parley", "--no-sync",
                     "--checkpoint=fast", "--write-recovery-conf")
        elif backup:
            shutil.copytree(backup, self.data)
            for path in [self.data, *self.data.rglob("*")] if os.geteuid() == 0 else []:
                shutil.chown(path, "nobody", "nogroup")
        else:
            self.run("initdb", "--pgdata", self.data, "--username=parley", "--auth=trust", "--no-sync",
                     "--encoding=UTF8", "--locale=C.UTF-8")
        self.start()

    def run(self, program: str, *words) -> str:
        done = subprocess.run(
            [*as_ordinary_user(), programs() / program, *words], capture_output=True, text=True, cwd=self.folder,
            timeout=TIMEOUT * 3)
        if done.returncode:
            raise AssertionError(f"{program} said: {done.stderr or done.stdout}")
        return done.stdout

    def start(self) -> None:
        self._start()
        eventually(self._is_ready, "PostgreSQL is ready")

    def _start(self) -> None:
        options = [word for setting in self.settings for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*as_ordinary_user(), programs() / "postgres", "-D", self.data, *options], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, cwd=self.folder)

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            log = (self.folder / "log").read_text()[-1000:]
            # Children of one that was killed are still on their way out.
            if "pre-existing shared memory block" not in log[-400:]:
                raise AssertionError(f"PostgreSQL ended: {log}")
            self._start()
        return subprocess.run([programs() / "pg_isready", "-q", "-h", self.folder]).returncode == 0

    def url(self, database: str, *others: "Postgres") -> str:
        hosts = ",".join(str(server.folder).replace("/", "%2F") for server in (self, *others))
        return f"postgresql://parley@{hosts}/{database}"

    def create(self, database: str) -> str:
        """Its address; nothing happens where there is one of this name."""
        if self.ask("SELECT 1 FROM pg_database WHERE datname = '" + database + "'", "postgres") == "":
            self.run("createdb", "--host", self.folder, "--username=parley", database)
        return self.url(database)

    def of(self, data: str) -> str:
        """The database that belongs to a data directory."""
        return self.create(f"d{hashlib.sha256(data.encode()).hexdigest()[:20]}")

    def ask(self, sql: str, database: str) -> str:
        return self.run("psql", *self.client, "--tuples-only", "--no-align", "--command", sql, database).strip()

    @property
    def client(self) -> list:
        """The options of psql."""
        return ["--host", self.folder, "--username=parley", "--no-psqlrc"]

    @contextlib.contextmanager
    def locked(self, table: str, database: str):
        """Locks a table against writes of other sessions."""
        session = subprocess.Popen(
            [*as_ordinary_user(), programs() / "psql", *self.client, "--quiet", database],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=self.folder)
        with session:
            session.stdin.write(f"BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE;\n\\echo locked\n")
            if session.stdout.readline() != "locked\n":
                raise AssertionError(f"{table} was not locked")
            try:
                yield
            finally:
                session.stdin.close()

    def kill(self) -> None:
        """At once, with all its children, as a crash does."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        self.process.kill()
        self.process.wait()
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def signal(self, number: int) -> None:
        """To the server and everybody who works in it."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        for process in [self.process.pid, *map(int, children)]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def end(self) -> None:
        # Nobody reads its files again, so it writes nothing more into them.
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
        self.process.wait(TIMEOUT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Postgres":
        return self

    def __exit__(self, *_) -> None:
        self.end()


@functools.cache
def shared() -> Postgres:
    """One for all tests of a process, quick rather than safe."""
    server = Postgres("fsync=off", "synchronous_commit=off", "full_page_writes=off")
    # Not by atexit: a process that multiprocessing has forked ends without it.
    util.Finalize(server, server.end, exitpriority=0)
    # Behind the start of a database a server waits for others that know more than it does.
    is_settled = "SELECT clock_timestamp() - pg_postmaster_start_time() > INTERVAL '1.5 s'"
    eventually(lambda: server.ask(is_settled, "postgres") == "t", "no server waits for others any more")
    return server
