"""Firefox for Playwright: `firefox_relay.py [--netns NAME] [--trusts FILE] FIREFOX ARGUMENTS…` stands between the two.

Playwright speaks WebDriver BiDi with any Firefox, and sends with each context a command for colours and motion that
Firefox ESR does not know yet. That command is answered here; everything else passes as it is. With a network namespace
Firefox runs inside of it and Playwright stays outside.
"""

import argparse
import asyncio
import ctypes
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import aiohttp
from aiohttp import web
from nssstore import trust

CLONE_NEWNET = 0x40000000
UNKNOWN = {"emulation.setMediaFeaturesOverride"}


def announced(process: subprocess.Popen) -> str:
    """The address at which Firefox speaks the protocol."""
    for line in process.stderr:
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            return found[1]
    raise SystemExit("Firefox ended before it was ready")


async def relay(request: web.Request, address: str) -> web.WebSocketResponse:
    inner = web.WebSocketResponse(max_msg_size=0)
    await inner.prepare(request)
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{address}{request.path}", max_msg_size=0) as outer:
        down = asyncio.create_task(copy(outer, inner))
        async for message in inner:
            await take(message.data, inner, outer)
        down.cancel()
        await outer.close()
    return inner


async def take(text: str, inner: web.WebSocketResponse, outer: aiohttp.ClientWebSocketResponse) -> None:
    command = json.loads(text)
    if command["method"] in UNKNOWN:
        await inner.send_str(json.dumps({"type": "success", "id": command["id"], "result": {}}))
    else:
        await outer.send_str(text)


async def copy(outer: aiohttp.ClientWebSocketResponse, inner: web.WebSocketResponse) -> None:
    async for message in outer:
        await inner.send_str(message.data)
    await inner.close()


def enter(space: str) -> None:
    """Sockets that this thread makes from now on are in the namespace; those it has stay where they are."""
    with open(f"/run/netns/{space}", "rb") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), file.name)


async def serve(process: subprocess.Popen, space: str | None) -> None:
    address = announced(process)
    threading.Thread(target=process.stderr.read, daemon=True).start()
    app = web.Application()
    app.router.add_get("/{path:.*}", lambda request: relay(request, address))
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    if space:
        enter(space)
    print(f"WebDriver BiDi listening on ws://127.0.0.1:{port}", file=sys.stderr, flush=True)
    await asyncio.to_thread(process.wait)


def main(options: argparse.Namespace) -> None:
    command = [options.firefox, *options.arguments]
    if options.trusts:
        profile = next(after for before, after in itertools.pairwise(command) if before.lstrip("-") == "profile")
        trust(options.trusts, Path(profile))
    if options.netns:
        command = ["ip", "netns", "exec", options.netns, *command]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        asyncio.run(serve(process, options.netns))
    finally:
        process.kill()
        process.wait()


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--netns")
    parser.add_argument("--trusts")
    parser.add_argument("firefox")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    return parser.parse_args()


if __name__ == "__main__":
    main(read_options())
