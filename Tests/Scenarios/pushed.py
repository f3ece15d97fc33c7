"""What tests of devices that sleep begin with."""

from people import Person
from push_service import Device, PushService
from server import eventually
from talk import Talk
from wire import ask_http


class Pushed(Talk):
    service: PushService

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = PushService()
        cls.addClassCleanup(cls.service.close)
        cls.options = ("--outgoing-allow", "127.0.0.0/8", *cls.more)
        super().setUpClass()
        cls.service.key = ask_http(cls.server, "GET", "/v1/push", headers=bearer(cls.token_of_somebody())).json["publicKey"]

    more: tuple[str, ...] = ()

    @classmethod
    def token_of_somebody(cls) -> str:
        with Person(cls.server) as person:
            return person.token

    def tearDown(self) -> None:
        self.assertEqual(self.service.faults, [])

    def subscribe(self, person: Person, device: Device, name: str = "phone", **more) -> None:
        answer = ask_http(
            self.server, "PUT", f"/v1/push/devices/{name}", device.subscription | {"language": "zh-CN"} | more, bearer(person.token))
        self.assertEqual(answer.status, 200, answer.body)

    def sleeper(self, name: str = "Bob") -> tuple[Person, Device]:
        """Somebody who is not there, and their device."""
        person, device = self.person(name), self.service.device()
        self.subscribe(person, device)
        person.link.close()
        eventually(lambda: not self.is_online(person), "they are gone")
        return person, device

    def is_online(self, person: Person) -> bool:
        watcher = self.person("Watcher")
        try:
            return watcher.ask("presence.watch", users=[person.user])["users"][0]["online"]
        finally:
            watcher.link.close()

    def is_known(self, person: Person) -> None:
        """To every node: behind a balancer each of these asks another one."""
        for _ in range(3):
            self.server.shows(lambda: self.is_online(person), f"{person.user} is online")

    def devices(self, person: Person) -> list[dict]:
        return ask_http(self.server, "GET", "/v1/push/devices", headers=bearer(person.token)).json["devices"]

    def steps(self, person: Person, **query) -> list[dict]:
        query = "&".join(f"{name}={value}" for name, value in query.items())
        return ask_http(self.server, "GET", f"/v1/push/trace?{query}", headers=bearer(person.token)).json["events"]

    def told(self, person: Person, *events: str, **query) -> list[dict]:
        eventually(lambda: [step["event"] for step in self.steps(person, **query)] == list(events), f"the trace says {events}")
        return self.steps(person, **query)

    def wait_for(self, device: Device, count: int = 1, within: float = 5) -> list[dict]:
        eventually(lambda: len(device.pushes) >= count, f"{count} pushes came", within=within)
        return [push.message for push in device.pushes]


def bearer(token: str) -> dict:
    return {"Authorization": f"Bearer {token}"}
