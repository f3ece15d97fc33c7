"""What a row of the list of conversations tells, in Chromium and in Firefox."""

import re

import messenger
from visitors import expect, need_browser


def setUpModule() -> None:
    need_browser()


class ListTests(messenger.MessengerTest):
    def row(self, visitor, name: str):
        return visitor.page.locator("#chat-list li").filter(has_text=name)

    def names(self, visitor) -> list[str]:
        return visitor.page.locator("#chat-list .name").all_inner_texts()

    def arrange(self, visitor, text: str) -> None:
        visitor.page.locator("#chat-title").click()
        visitor.page.get_by_role("dialog").get_by_role("button", name=text, exact=True).click()

    def test_N16_a_row_tells_of_a_draft_until_it_is_sent(self):
        """N16.draft"""
        anna, bo = self.talking()
        self.visitor("Cleo", 2300)
        self.place(anna, "contacts")
        anna.page.locator("#write").fill("I was going to say")
        self.open_chat(anna, "Cleo")
        self.place(anna, "chats")
        expect(self.row(anna, "Bo")).to_contain_text("Draft: I was going to say")
        self.write(anna, "Hello Cleo")
        expect(self.row(anna, "Cleo")).to_contain_text("Hello Cleo")
        anna.page.reload()
        expect(self.row(anna, "Bo")).to_contain_text("Draft: I was going to say")
        self.row(anna, "Bo").get_by_role("button").click()
        expect(anna.page.locator("#write")).to_have_value("I was going to say")
        anna.page.keyboard.press("Enter")
        expect(self.messages(bo).last).to_contain_text("I was going to say")

    def test_N16_a_row_tells_of_presence_and_of_who_types(self):
        """N16.people"""
        anna, bo = self.talking()
        self.place(anna, "chats")
        expect(self.row(anna, "Bo")).to_have_class(re.compile(r"\bonline\b"))
        bo.page.locator("#write").press_sequentially("I am", delay=20)
        expect(self.row(anna, "Bo")).to_contain_text("Bo is typing")
        bo.page.locator("#write").fill("")
        expect(self.row(anna, "Bo")).not_to_contain_text("is typing")
        bo.page.get_by_role("button", name="Disconnect").click()
        expect(self.row(anna, "Bo")).not_to_have_class(re.compile(r"\bonline\b"))

    def test_N16_what_is_pinned_stays_on_top_and_what_is_muted_says_so(self):
        """N16.arranged"""
        anna, bo = self.talking()
        cleo = self.visitor("Cleo", 2300)
        self.place(anna, "contacts")
        self.open_chat(anna, "Cleo")
        self.write(anna, "Hello Cleo")
        self.place(anna, "chats")
        expect(anna.page.locator("#chat-list .name")).to_have_text(["Cleo", "Bo"])
        self.row(anna, "Bo").get_by_role("button").click()
        self.arrange(anna, "Pin to the top")
        expect(anna.page.locator("#chat-list .name")).to_have_text(["Bo", "Cleo"])
        expect(self.row(anna, "Bo").get_by_role("img", name="Pinned")).to_be_visible()
        self.arrange(anna, "Mute conversation")
        expect(self.row(anna, "Bo").get_by_role("img", name="Pinned, Muted")).to_be_visible()
        cleo.page.locator("button[data-place=chats]").click()
        cleo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        self.write(cleo, "Later than the others")
        expect(self.row(anna, "Cleo")).to_contain_text("Later than the others")
        self.assertEqual(self.names(anna), ["Bo", "Cleo"])
        anna.page.reload()
        expect(anna.page.locator("#chat-list .name")).to_have_text(["Bo", "Cleo"])
        self.arrange(anna, "Do not pin any more")
        expect(anna.page.locator("#chat-list .name")).to_have_text(["Cleo", "Bo"])


class FirefoxListTests(ListTests):
    browser = "firefox"
    is_long = True
