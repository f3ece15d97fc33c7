"""Clients of the realtime tree that hide nothing: every frame is the test's own."""

import base64
import http.client
import json
import socket
import ssl
import threading
from collections import deque
from urllib.parse import quote

import websocket
from server import TIMEOUT, Server
from wire import Answer, read_answer

OWNER = {"Authorization": "Bearer owner"}
#: A server whose administrators say so, as with an emulator.
EMULATOR = ("--doors", "realtime-tree", "--tree-emulator")


def context(server: Server) -> ssl.SSLContext | None:
    """Whom to believe, where the server speaks TLS."""
    trusted = getattr(server, "trusted", None)
    return ssl.create_default_context(cafile=trusted) if trusted else None


def connection_to(server: Server, within: float = TIMEOUT) -> http.client.HTTPConnection:
    trust = context(server)
    if trust is None:
        return http.client.HTTPConnection(*server.address, timeout=within)
    return http.client.HTTPSConnection("localhost", server.address[1], timeout=within, context=trust)


def ask_http(
    server: Server, method: str, target: str, body: bytes | str | dict = b"", headers: dict | None = None
) -> Answer:
    """One request on a connection of its own; a dict goes as JSON."""
    body = json.dumps(body) if isinstance(body, dict) else body
    connection = connection_to(server)
    try:
        connection.request(method, target, body, headers or {})
        return read_answer(connection)
    finally:
        connection.close()


def ask(server: Server, method: str, path: str, value=None, headers: dict | None = None) -> Answer:
    """One request as an administrator; `value` goes as JSON."""
    body = b"" if value is None and method in ("GET", "DELETE") else json.dumps(value)
    return ask_http(server, method, path, body, OWNER if headers is None else headers)


def sign_up(server: Server) -> dict:
    """A new user without a name."""
    answer = ask_http(
        server, "POST", "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k", {"returnSecureToken": True})
    assert answer.status == 200, answer.text
    return answer.json


class Refused(Exception):
    """The server's answer to a request, when it is not `ok`."""

    def __init__(self, status: str, data):
        super().__init__(f"{status}: {data}")
        self.status = status
        self.data = data


class TreeSocket:
    """One session over `/.ws`, in the order in which things come."""

    def __init__(self, server: Server, query: str = "", credential: str | None = None):
        (host, port), trust = server.address, getattr(server, "trusted", None)
        place = f"wss://localhost:{port}" if trust else f"ws://{host}:{port}"
        self.socket = websocket.create_connection(
            f"{place}/.ws?v=5&ns=db{query}", timeout=TIMEOUT, sslopt={"ca_certs": trust} if trust else None)
        self.number = 0
        #: What the server pushed and nobody has looked at yet.
        self.pushed: deque[dict] = deque()
        self.hello = self.receive()["d"]["d"]
        if credential is not None:
            self.ask("gauth" if credential == "owner" else "auth", cred=credential)

    @property
    def session(self) -> str:
        return self.hello["s"]

    def send(self, message) -> None:
        """As the SDKs do: long ones go in segments behind their number."""
        text = json.dumps(message, ensure_ascii=False) if not isinstance(message, str) else message
        parts = [text] if len(text) <= 8192 else [text[i:i + 8192] for i in range(0, len(text), 8192)]
        if len(parts) > 1:
            self.socket.send(str(len(parts)))
        for part in parts:
            self.socket.send(part)

    def receive(self, within: float = TIMEOUT) -> dict:
        self.socket.settimeout(within)
        frame = self.socket.recv()
        if not frame:
            raise ConnectionError("closed")
        if len(frame) <= 6 and frame.isdigit():
            frame = "".join(self.socket.recv() for _ in range(int(frame)))
        return json.loads(frame)

    def start(self, action: str, **body) -> int:
        self.number += 1
        self.send({"t": "d", "d": {"r": self.number, "a": action, "b": body}})
        return self.number

    def answer(self, number: int):
        """To a request, once it comes; what is pushed before is kept."""
        while True:
            message = self.receive()["d"]
            if message.get("r") == number:
                if message["b"]["s"] != "ok":
                    raise Refused(message["b"]["s"], message["b"]["d"])
                return message["b"]["d"]
            self.pushed.append(message)

    def ask(self, action: str, **body):
        return self.answer(self.start(action, **body))

    def push(self, within: float = TIMEOUT) -> tuple[str, str, object]:
        """The next thing the server says by itself: what, where, and the value."""
        if not self.pushed:
            self.pushed.append(self.receive(within)["d"])
        message = self.pushed.popleft()
        assert "a" in message, message
        return message["a"], message["b"].get("p"), message["b"].get("d")

    def listen(self, path: str, query: dict | None = None, tag: int | None = None, known: str = ""):
        """What is there."""
        body = {"p": path, "h": known}
        if query is not None:
            body |= {"q": query, "t": tag}
        self.ask("q", **body)
        return self.push()[2] if self.pushed else None

    def close(self) -> None:
        if self.socket.connected:
            self.socket.close(timeout=1)

    def cut(self) -> None:
        """As when a cable is pulled: nobody says goodbye."""
        self.socket.sock.close()


class TreePolling:
    """One session over `/.lp`, as a page's scripts begin and go on with it."""

    def __init__(self, server: Server, query: str = ""):
        self.server = server
        self.serial = 1
        self.segment = 0
        self.number = 0
        script = ask_http(server, "GET", f"/.lp?start=t&ser=1&cb=7&v=5&ns=db{query}").text
        assert 'parent.window["pLPCommand7"]' in script, script
        self.id, self.password = script.split('pLPCommand("start", "')[1].split('");')[0].split('", "')
        self.next_answer = 1
        self.messages: deque[dict] = deque(json.loads(script.split("pRTLPCB(0, ")[1].split(");")[0]))
        self.hello = self.messages.popleft()["d"]["d"]
        self.commands: list[str] = []

    def target(self, parts: str = "") -> str:
        self.serial += 1
        return f"/.lp?id={self.id}&pw={self.password}&ser={self.serial}&ns=db{parts}"

    def parts(self, message: dict, size: int = 1870) -> list[str]:
        text = base64.urlsafe_b64encode(json.dumps(message).encode()).decode().replace("=", ".")
        pieces = [text[i:i + size] for i in range(0, len(text), size)]
        found = []
        for piece in pieces:
            found.append(f"&seg0={self.segment}&ts0={len(pieces)}&d0={quote(piece)}")
            self.segment += 1
        return found

    def poll(self, parts: str = "") -> None:
        """One request, until it is answered."""
        self.take(ask_http(self.server, "GET", self.target(parts)))

    def send(self, message: dict) -> None:
        """Each part by a request of its own, two of which are under way: the next one frees the one before."""
        waiting: list[http.client.HTTPConnection] = []
        for parts in self.parts(message):
            connection = http.client.HTTPConnection(*self.server.address, timeout=2 * TIMEOUT)
            connection.request("GET", self.target(parts))
            waiting.append(connection)
        for answer in sorted((read_answer(connection) for connection in waiting), key=lambda answer: answer.text):
            self.take(answer)
        for connection in waiting:
            connection.close()

    def take(self, answer: Answer) -> None:
        assert answer.status == 200 and answer.headers["content-type"].startswith("text/javascript"), answer
        for line in answer.text.splitlines():
            if line.startswith("pRTLPCB("):
                number, rest = line.removeprefix("pRTLPCB(").split(", ", 1)
                assert int(number) == self.next_answer, (number, self.next_answer)
                self.next_answer += 1
                self.messages.extend(json.loads(rest.removesuffix(");")))
            elif line:
                self.commands.append(line)

    def ask(self, action: str, **body):
        self.number += 1
        self.send({"t": "d", "d": {"r": self.number, "a": action, "b": body}})
        skipped = deque()
        while True:
            while not self.messages:
                self.poll()
            message = self.messages.popleft()
            if message["t"] == "d" and message["d"].get("r") == self.number:
                self.messages.extendleft(reversed(skipped))
                if message["d"]["b"]["s"] != "ok":
                    raise Refused(message["d"]["b"]["s"], message["d"]["b"]["d"])
                return message["d"]["b"]["d"]
            skipped.append(message)

    def push(self) -> tuple[str, str, object]:
        while not self.messages:
            self.poll()
        message = self.messages.popleft()["d"]
        return message["a"], message["b"].get("p"), message["b"].get("d")


class TreeStream:
    """Server-sent events of one place."""

    def __init__(self, server: Server, path: str, headers: dict | None = None):
        self.socket = socket.create_connection(server.address, timeout=TIMEOUT)
        lines = [f"GET {path} HTTP/1.1", "Host: tree", "Accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in (OWNER if headers is None else headers).items()]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline().strip():
            pass
        self.text = b""

    def event(self) -> tuple[str, object]:
        """The next one: its name and its data."""
        while b"\n\n" not in self.text:
            size = int(self.file.readline() or b"0", 16)
            if size == 0:
                raise EOFError("the stream ended")
            self.text += self.file.read(size)
            self.file.readline()
        frame, self.text = self.text.split(b"\n\n", 1)
        fields = dict(line.split(": ", 1) for line in frame.decode().splitlines())
        return fields["event"], json.loads(fields["data"])

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def together(*jobs) -> None:
    """All at the same time; the first failure is raised here."""
    failures: list[BaseException] = []

    def run(job) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 (raised again below)
            failures.append(error)

    threads = [threading.Thread(target=run, args=[job]) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
