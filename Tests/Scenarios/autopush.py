"""A push service that Firefox takes for Mozilla's: subscriptions over a WebSocket, pushes over HTTP (RFC 8030)."""

import asyncio
import base64
import json
import os
import threading
import uuid

from aiohttp import WSMsgType, web


class Autopush:
    """One browser, its subscriptions, and what it said of each push."""

    def __init__(self):
        self.channels: dict[str, str] = {}
        self.keys: list[str] = []
        self.acknowledged: list[dict] = []
        self.headers: list[dict] = []
        self._socket: web.WebSocketResponse | None = None
        self._waiting: list[dict] = []
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=[ready], daemon=True).start()
        ready.wait()

    def _run(self, ready: threading.Event) -> None:
        async def start() -> None:
            app = web.Application()
            app.router.add_get("/", self._talk)
            app.router.add_post("/push/{channel}", self._take)
            self._runner = web.AppRunner(app)
            await self._runner.setup()
            site = web.TCPSite(self._runner, "127.0.0.1", 0)
            await site.start()
            self.port = site._server.sockets[0].getsockname()[1]
            ready.set()

        self._loop.run_until_complete(start())
        self._loop.run_forever()

    @property
    def preferences(self) -> dict:
        """What makes Firefox come here, and show notifications without a question."""
        return {
            "dom.push.enabled": True, "dom.push.connection.enabled": True,
            # On this machine alone.
            "dom.push.testing.allowInsecureServerURL": True, "alerts.useSystemBackend": False,
            "dom.push.serverURL": f"ws://127.0.0.1:{self.port}/", "dom.push.userAgentID": "",
            "permissions.default.desktop-notification": 1, "dom.webnotifications.requireuserinteraction": False,
        }

    async def _talk(self, request: web.Request) -> web.WebSocketResponse:
        socket = self._socket = web.WebSocketResponse(protocols=["push-notification"])
        await socket.prepare(request)
        async for frame in socket:
            if frame.type == WSMsgType.TEXT:
                await self._answer(socket, json.loads(frame.data))
        return socket

    async def _answer(self, socket: web.WebSocketResponse, message: dict) -> None:
        match message.get("messageType"):
            case None:
                await socket.send_str("{}")
            case "hello":
                name = message.get("uaid") or uuid.uuid4().hex
                await socket.send_json({"messageType": "hello", "uaid": name, "status": 200, "use_webpush": True, "broadcasts": {}})
                for push in self._waiting:
                    await socket.send_json(push)
            case "register":
                secret = base64.urlsafe_b64encode(os.urandom(20)).rstrip(b"=").decode()
                self.channels[secret] = message["channelID"]
                self.keys.append(message.get("key", "").rstrip("="))
                await socket.send_json({
                    "messageType": "register", "channelID": message["channelID"], "status": 200,
                    "pushEndpoint": f"http://127.0.0.1:{self.port}/push/{secret}"})
            case "unregister":
                self.channels = {k: v for k, v in self.channels.items() if v != message["channelID"]}
                await socket.send_json({"messageType": "unregister", "channelID": message["channelID"], "status": 200})
            case "ack":
                self.acknowledged += message["updates"]
                done = {update["version"] for update in message["updates"]}
                self._waiting = [push for push in self._waiting if push["version"] not in done]

    async def _take(self, request: web.Request) -> web.Response:
        channel = self.channels.get(request.match_info["channel"])
        if channel is None:
            return web.Response(status=404)
        self.headers.append(dict(request.headers))
        push = {
            "messageType": "notification", "channelID": channel, "version": uuid.uuid4().hex,
            "ttl": int(request.headers["TTL"]), "headers": {"encoding": request.headers["Content-Encoding"]},
            "data": base64.urlsafe_b64encode(await request.read()).rstrip(b"=").decode()}
        self._waiting.append(push)
        if self._socket and not self._socket.closed:
            await self._socket.send_json(push)
        return web.Response(status=201, headers={"Location": f"http://127.0.0.1:{self.port}/message/{push['version']}"})

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
