"""Ports for servers that are started by tests."""

import random
import socket


#: Above the last port that browsers refuse to open (10080, of the bad ports of the Fetch standard), and below those that the system gives.
PORTS = range(10_081, 32_000)


def free_port() -> int:
    """Free for TCP and for UDP, and one that no connection to elsewhere is given: a server can come back to it after it was away."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as streams, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
            try:
                streams.bind(("127.0.0.1", port))
                datagrams.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def free_blocked_port() -> int:
    """One that browsers refuse to open."""
    for port in (10_080, 6_697, 6_679, 6_669, 6_668, 6_667, 6_666, 6_665, 6_566):
        with socket.socket() as streams:
            try:
                streams.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise OSError("all of these ports are taken")


def free_ports(count: int) -> list[int]:
    """All of them differ."""
    found: set[int] = set()
    while len(found) < count:
        found.add(free_port())
    return list(found)
