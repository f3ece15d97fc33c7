"""One server for all tests of a class."""

import unittest

from people import VOUCHED, Person
from server import Server


class House(unittest.TestCase):
    mostly_waits = True
    options: tuple[str, ...] = ()
    testing = False
    environment: dict[str, str] = {}
    server: Server

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(*VOUCHED, *cls.options, testing=cls.testing, environment=cls.environment)
        cls.addClassCleanup(cls.server.__exit__)

    def person(self, name: str = "", **options) -> Person:
        person = Person(self.server, name, **options)
        self.addCleanup(person.link.close)
        return person

    def device(self, of: Person, **options) -> Person:
        """One more line of the same user."""
        return self.person(token=of.token, **options)

    def back(self, old: Person, **options) -> Person:
        person = Person.back(old, **options)
        self.addCleanup(person.link.close)
        return person
