"""nginx, and what wrk finds out about a server."""

import re
import subprocess
import sys

import bench

MICROSECONDS = {"us": 1, "ms": 1000, "s": 1_000_000}
NGINX = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    {directives}
    keepalive_requests 1000000000;
    types {{ text/html html; }}
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
}}
"""


def nginx(folder, port, directives=""):
    """The command of one that serves what lies in `pages` there."""
    configuration = folder / f"nginx-{port}.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port, directives=directives))
    return ["nginx", "-p", folder, "-c", configuration]


def wrk(port, connections, seconds, pid, path="", script=None):
    """What it finds out, and the CPU that the server of this process used meanwhile."""
    before = bench.cpu_seconds(pid)
    command = ["taskset", "-c", bench.LOAD_CORE, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
               *(["-s", script] if script else []), f"http://127.0.0.1:{port}{path}"]
    words = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout
    cpu = bench.cpu_seconds(pid) - before
    if "Non-2xx" in words or "Socket errors" in words:
        sys.exit(words)
    requests = int(re.search(r"(\d+) requests in ([\d.]+)", words)[1])
    percentile = {part: float(number) * MICROSECONDS[unit]
                  for part, number, unit in re.findall(r"^ +(50|99)%\s+([\d.]+)([um]?s)", words, re.M)}
    return {"cpu": cpu * 1e6 / requests, "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", words)[1]),
            "p50": percentile["50"], "p99": percentile["99"]}
