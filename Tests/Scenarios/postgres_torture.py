"""A PostgreSQL that dies, freezes and comes back while people write, and a server that is killed beside it."""

import signal
import time

from postgres import Postgres
from torture import StoreTorture


class PostgresTorture(StoreTorture):
    """Each third time the server is killed; else the database is, or it is frozen for a moment, of fifteen times once for ten
    seconds. It keeps its promise with the disk."""

    def store(self) -> list[str]:
        self.postgres = Postgres()
        return ["--store", self.postgres.create("parley")]

    def disturb(self, kill: int) -> None:
        match kill % 3:
            case 0:
                self.postgres.kill()
                time.sleep(self.random.uniform(0, 0.5))
                self.postgres.start()
            case 1: self.server.restart()
            case _:
                self.postgres.signal(signal.SIGSTOP)
                time.sleep(10 if kill % 15 == 14 else self.random.uniform(0.5, 3))
                self.postgres.signal(signal.SIGCONT)

    def close(self) -> None:
        super().close()
        self.postgres.end()
