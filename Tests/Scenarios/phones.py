"""What tests of FLSocketIM apps begin with."""

import re

from fl import Phone, account
from house import House

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class Phones(House):
    options = ("--new-users-per-address", "1000")
    serial = 0
    tokens: dict[str, str] = {}

    @classmethod
    def token(cls, name: str) -> str:
        if (key := f"{cls.__name__}/{name}") not in cls.tokens:
            cls.tokens[key] = account(cls.server, name)["data"]["auth_token"]
        return cls.tokens[key]

    def phone(self, name: str, platform: str = "ios", **options) -> Phone:
        phone = Phone(self.server, self.token(name), platform, **options)
        self.addCleanup(phone.close)
        while "40" not in phone.trace:  # before that nobody talks to it
            phone.next()
        if not options.get("stays_polling"):
            phone.heard("")
        return phone
