"""Finding people on the page: among a few, and among more than a list holds."""

import unittest

from messenger import MessengerTest
from visitors import expect, need_browser
from wire import ask_http

# The server's answer as it is where more than 2,000 are online.
CROWD = """
(() => {
  const parse = JSON.parse;
  JSON.parse = (...options) => {
    const value = parse(...options);
    if (Array.isArray(value) && value[0]?.count !== undefined && Array.isArray(value[0].users)) value[0] = { count: 2501, users: [] };
    return value;
  };
})();
"""


def setUpModule() -> None:
    need_browser()


class PeopleTests(MessengerTest):
    def search(self, visitor, text: str):
        self.place(visitor, "chats")
        visitor.page.get_by_label("Search people and messages").fill(text)
        return visitor.page.locator("#found").get_by_role("button")

    def test_C05_somebody_who_is_here_is_found_by_a_part_of_their_name(self):
        """C05.here"""
        anna, bo = self.visitor("Anna"), self.visitor("Bo Lindqvist")
        self.search(anna, "lindq").click()
        self.write(anna, "Found you")
        self.place(bo, "chats")
        expect(bo.page.locator("#chat-list")).to_contain_text("Found you")

    def test_C05_somebody_who_is_not_here_is_found_by_the_name_they_registered_with(self):
        """C05.registered"""
        answer = ask_http(self.server, "POST", "/v1/auth/register", {"userName": "cleo77", "password": "a good password"})
        self.assertEqual(answer.status, 200, answer.text)
        anna = self.visitor("Anna")
        expect(self.search(anna, "cleo7")).to_have_count(0)
        expect(anna.page.locator("#found")).to_have_text("Nothing was found.")
        self.search(anna, "cleo77").click()
        self.write(anna, "Are you there?")
        expect(self.messages(anna)).to_have_count(1)
        self.assertEqual(anna.trouble, [])

    def test_C05_words_that_are_nobodys_name_find_nothing_and_complain_of_nothing(self):
        """C05.registered"""
        anna = self.visitor("Anna")
        for text in ("two words", "@", "x" * 300, "名字"):
            expect(self.search(anna, text)).to_have_count(0)
        expect(anna.page.locator("#notices")).to_be_empty()

    def test_C05_where_too_many_are_here_to_be_listed_the_page_says_how_many(self):
        """C05.many"""
        anna = self.visitor("Anna", scripts=(CROWD,))
        self.place(anna, "contacts")
        expect(anna.page.locator("#nobody")).to_have_text(
            "2500 people are online, too many to list. Search for somebody by name under Chats.")


if __name__ == "__main__":
    unittest.main()
