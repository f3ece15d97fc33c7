"""What every benchmark needs: builds, servers on a core of their own, rounds in turn, tables, and where they are kept."""

import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUPPORT = Path(__file__).resolve().parent
OUT = ROOT / ".build" / "bench"
#: Rounds of a table that is kept.
LEAST_KEPT = 3
SERVER_CORE, LOAD_CORE = 0, (os.cpu_count() or 1) - 1


def need(*packages):
    """Installs Debian packages whose programs or files are missing, as root; else says which."""
    missing = [p for p in packages if subprocess.run(["dpkg-query", "-W", p], capture_output=True).returncode]
    if not missing:
        return
    if os.geteuid() != 0:
        sys.exit(f"this benchmark needs Debian's {' '.join(missing)}: install them, or run it as root")
    subprocess.run(["apt-get", "install", "-y", "-q", "-o", "DPkg::Lock::Timeout=120",
                    "--no-install-recommends", *missing], check=True, stdout=sys.stderr)


def build_parley():
    subprocess.run(["swift", "build", "-c", "release", "--product", "parley", "-q"], cwd=ROOT, check=True)
    return ROOT / ".build" / "release" / "parley"


def build_bench(product, scratch):
    """A program that only benchmarks build; each group of them in a folder of its own, so that none builds the rest anew."""
    folder = ROOT / ".build" / scratch
    subprocess.run(["swift", "build", "-c", "release", "-q", "--scratch-path", folder, "--product", product],
                   cwd=ROOT, check=True, env={**os.environ, "PARLEY_BENCH": "1"})
    return folder / "release" / product


def build_c(name, *flags):
    OUT.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cc", "-O2", "-o", OUT / name, SUPPORT / f"{name}.c", *flags], check=True)
    return OUT / name


def build_go(name, *packages):
    """Debian installs sources for builds without modules; a go.mod beside the program makes paths with versions fit."""
    need("golang-go", *packages)
    folder = OUT / "go" / "src" / name
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SUPPORT / f"{name}.go", folder / "main.go")
    (folder / "go.mod").write_text("module x\n\ngo 1.19\n")
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{OUT / 'go'}:/usr/share/gocode"}
    subprocess.run(["go", "build", "-o", OUT / name, "."], cwd=folder, check=True, env=environment)
    return OUT / name


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A program on the server's core, reachable when the `with` block begins and gone when it ends."""

    def __init__(self, command, port, core=SERVER_CORE, env=None, data=None):
        self.command, self.port, self.core, self.env = [str(c) for c in command], port, core, env
        self.data = data

    def __enter__(self):
        pin = ["taskset", "-c", str(self.core)] if self.core is not None else []
        self.process = subprocess.Popen(pin + self.command, env={**os.environ, **(self.env or {})},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 15
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise RuntimeError(f"{self.command[0]} did not start listening on {self.port}") from None
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.data:
            shutil.rmtree(self.data)

    @property
    def pid(self):
        return self.process.pid


def cpu_seconds(pid):
    """Of a process with its children, threads and all."""
    total = 0.0
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        total += int(task.read_text().split()[0]) / 1e9
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        total += sum(cpu_seconds(child) for child in children.read_text().split())
    return total


def parley_server(binary, port, *extra, loops=1):
    data = tempfile.mkdtemp(prefix="parley-bench-")
    return Server([binary, "serve", "--listen", f"127.0.0.1:{port}", "--admin", "127.0.0.1:0", "--data", data,
                   "--log-level", "error", "--loops", loops, "--test-endpoints", *extra], port, data=data)


def load(program, *arguments):
    command = ["taskset", "-c", str(LOAD_CORE), str(program), *[str(a) for a in arguments]]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        words = result.stderr.strip() or result.stdout.strip()[-1000:]
        raise RuntimeError(f"{' '.join(command)}: exit code {result.returncode}: {words}")
    return json.loads(result.stdout)


def turns(rounds, makers):
    """Round by round, everybody in turn, and each time another one first: who begins has the caches of nobody. `makers` is
    called for each round anew, since servers have ports of their own."""
    for number in range(rounds):
        everybody = list(makers())
        first = number % len(everybody)
        yield from everybody[first:] + everybody[:first]


def parse(parser):
    """What was asked for. One round has no spread, so nothing of it is kept."""
    arguments = parser.parse_args()
    if arguments.keep and arguments.rounds < LEAST_KEPT:
        parser.error(f"--keep needs --rounds {LEAST_KEPT} or more: fewer have no spread")
    return arguments


def median(values):
    return statistics.median(values)


def spread(values, form="{:.2f}"):
    return f"{form.format(median(values))} ({form.format(min(values))}–{form.format(max(values))})"


def ratio(ours, theirs):
    """Run by run: the same minute's noise is in both."""
    return spread([a / b for a, b in zip(ours, theirs)])


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())
    return (f"{os.cpu_count()} cores ({cpu.group(1) if cpu else platform.processor()}), "
            f"{int(memory.group(1)) // 2**20} GiB, kernel {platform.release().split('-')[0]}, "
            f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, load {os.getloadavg()[0]:.1f}")


def publish(name, text, keep, page="docs/benchmarks.md"):
    """Prints the benchmark's section and, when asked to, puts it in the place of the last one in the docs."""
    print(text)
    if not keep:
        return
    path = ROOT / page
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    document = path.read_text()
    block = f"{begin}\n{text}\n{end}"
    if begin in document:
        document = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: block, document, flags=re.S)
    else:
        document = document.rstrip() + "\n\n" + block + "\n"
    path.write_text(document)


def python_with(*packages):
    """A Python of our own that has these packages from PyPI."""
    venv = ROOT / ".build" / "venv-bench"
    python = venv / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, stdout=sys.stderr)
    return python
