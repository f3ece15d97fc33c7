"""People who speak the native events, each on a line of their own."""

import base64
import hashlib
import hmac
import itertools
import json
import time
from collections.abc import Callable

from server import TIMEOUT, Server
from wire import Answer, Closed, Packet, PollingLink, WebSocketLink, ask_http, take_parts, usual_link


#: A program that vouches for the people of most tests: `Server(*VOUCHED)`.
APP, APP_SECRET = "tests", "no-secret-at-all-but-long-enough-for-HS256"
VOUCHED = ("--app", f"{APP}:{APP_SECRET}")
_serial = itertools.count(1)


class Refused(Exception):
    """The server did not let somebody in, with this code."""

    def __init__(self, code: str):
        super().__init__(code)
        self.code = code


def sign_in(server: Server, name: str = "") -> dict:
    """Somebody new, without a password."""
    answer = ask_http(server, "POST", "/v1/auth/anonymous", {"name": name} if name else {})
    assert answer.status == 200, answer.text
    return answer.json


def vouch(
    application: str, key: str | Callable[[bytes], bytes], user: str, name: str | None = None, lasts: float = 600, **claims
) -> str:
    """A token for a user of an application, as that application's server would sign it: with its secret, or with what
    signs by its key pair."""

    def part(value: bytes | dict) -> str:
        data = json.dumps(value).encode() if isinstance(value, dict) else value
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    now = time.time()
    header = {"alg": "EdDSA" if callable(key) else "HS256", "typ": "JWT", "kid": application}
    body = {"sub": user, "aud": "parley", "iss": application, "jti": f"{user}-{now}", "iat": int(now), "exp": now + lasts}
    body |= {"name": name} if name else {}
    text = f"{part(header)}.{part(body | claims)}"
    signature = key(text.encode()) if callable(key) else hmac.digest(key.encode(), text.encode(), hashlib.sha256)
    return f"{text}.{part(signature)}"


class Person:
    """Somebody on a line. Events wait in `pending` until the test looks for them."""

    #: How long an answer may take, in seconds.
    answer_timeout = TIMEOUT

    def __init__(
        self, server: Server, name: str = "", *, token: str | None = None, recover: bool = False, link=None,
        headers: dict | None = None, resumes: "Person | None" = None, device: str | None = None,
    ):
        self.server = server
        self.token = token or vouch(APP, APP_SECRET, f"{name or 'somebody'}-{next(_serial)}", name or None)
        self.pending: list[list] = []
        self.offset: str | None = resumes.offset if resumes else None
        self._numbers = itertools.count()
        self._acks: dict[int, list] = {}
        self.is_counted = recover
        self.link = (link or usual_link())(server, "EIO=4", headers)
        self.opening = json.loads(self.link.receive()[1:])
        try:
            self._connect(
                {"token": self.token, "recover": recover} | ({"device": device} if device else {}), resumes)
        except Refused:
            self.link.close()
            raise

    def _connect(self, auth: dict, resumes: "Person | None") -> None:
        if resumes:
            auth |= {"pid": resumes.pid} | ({"offset": resumes.offset} if resumes.offset else {})
        self.link.send("40" + json.dumps(auth))
        packet = self._read(TIMEOUT)
        if packet.kind == Packet.ERROR:
            raise Refused(packet.payload["message"])
        assert packet.kind == Packet.CONNECT, packet
        self.member = packet.payload["sid"]
        self.pid = packet.payload.get("pid")
        self.is_recovered = bool(resumes) and self.pid == resumes.pid
        if not self.is_recovered:
            self.offset = None
            self.welcome = self.expect("welcome")
            self.user, self.name = self.welcome["user"], self.welcome["name"]

    @property
    def _hears_later(self) -> bool:
        """Whether there are nodes that hear a little later of what another has done."""
        return getattr(self.server, "is_of_several", False)

    @classmethod
    def back(cls, old: "Person", *, token: str | None = None, link=None) -> "Person":
        """The same client after its line broke."""
        person = cls(old.server, token=token or old.token, recover=True, link=link, resumes=old)
        if person.is_recovered:
            person.user, person.name, person.welcome = old.user, old.name, old.welcome
        return person

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *_) -> None:
        self.link.close()

    # Speaking.

    def send(self, event: str, *arguments, number: int | None = None) -> None:
        parts: list[bytes] = []
        body = json.dumps(take_parts([event, *arguments], parts), ensure_ascii=False)
        head = f"45{len(parts)}-" if parts else "42"
        packets = [f"{head}{'' if number is None else number}{body}", *parts]
        if isinstance(self.link, PollingLink):
            return self.link.send_all(packets)
        for packet in packets:
            self.link.send(packet)

    def ask(self, event: str, fields: dict | None = None, **more) -> dict:
        """A request and its answer."""
        number = next(self._numbers)
        self.send(event, (fields or {}) | more, number=number)
        return self.answer(number)

    def ask_raw(self, body: str) -> dict:
        """A request whose JSON is the test's own."""
        number = next(self._numbers)
        self.link.send(f"42{number}{body}")
        return self.answer(number)

    def answer(self, number: int, within: float | None = None) -> dict:
        while number not in self._acks:
            self._take(self._read(self.answer_timeout if within is None else within))
        return self._acks.pop(number)[0]

    def error(self, event: str, fields: dict | None = None, **more) -> str | None:
        """The code with which a request is refused."""
        return self.ask(event, fields, **more).get("error", {}).get("code")

    # Listening.

    def _read(self, within: float) -> Packet:
        deadline = time.monotonic() + within
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError("nothing came")
            packet = self.link.receive(left)
            if packet == "2":
                self.link.send("3")
            elif packet == "1":
                raise Closed(None)
            elif packet != "6":
                self.raw = packet
                return Packet.read(packet, lambda: self.link.receive(within))

    def _take(self, packet: Packet) -> None:
        if packet.kind == Packet.EVENT:
            if self.is_counted:
                self.offset = packet.payload.pop()
            self.pending.append(packet.payload)
        elif packet.kind == Packet.ACK:
            self._acks[packet.number] = packet.payload
        elif packet.kind == Packet.DISCONNECT:
            raise Closed(None)
        else:
            raise AssertionError(f"unexpected: {packet}")

    def expect(self, event: str, within: float = TIMEOUT, **fields) -> dict:
        """The next event of that name with these fields; others stay for later."""
        deadline = time.monotonic() + within
        while True:
            for index, (name, *arguments) in enumerate(self.pending):
                if name == event and fields.items() <= arguments[0].items():
                    return self.pending.pop(index)[1]
            left = deadline - time.monotonic()
            if left <= 0:
                raise AssertionError(f"{event} {fields} did not come; what came: {self.pending}")
            try:
                self._take(self._read(left))
            except TimeoutError:
                continue

    def listen(self, seconds: float) -> None:
        """Keeps whatever comes within this time, which may be nothing."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                self._take(self._read(left))
            except TimeoutError:
                return

    def heard(self, event: str, **fields) -> list[dict]:
        """Everything of that name up to now: whatever was on its way is here once an answer has come."""
        self.ask("ice.servers")
        if self._hears_later:
            # Nothing says that nothing more is on its way from another node.
            self.listen(0.3)
        return [a[0] for n, *a in self.pending if n == event and fields.items() <= a[0].items()]

    def wait_for_end(self, within: float = TIMEOUT) -> int | None:
        """Reads until the line is closed, and says with which code."""
        deadline = time.monotonic() + within
        while True:
            try:
                self._take(self._read(max(0.01, deadline - time.monotonic())))
            except Closed as closed:
                if closed.code is not None or not isinstance(self.link, WebSocketLink):
                    return closed.code
                if not self.link.socket.connected:
                    return None
            except TimeoutError as error:
                raise AssertionError(f"still open after {within} s") from error


def post(server: Server, request: str, /, **fields) -> Answer:
    """A request to `/v1/auth/…`."""
    return ask_http(server, "POST", f"/v1/auth/{request}", fields)
