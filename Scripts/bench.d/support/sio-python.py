"""A peer: python-socketio on aiohttp with rooms, a relay and a broadcast; with REDIS it is one of several. sio-python.py PORT [REDIS]"""

import sys

import socketio
from aiohttp import web

manager = socketio.AsyncRedisManager(sys.argv[2]) if len(sys.argv) > 2 else None
server = socketio.AsyncServer(async_mode="aiohttp", cors_allowed_origins="*", client_manager=manager)
application = web.Application()
server.attach(application)


@server.on("join")
async def join(sid, data):
    await server.enter_room(sid, data["room"])
    return {}


@server.on("offer")
async def offer(sid, data):
    await server.emit("signal", {"from": sid, "description": data["description"]}, to=data["to"])
    return {}


@server.on("say")
async def say(sid, data):
    await server.emit("signal", {"from": sid, "data": data["data"]}, room=data["room"], skip_sid=sid)
    return {}


web.run_app(application, host="127.0.0.1", port=int(sys.argv[1]), print=None)
