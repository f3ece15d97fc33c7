"""What a message of words looks like, in Chromium and in Firefox."""

import messenger
from visitors import Visitor, expect, need_browser

HEBREW = "שלום מכולם"
# A group with everybody who is here.
GROUP = """
async () => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  const users = [...document.querySelectorAll('#people li')].map(({ dataset }) => dataset.user).filter((user) => user !== parley.user);
  await parley.request('chat.create', { kind: 'group', title: 'Tea', users });
  parley.close();
}
"""


def setUpModule() -> None:
    need_browser()


class WordTests(messenger.MessengerTest):
    def together(self) -> tuple[Visitor, Visitor]:
        """Two in a group."""
        anna, bo = self.pair()
        expect(anna.page.locator("#people li")).to_have_count(1)
        anna.page.evaluate(GROUP)
        for visitor in (anna, bo):
            self.place(visitor, "chats")
            visitor.page.locator("#chat-list").get_by_role("button", name="Tea").click()
            expect(visitor.page.locator("#chat-status")).to_contain_text("2")
        anna.page.wait_for_function("() => document.querySelectorAll('#history li').length > 0")
        return anna, bo

    def test_N17_an_address_is_a_link_and_the_end_of_its_sentence_is_not_in_it(self):
        """N17.links"""
        anna, bo = self.talking()
        self.write(anna, "See https://example.org/plan?day=1, <b>and</b> javascript:alert(1).")
        link = self.messages(bo).last.get_by_role("link")
        expect(link).to_have_count(1)
        expect(link).to_have_attribute("href", "https://example.org/plan?day=1")
        expect(link).to_have_attribute("rel", "noopener noreferrer")
        expect(self.messages(bo).last.locator(".text")).to_have_text("See https://example.org/plan?day=1, <b>and</b> javascript:alert(1).")

    def test_N17_who_is_mentioned_stands_out_and_nobody_else_does(self):
        """N17.mentions"""
        anna, bo = self.together()
        self.write(anna, "@Bo and @Nobody, and mail to a@Bo.example")
        expect(self.messages(bo).last.locator(".mention")).to_have_text(["@Bo"])
        expect(self.messages(anna).last.locator(".mention")).to_have_text(["@Bo"])

    def test_N17_a_long_text_is_folded_until_it_is_opened(self):
        """N17.long"""
        anna, bo = self.together()
        self.write(anna, f"{'word ' * 400}the end, @Bo")
        message = self.messages(bo).last
        expect(message).to_contain_text("word word")
        expect(message).not_to_contain_text("the end")
        message.get_by_role("button", name="Show all").click()
        expect(message).to_contain_text("the end")
        expect(message.locator(".mention")).to_have_text(["@Bo"])
        expect(message.get_by_role("button", name="Show all")).to_have_count(0)

    def test_N18_a_name_that_is_written_from_right_to_left_stays_whole_among_others(self):
        anna, other = self.visitor("Anna", 700), self.visitor(HEBREW, 1500)
        self.open_chat(anna, HEBREW)
        self.write(anna, f"{HEBREW}!")
        self.place(other, "chats")
        row = other.page.locator("#chat-list li").first
        expect(row).to_contain_text("Anna")
        row.get_by_role("button").click()
        self.write(other, "left to right")
        direction = "(element) => getComputedStyle(element).direction"
        for element, wanted in ((anna.page.locator("#chat-name"), "rtl"), (self.messages(anna).first.locator(".text"), "rtl"),
                                (self.messages(anna).last.locator(".text"), "ltr"), (anna.page.locator("#chat-list .name").first, "rtl")):
            self.assertEqual(element.evaluate(direction), wanted)
        # The clock beside it stays where it is for everybody.
        self.place(anna, "chats")
        order = anna.page.locator("#chat-list li").first.evaluate(
            "(row) => row.querySelector('.name').getBoundingClientRect().left < row.querySelector('time').getBoundingClientRect().left")
        self.assertTrue(order)


class FirefoxWordTests(WordTests):
    browser = "firefox"
    is_long = True
