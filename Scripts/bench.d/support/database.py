"""A PostgreSQL of a benchmark's own, as safe as its defaults make it, and what its processes use."""

import os
import subprocess
import sys

sys.path.insert(0, str(__import__("bench").ROOT / "Tests/Scenarios"))
import postgres  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


class Database(postgres.Postgres):
    def __init__(self):
        super().__init__()
        self.count = 0

    def fresh(self):
        """The address of a new one."""
        self.count += 1
        return self.create(f"bench{self.count}")

    def empty(self, url):
        """Its tables have the program's form, and nothing in them."""
        self.ask("TRUNCATE parley.conversations, parley.members, parley.entries, parley.words, parley.directs", name(url))

    def cpu(self):
        """Seconds of all its processes, also of those that have ended."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True).stdout.split()
        return sum(seconds(pid) for pid in children) + seconds(self.process.pid, with_ended=True)


def name(url):
    return url.rsplit("/", 1)[1]


def seconds(pid, with_ended=False):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0
    return sum(int(value) for value in fields[11:15 if with_ended else 13]) / TICKS
