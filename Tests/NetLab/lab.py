"""Networks with real NATs: network namespaces joined by cables, and nftables between them.

    lan 1 ── nat 1 ──┐
                     wan (198.51.100.1, 198.51.100.2)
    lan 2 ── nat 2 ──┘
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from impairment import Impairment, Line

SERVERS = ("198.51.100.1", "198.51.100.2")


@dataclass(frozen=True)
class Kind:
    """What a NAT does; mapping and filtering as RFC 4787 calls them, None where UDP does not get that far."""

    name: str
    rules: str
    mapping: str | None
    filtering: str | None


def _chain(name: str, kind: str, hook: str, priority: int, rule: str) -> str:
    return f"chain {name} {{\ntype {kind} hook {hook} priority {priority};\n{rule}\n}}\n"


_MASQUERADE = _chain("leaving", "nat", "postrouting", 100, 'oifname "wan" masquerade')
_SCATTER = _chain("leaving", "nat", "postrouting", 100, 'oifname "wan" masquerade fully-random')
# What nobody asked for is not to leave a trace: the kernel would give its port to nobody else.
_CLOSED = _chain("knocking", "filter", "input", 0, 'iifname "wan" meta l4proto udp drop')
_LET_IN = _chain("coming", "nat", "prerouting", -100, 'iifname "wan" udp dport 1024-65535 dnat to INSIDE')
# Who was sent something from a port may answer there, from any port of its own.
_KNOWN = "set known {\ntype inet_service . ipv4_addr;\nflags dynamic,timeout;\ntimeout 2m;\n}\n" + _chain(
    "noting", "filter", "forward", 0, 'iifname "lan" meta l4proto udp update @known { udp sport . ip daddr }')
_LET_BACK = _chain(
    "coming", "nat", "prerouting", -100, 'iifname "wan" udp dport . ip saddr @known dnat to INSIDE')
_NO_UDP = _chain("passing", "filter", "forward", 0, "meta l4proto udp drop")
_ONLY_HTTPS = _chain("passing", "filter", "forward", 0, 'iifname "lan" tcp dport != 443 drop\nmeta l4proto udp drop')

INDEPENDENT, BY_ADDRESS, DEPENDENT = "endpoint-independent", "address-dependent", "address-and-port-dependent"

KINDS = {
    kind.name: kind
    for kind in (
        Kind("open", "", INDEPENDENT, INDEPENDENT),
        Kind("full-cone", _MASQUERADE + _LET_IN, INDEPENDENT, INDEPENDENT),
        Kind("restricted-cone", _MASQUERADE + _KNOWN + _LET_BACK + _CLOSED, INDEPENDENT, BY_ADDRESS),
        Kind("cone", _MASQUERADE + _CLOSED, INDEPENDENT, DEPENDENT),
        Kind("symmetric", _SCATTER + _CLOSED, DEPENDENT, DEPENDENT),
        Kind("udp-blocked", _MASQUERADE + _NO_UDP, None, None),
        Kind("https-only", _MASQUERADE + _ONLY_HTTPS, None, None),
    )
}


def run(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(words, check=True, capture_output=True, text=True, **options)


def is_possible() -> str | None:
    """Why there can be no laboratory here; None when there can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    for program in ("ip", "nft"):
        if subprocess.run(["which", program], capture_output=True, check=False).returncode != 0:
            return f"{program} is not installed"
    name = f"parley-try-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False, text=True)
    if tried.returncode != 0:
        return f"no network namespaces: {tried.stderr.strip()}"
    rules = subprocess.run(
        ["ip", "netns", "exec", name, "nft", "add table ip try"], capture_output=True, check=False, text=True)
    run("ip", "netns", "del", name)
    return None if rules.returncode == 0 else f"no nftables: {rules.stderr.strip()}"


class Lab:
    """One LAN for each of `kinds`. Gone with everything in it at the end of a `with`.

    With a `line`, what lies between each NAT and the wan is that line, and no cable.
    """

    def __init__(self, *kinds: str, loss: int = 0, line: Line | None = None):
        self.prefix = f"pl{os.getpid()}"
        self.loss = loss
        self.line = line
        self.lines: list[Impairment] = []
        self.nameservers: list[subprocess.Popen] = []
        self.spaces: list[str] = []
        try:
            self._build([KINDS[kind] for kind in kinds])
        except BaseException:
            self.close()
            raise

    def _build(self, kinds: list[Kind]) -> None:
        self._space("wan")
        for address in SERVERS:
            self.ip("wan", "addr", "add", f"{address}/32", "dev", "lo")
        # The internet swallows what is sent to private addresses. An error instead would end coturn's sessions.
        self.ip("wan", "route", "add", "default", "dev", "lo")
        for number, kind in enumerate(kinds, start=1):
            self._lan(number, kind)

    def _space(self, name: str) -> None:
        run("ip", "netns", "add", self.name(name))
        self.spaces.append(name)
        self.ip(name, "link", "set", "lo", "up")
        self.inside(name, "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def _lan(self, number: int, kind: Kind) -> None:
        nat, lan = f"nat{number}", f"lan{number}"
        outer = f"203.0.113.{4 * number + 2}"
        self._space(nat)
        self._space(lan)
        self._join("wan", f"to{number}", nat, "wan")
        self.ip("wan", "addr", "add", f"203.0.113.{4 * number + 1}/30", "dev", f"to{number}")
        self.ip(nat, "addr", "add", f"{outer}/30", "dev", "wan")
        self.ip(nat, "route", "add", "default", "via", f"203.0.113.{4 * number + 1}")
        self._cable(nat, "lan", lan, "eth0")
        self.ip(nat, "addr", "add", f"10.{number}.0.1/24", "dev", "lan")
        self.ip(lan, "addr", "add", f"10.{number}.0.2/24", "dev", "eth0")
        self.ip(lan, "route", "add", "default", "via", f"10.{number}.0.1")
        if kind.name == "open":
            self.ip("wan", "route", "add", f"10.{number}.0.0/24", "via", outer)
        rules = kind.rules.replace("INSIDE", f"10.{number}.0.2")
        if self.loss:
            rules += _chain(
                "losing", "filter", "forward", 10, f"meta l4proto udp numgen random mod 100 < {self.loss} drop")
        if rules:
            self.inside(nat, "nft", "-f", "-", stdin=f"table ip lab {{\n{rules}}}\n")

    def _join(self, one: str, one_end: str, other: str, other_end: str) -> None:
        if self.line is None:
            return self._cable(one, one_end, other, other_end)
        self.lines.append(Impairment((self.name(one), one_end), (self.name(other), other_end), self.line))
        self.ip(one, "link", "set", one_end, "up")
        self.ip(other, "link", "set", other_end, "up")

    def _cable(self, one: str, one_end: str, other: str, other_end: str) -> None:
        run("ip", "-n", self.name(one), "link", "add", one_end, "type", "veth", "peer", "name", other_end,
            "netns", self.name(other))
        self.ip(one, "link", "set", one_end, "up")
        self.ip(other, "link", "set", other_end, "up")

    def name(self, space: str) -> str:
        """As `ip netns` knows it."""
        return f"{self.prefix}-{space}"

    def ip(self, space: str, *words: str) -> None:
        run("ip", "-n", self.name(space), *words)

    def command(self, space: str, *words: str) -> list[str]:
        """The words of a command that runs inside of a namespace."""
        return ["ip", "netns", "exec", self.name(space), *words]

    def inside(self, space: str, *words: str, stdin: str | None = None) -> str:
        return run(*self.command(space, *words), input=stdin).stdout

    def call(self, name: str, address: str) -> None:
        """The address has a name in every LAN, for what is started after this: in the hosts file, and at a name server, which
        Chromium asks for relays whatever the file says."""
        program = str(Path(__file__).with_name("nameserver.py"))
        self.nameservers.append(subprocess.Popen(self.command("wan", sys.executable, program, SERVERS[0], name, address)))
        for space in self.spaces:
            folder = Path("/etc/netns", self.name(space))
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "hosts").write_text(f"127.0.0.1 localhost\n{address} {name}\n")
            (folder / "resolv.conf").write_text(f"nameserver {SERVERS[0]}\n")

    @staticmethod
    def outer(number: int) -> str:
        """The address under which a LAN is seen outside."""
        return f"203.0.113.{4 * number + 2}"

    def close(self) -> None:
        for nameserver in self.nameservers:
            nameserver.kill()
            nameserver.wait()
        for line in self.lines:
            line.close()
        self.lines = []
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", self.name(space)], capture_output=True, check=False)
            shutil.rmtree(Path("/etc/netns", self.name(space)), ignore_errors=True)
        self.spaces = []

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *_) -> None:
        self.close()
