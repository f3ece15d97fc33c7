"""A peer: python-socketio on aiohttp with rooms, a relay and a broadcast. sio-python.py PORT"""

import sys

import socketio
from aiohttp import web

server = socketio.AsyncServer(async_mode="aiohttp", cors_allowed_origins="*")
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
