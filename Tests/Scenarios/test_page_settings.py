"""What a user chooses for themselves on the page, and who may do what in a group; in Chromium and in Firefox."""

import re

import messenger
from messenger import LISTENING
from visitors import expect, need_browser


def setUpModule() -> None:
    need_browser()


class SettingTests(messenger.MessengerTest):
    def test_N19_language_colours_and_sounds_are_chosen_and_stay(self):
        anna = self.visitor("Anna", 700, (LISTENING,))
        bo = self.visitor("Bo", 1500)
        ground = "() => getComputedStyle(document.body).backgroundColor"
        self.place(anna, "me")
        light = anna.page.evaluate(ground)
        anna.page.get_by_label("Colours").select_option("dark")
        self.assertNotEqual(anna.page.evaluate(ground), light)
        dark = anna.page.evaluate(ground)
        anna.page.get_by_label("Sounds").uncheck()
        anna.page.get_by_label("Language").select_option("zh")
        expect(anna.page.locator("button[data-place=chats]")).to_have_text("消息")
        self.assertEqual(anna.page.evaluate("() => document.documentElement.lang"), "zh-CN")
        self.assertEqual(anna.page.evaluate(ground), dark)
        self.open_chat(bo, "Anna")
        self.write(bo, "Do you hear me?")
        self.place(anna, "chats")
        expect(anna.page.locator("#chat-list li")).to_contain_text("Do you hear me?")
        self.assertEqual(anna.page.evaluate("window.tones"), [])


class RoleTests(messenger.MessengerTest):
    def member(self, visitor, name: str):
        return visitor.page.get_by_role("dialog").get_by_role("listitem").filter(has_text=name)

    def test_F17_who_leads_a_group_makes_others_lead_and_sends_members_away(self):
        anna, bo, cleo = self.visitor("Anna", 700), self.visitor("Bo", 1500), self.visitor("Cleo", 2300)
        self.place(anna, "chats")
        anna.page.get_by_role("button", name="New group").click()
        anna.page.get_by_label("Group name").fill("Tea club")
        for name in ("Bo", "Cleo"):
            anna.page.get_by_role("checkbox", name=name).check()
        anna.page.get_by_role("button", name="Create").click()
        expect(anna.page.locator("#chat-status")).to_have_text("3 members")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Tea club").click()
        bo.page.locator("#chat-title").click()
        expect(self.member(bo, "Anna")).to_contain_text("owner")
        expect(bo.page.get_by_role("dialog").get_by_role("button", name=re.compile("Remove|Make|Rename"))).to_have_count(0)
        bo.page.keyboard.press("Escape")
        anna.page.locator("#chat-title").click()
        anna.page.get_by_role("dialog").get_by_role("button", name="Make Bo admin").click()
        expect(bo.page.locator(".happening").last).to_contain_text("admin")
        bo.page.locator("#chat-title").click()
        expect(self.member(bo, "You")).to_contain_text("admin")
        bo.page.get_by_role("dialog").get_by_role("button", name="Remove Cleo").click()
        self.place(cleo, "chats")
        expect(cleo.page.locator("#chat-list li")).to_contain_text("Bo removed You")
        expect(anna.page.locator("#chat-status")).to_have_text("2 members")
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("dialog").get_by_role("button", name="Rename").click()
        bo.page.get_by_label("Group name").fill("Coffee club")
        bo.page.get_by_role("button", name="Save").click()
        expect(anna.page.locator("#chat-name")).to_have_text("Coffee club")


class FirefoxSettingTests(SettingTests):
    browser = "firefox"
    is_long = True


class FirefoxRoleTests(RoleTests):
    browser = "firefox"
    is_long = True
