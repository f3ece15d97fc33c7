"""An echo of calls with aiortc, for comparison: POST /offer; what comes is decoded and encoded again. aiortc-echo.py PORT"""

import asyncio
import json
import sys

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

CALLS = set()


async def answer(offer):
    call = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    CALLS.add(call)
    call.on("track", call.addTrack)
    await call.setRemoteDescription(RTCSessionDescription(offer["sdp"], "offer"))
    await call.setLocalDescription(await call.createAnswer())
    return {"type": "answer", "sdp": call.localDescription.sdp}


async def serve(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    body = json.dumps(await answer(json.loads(await reader.readexactly(length)))).encode()
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()


asyncio.run(main())
