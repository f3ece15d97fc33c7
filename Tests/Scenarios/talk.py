"""What tests of conversations begin with."""

from house import House
from people import Person


class Talk(House):
    """What chats have in common."""

    def listener(self, name: str = "", **options) -> Person:
        person = self.person(name, **options)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def device(self, of: Person, **options) -> Person:
        person = super().device(of, **options)
        self.assertNotIn("error", person.ask("chat.sync"))
        return person

    def say(self, person: Person, text: str, **fields) -> dict:
        answer = person.ask("chat.send", {"body": {"text": text}} | fields)
        self.assertNotIn("error", answer)
        return answer

    def texts(self, entries: list[dict]) -> list[str]:
        return [entry["body"]["text"] for entry in entries if entry["type"] == "message"]

    def everything(self, person: Person, conversation: str, page: int = 10) -> list[dict]:
        entries, before = [], None
        while True:
            answer = person.ask("chat.history", {"conversation": conversation, "limit": page} | (
                {"before": before} if before else {}))
            entries = answer["entries"] + entries
            if not answer["more"]:
                return entries
            before = entries[0]["number"]

    def group(self, owner: Person, *others: Person, **fields) -> str:
        answer = owner.ask("chat.create", {"users": [other.user for other in others]} | fields)
        self.assertNotIn("error", answer)
        return answer["conversation"]
