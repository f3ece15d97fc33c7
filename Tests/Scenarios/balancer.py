"""Several servers over one PostgreSQL behind a balancer that sends each request to the next of them: no sticky sessions."""

import json
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

from ports import free_port
from server import Server, eventually

CONFIGURATION = """
daemon off;
master_process off;
worker_rlimit_nofile 4096;
pid {folder}/pid;
error_log stderr crit;
events {{ worker_connections 4000; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    client_max_body_size 0;
    upstream nodes {{
{nodes}
        keepalive 64;
    }}
    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    server {{
        listen {listen};
        location / {{
            proxy_pass http://nodes;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_read_timeout 1h;
        }}
    }}
}}
"""


class Balancer:
    """nginx, sending one request after the other to the next address."""

    def __init__(self, addresses: list[tuple[str, int]], listen: str = ""):
        self.folder = Path(tempfile.mkdtemp(prefix="balancer-"))
        listen = listen or f"127.0.0.1:{free_port()}"
        nodes = "\n".join(f"        server {host}:{port} max_fails=1 fail_timeout=1s;" for host, port in addresses)
        (self.folder / "nginx.conf").write_text(CONFIGURATION.format(folder=self.folder, nodes=nodes, listen=listen))
        self.process = subprocess.Popen(["nginx", "-p", self.folder, "-c", self.folder / "nginx.conf"], stdin=subprocess.DEVNULL)
        self.address = Server._split(listen)
        eventually(self._answers, "the balancer listens")

    def _answers(self) -> bool:
        try:
            socket.create_connection(self.address, timeout=1).close()
            return True
        except OSError:
            return False

    def __enter__(self) -> "Balancer":
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def data_beside(first: Server) -> str:
    """A data directory for one more node: all have the same secret."""
    data = tempfile.mkdtemp(prefix="parley-test-")
    shutil.copy(f"{first.data}/secret", data)
    return data


def know_each_other(nodes: list[Server]) -> bool:
    """Where the others are is said with every beat."""
    lists = [json.loads(node.get("/v1/nodes", admin=True)[1])["nodes"] for node in nodes]
    return all(len(seen) == len(nodes) and all(n["shared"] and (n["this"] or n.get("address")) for n in seen) for seen in lists)


def reaches_the_tree(node: Server) -> bool:
    """The realtime tree is 503 until the node on duty is known."""
    return node.get("/.json")[0] != 503


class Cluster:
    """`count` servers over a PostgreSQL at `url`, and a balancer in front of them."""

    def __init__(self, url: str, count: int, *options: str, listen: str = "", testing: bool = False, doors: bool = True):
        self.nodes: list[Server] = []
        for _ in range(count):
            data = data_beside(self.nodes[0]) if self.nodes else None
            self.nodes.append(
                Server("--store", url, "--trusted-proxy", "127.0.0.1", *options, testing=testing, doors=doors, data=data))
        eventually(lambda: know_each_other(self.nodes), "all nodes know where the others are")
        self.balancer = Balancer([node.address for node in self.nodes], listen)
        self.address = self.balancer.address

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_) -> None:
        self.balancer.__exit__()
        for node in self.nodes:
            node.__exit__()


class Companions:
    """More nodes beside a server that runs, and a balancer in front of all of them."""

    def __init__(self, first: Server, count: int, listen: str):
        self.nodes: list[Server] = []
        try:
            for _ in range(count):
                self.nodes.append(self._node(first))
            everyone = [first, *self.nodes]
            eventually(lambda: know_each_other(everyone), "all nodes know where the others are")
            eventually(lambda: all(reaches_the_tree(node) for node in everyone), "all know who does errands")
        except BaseException:
            self._end_nodes()
            raise
        self.balancer = Balancer([node.address for node in (first, *self.nodes)], listen)

    @staticmethod
    def _node(first: Server) -> Server:
        data = data_beside(first)
        (Path(data) / "files").symlink_to(Path(first.data) / "files")
        return Server(*first.options, path=first.path, testing=False, doors=False, data=data, beside=first, environment=first.environment)

    def end(self) -> None:
        self.balancer.__exit__()
        self._end_nodes()

    def _end_nodes(self) -> None:
        for node in self.nodes:
            node.__exit__()
