"""Several servers over one PostgreSQL: what one of them counts or decides about a user holds on all."""

import unittest

from people import Person, Refused
from rongcloud_program import Program, signed
from server import eventually
from test_moderation import ask_admin
from test_nodes import Nodes
from test_nodes_requests import Addressed
from wire import ask_http

PASSWORD = "correct horse battery"


class Words(Nodes):
    def test_Y14_a_word_that_is_refused_on_one_node_is_refused_on_all(self):
        """Y14.words"""
        a, b = self.person(0, "A"), self.person(1, "B")
        self.assertEqual(ask_admin(self.nodes[0], "PUT", "/v1/rules?word=cat&action=refuse").status, 200)

        def is_refused(person: Person, other: Person) -> bool:
            return person.error("chat.send", user=other.user, body={"text": "a cat"}) == "forbidden"

        eventually(lambda: is_refused(a, b) and is_refused(b, a), "both nodes refuse it")
        self.assertEqual(ask_admin(self.nodes[1], "DELETE", "/v1/rules?word=cat").status, 200)
        eventually(lambda: not is_refused(a, b), "the first node takes it again")


class Programs(Program, Addressed):
    @property
    def options(self) -> tuple[str, ...]:
        return self.options_of_door()

    def test_Y14_a_signed_request_counts_once_on_all_nodes(self):
        """Y14.signed"""
        def answered(headers: dict) -> list[int]:
            found = []
            for self.server in self.nodes:
                answer = self.post("user/getToken", {"userId": "x", "name": "X"}, headers)
                found.append((answer.status, answer.json.get("code")))
            self.assertLessEqual([status for status, _ in found].count(200), 1, found)
            return found

        # Until all know who has the duty, one may ask to be asked again; none answers by itself.
        eventually(lambda: sorted(answered(signed())) == [(200, 200), (401, 1004), (401, 1004)], "it counts once")

    def test_Y14_a_node_that_has_just_met_the_others_answers_no_signed_request_by_itself(self):
        """Y14.signed"""
        duty = self.duty()
        newcomer = self.nodes[(duty + 1) % 3]
        newcomer.restart()
        while len(self.listed(newcomer)) < 2:
            pass
        headers, statuses = signed(), []
        for self.server in (self.nodes[duty], newcomer):
            statuses.append(self.post("user/getToken", {"userId": "x", "name": "X"}, headers).status)
        self.assertEqual(statuses[0], 200)
        self.assertIn(statuses[1], (401, 503))


class Guessing(Nodes):
    options = ("--new-users-per-address", "6")

    def log_in(self, node: int, password: str) -> int:
        return ask_http(self.nodes[node], "POST", "/v1/auth/login", {"userName": "guessed", "password": password}).status

    def test_Y14_wrong_passwords_count_on_all_nodes(self):
        """Y14.passwords"""
        self.assertEqual(
            ask_http(self.nodes[0], "POST", "/v1/auth/register", {"userName": "guessed", "password": PASSWORD}).status, 200)
        for number in range(5):
            self.assertEqual(self.log_in(number % 2, "wrong password"), 401)
        eventually(lambda: self.log_in(0, "wrong password") == 429, "the first node waits")
        eventually(lambda: self.log_in(1, "wrong password") == 429, "the second node waits")

    def test_Y14_new_accounts_of_one_address_count_on_all_nodes(self):
        """Y14.accounts"""

        def begin(node: int) -> int:
            return ask_http(self.nodes[node], "POST", "/v1/auth/anonymous", {}).status

        for number in range(6):
            self.assertEqual(begin(number % 2), 200)
        eventually(lambda: begin(0) == 429, "the first node waits")
        eventually(lambda: begin(1) == 429, "the second node waits")

    def test_Y14_what_a_device_archives_the_device_on_another_node_sees(self):
        """Y14.arranged"""
        a, b = self.person(0, "A"), self.person(1, "B")
        tablet = self.enterContext(Person(self.nodes[1], token=a.token))
        tablet.ask("chat.sync")
        place = a.ask("chat.send", user=b.user, body={"text": "hello"})["conversation"]
        tablet.expect("chat.entry", conversation=place)
        self.assertEqual(a.ask("chat.archive", conversation=place, archived=True), {})
        self.assertEqual(tablet.expect("chat.arranged"), {"conversation": place, "archived": True})
        self.assertEqual(b.heard("chat.arranged"), [])


    def test_Y14_what_is_set_for_a_conversation_members_on_another_node_hear(self):
        """Y14.settings"""
        a, b = self.person(0, "A"), self.person(1, "B")
        for person in (a, b):
            person.ask("chat.sync")
        place = a.ask("chat.create", kind="group", users=[b.user], title="Plaza")["conversation"]
        b.expect("chat.entry", conversation=place)
        self.assertEqual(a.ask("chat.slow", conversation=place, seconds=30), {})
        for person in (a, b):
            self.assertEqual(person.expect("chat.settings"), {"conversation": place, "slowSeconds": 30})


class Replacing(Nodes):
    options = ("--second-sign-in", "replace")

    def test_Y14_the_later_device_takes_the_place_of_one_on_another_node(self):
        """Y14.replace"""
        first = self.person(0, "A")
        second = self.enterContext(Person(self.nodes[1], token=first.token))
        self.assertEqual(first.expect("session.ending")["error"]["code"], "kicked")
        first.wait_for_end()
        self.assertNotIn("error", second.ask("ice.servers"))


class Refusing(Nodes):
    options = ("--second-sign-in", "refuse")

    def test_Y14_a_second_device_is_refused_by_another_node_as_well(self):
        """Y14.refuse"""
        first = self.person(0, "A")
        other = self.person(1, "B")
        other.ask("presence.watch", users=[first.user])
        with self.assertRaises(Refused) as refused:
            Person(self.nodes[1], token=first.token)
        self.assertEqual(refused.exception.code, "conflict")
        self.assertNotIn("error", first.ask("ice.servers"))


if __name__ == "__main__":
    unittest.main()
