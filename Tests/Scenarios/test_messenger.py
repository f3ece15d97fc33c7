"""People write to each other on the page that the server brings along."""

import re
import signal

from messenger import LISTENING, MessengerTest
from server import eventually, of_one_process
from test_messenger_history import HeldAnswer, LateAnswers
from visitors import Visitor, expect, need_browser

# The times of messages are the server's; what the page makes of them is asked of its own modules.
LABELS = """
async ([now, times]) => {
  const { dayLabel, listTime, isSameHour } = await import('./page-time.js');
  return times.map((time) => [dayLabel(time, now), listTime(time, now), isSameHour(time, now)]);
}
"""
BUBBLES = """
() => [...document.querySelectorAll('#history .bubble')].map((bubble) =>
  [bubble.getBoundingClientRect().right, getComputedStyle(bubble).backgroundColor])
"""
DAY = 86_400_000
HOUR = 3_600_000
NOON = 1_795_262_400_000


def setUpModule() -> None:
    need_browser()


class WritingTests(MessengerTest):
    def test_N03_N06_N10_two_write_to_each_other(self):
        anna, bo = self.talking()
        self.assertEqual(anna.page.locator("#write").input_value(), "")
        self.write(bo, "Hello Anna")
        expect(self.messages(anna)).to_have_text([re.compile("Hello Bo"), re.compile("Hello Anna")])
        (mine, my_color), (theirs, their_color) = anna.page.evaluate(BUBBLES)
        self.assertGreater(mine, theirs)
        red, green, blue = self.color(my_color)
        self.assertGreater(blue, red + 50)
        red, green, blue = self.color(their_color)
        self.assertLess(max(red, green, blue) - min(red, green, blue), 16)

    def color(self, text: str) -> list[int]:
        return [int(number) for number in re.findall(r"\d+", text)[:3]]

    def test_N10_what_is_said_while_a_new_conversation_opens_is_all_there(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        lines = [f"line {number}" for number in range(6)]
        for line in lines:
            self.write(anna, line)
        expect(self.messages(anna)).to_contain_text(lines)
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(self.messages(bo)).to_contain_text(lines)
        self.write(bo, "heard")
        expect(self.messages(anna)).to_contain_text([*lines, "heard"])

    @of_one_process
    def test_N10_what_is_said_is_in_order_however_late_a_new_conversation_is_known(self):
        anna, bo = self.pair()
        late = LateAnswers(anna.page, "chat.conversation", "chat.entry")
        anna.page.reload()
        anna.is_in_lobby()
        self.open_chat(anna, "Bo")
        lines = [f"line {number}" for number in range(6)]
        for line in lines:
            self.write(anna, line)
        expect(self.messages(anna)).to_contain_text(lines)
        self.assertGreater(len(late.asked), 0)
        numbers = "() => [...document.querySelectorAll('#history .message')].map((row) => Number(row.dataset.number))"
        # The last may still be on its way.
        eventually(lambda: anna.page.evaluate(numbers) == list(range(1, 7)), "all are there, in order")

    def test_N10_who_has_gone_elsewhere_stays_there_when_the_conversation_begins(self):
        anna, bo = self.pair()
        self.place(bo, "chats")
        self.open_chat(anna, "Bo")
        self.server.tell(signal.SIGSTOP)
        self.write(anna, "Hello Bo")
        self.place(anna, "me")
        self.server.tell(signal.SIGCONT)
        expect(bo.page.locator("#chat-list").get_by_role("button", name="Anna")).to_contain_text("Hello Bo")
        expect(anna.page.locator("#chat-list").get_by_role("button", name="Bo", include_hidden=True)).to_contain_text("Hello Bo")
        expect(anna.page.locator("body")).to_have_attribute("data-place", "me")

    def test_N10_a_message_is_sent_delivered_and_read(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        self.write(anna, "Are you there?")
        fate = self.messages(anna).get_by_role("img")
        expect(fate).to_have_attribute("aria-label", "Delivered")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(fate).to_have_attribute("aria-label", "Read")

    def test_E02_E03_unread_messages_are_counted_until_they_are_seen(self):
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        for text in ("one", "two", "three"):
            self.write(anna, text)
        expect(bo.page.locator("#chats-badge")).to_have_text("3")
        self.assertTrue(bo.page.title().startswith("(3) "))
        self.place(bo, "chats")
        row = bo.page.locator("#chat-list li")
        expect(row.locator(".count")).to_have_text("3")
        expect(row.locator("small")).to_have_text("three")
        row.get_by_role("button").click()
        expect(bo.page.locator("#chats-badge")).to_have_text("")
        self.write(anna, "four")
        expect(self.messages(bo)).to_have_count(4)
        expect(row.locator(".count")).to_have_text("")

    def test_N04_the_input_grows_with_its_text_between_limits(self):
        anna, _ = self.talking()
        height = lambda: anna.page.locator("#write").bounding_box()["height"]
        one = height()
        anna.page.locator("#write").fill("a\nb\nc")
        self.assertGreater(height(), one + 20)
        anna.page.locator("#write").fill("a\n" * 60)
        self.assertLess(height(), 260)

    def test_D17_D18_messages_are_edited_answered_forwarded_and_taken_back(self):
        anna, bo = self.talking()
        self.menu(anna, "Hello Bo", "Edit")
        self.write(anna, "Good morning Bo")
        expect(self.messages(bo)).to_contain_text(["Good morning Bo"])
        expect(self.messages(bo).first).to_contain_text("edited")
        self.menu(bo, "Good morning", "Reply")
        self.write(bo, "Good morning Anna")
        expect(self.messages(anna).last.locator(".quote")).to_contain_text("Good morning Bo")
        self.menu(anna, "Good morning Anna", "React 👍")
        expect(self.messages(bo).last.locator(".reactions")).to_contain_text("👍 1")
        self.messages(bo).last.locator(".reactions button").click()
        expect(self.messages(anna).last.locator(".reactions")).to_contain_text("👍 2")
        self.menu(anna, "Good morning Bo", "Take back")
        expect(self.messages(bo).first).to_have_text(re.compile("Anna took back a message"))
        expect(bo.page.get_by_text("Good morning Bo")).to_have_count(0)

    def test_D18_the_text_of_a_message_is_copied_from_its_menu(self):
        """D18.copy D18.menu"""
        anna, bo = self.talking()
        bo.page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        self.menu(bo, "Hello Bo", "Copy text")
        self.assertEqual(bo.page.evaluate("window.copied"), "Hello Bo")

    def test_D15_a_message_of_a_kind_nobody_knows_is_said_kindly(self):
        anna, bo = self.talking()
        anna.page.evaluate("""async () => {
          const { Parley } = await import('./parley.js');
          const parley = new Parley();
          await parley.signIn();
          const { conversations } = await parley.request('chat.conversations');
          await parley.request('chat.send', { conversation: conversations[0].conversation, kind: 'hologram', body: { x: 1 } });
          parley.close();
        }""")
        expect(self.messages(bo).last).to_contain_text("newer version")

    def test_N05_a_keyboard_that_opens_covers_nothing(self):
        anna, _ = self.talking()
        for number in range(12):
            self.write(anna, f"line {number}")
        expect(self.messages(anna).last).to_contain_text("line 11")
        anna.page.set_viewport_size({"width": 390, "height": 360})
        expect(self.messages(anna).last).to_be_in_viewport()
        expect(anna.page.locator("#write")).to_be_in_viewport()

    def test_N14_rows_keep_their_place_and_the_focus_when_others_come_and_go(self):
        anna, bo = self.talking()
        self.place(bo, "contacts")
        row = bo.page.locator("#people .row").first
        row.focus()
        cleo = self.visitor("Aaron")
        expect(bo.page.locator("#people li")).to_have_count(2)
        self.assertTrue(bo.page.evaluate("() => document.activeElement.matches('[aria-label^=\"Write to Anna\"]')"))
        cleo.context.close()
        self.company.visitors.remove(cleo)
        expect(bo.page.locator("#people li.offline")).to_have_count(1)
        self.assertTrue(bo.page.evaluate("() => document.activeElement.matches('[aria-label^=\"Write to Anna\"]')"))

    def test_N09_new_rows_slide_in_unless_motion_is_unwelcome(self):
        anna, bo = self.talking()
        moving = "() => document.querySelector('#history .new') && getComputedStyle(document.querySelector('#history .new')).animationName"
        self.write(bo, "one more")
        expect(self.messages(anna)).to_have_count(2)
        self.assertEqual(anna.page.evaluate(moving), "rise")
        anna.page.emulate_media(reduced_motion="reduce")
        self.assertEqual(anna.page.evaluate(moving), "none")

    def test_G01_G02_who_types_is_seen_typing(self):
        anna, bo = self.talking()
        anna.page.locator("#write").press_sequentially("hm")
        expect(bo.page.locator("#chat-status")).to_have_text("Anna is typing…")
        anna.page.locator("#write").fill("")
        expect(bo.page.locator("#chat-status")).to_have_text("online")

    def test_N01_N02_times_are_told_as_people_tell_them(self):
        anna = self.visitor("Anna", timezone_id="UTC", locale="en-GB")
        times = [NOON, NOON - HOUR, NOON - DAY, NOON - 3 * DAY, NOON - 40 * DAY]
        labels = anna.page.evaluate(LABELS, [NOON, times])
        self.assertEqual([label for label, _, _ in labels], [
            "Today, 12:00", "Today, 11:00", "Yesterday, 12:00", "18 November 2026, 12:00", "12 October 2026, 12:00"])
        self.assertEqual([short for _, short, _ in labels], ["12:00", "11:00", "Yesterday", "Wednesday", "12/10/26"])
        self.assertEqual([same for _, _, same in labels], [True, False, False, False, False])

    def test_N08_a_message_is_heard_when_it_is_sent_and_when_it_comes(self):
        anna, bo = self.visitor("Anna", scripts=(LISTENING,)), self.visitor("Bo", scripts=(LISTENING,))
        self.open_chat(anna, "Bo")
        self.write(anna, "Hello Bo")
        eventually(lambda: anna.page.evaluate("window.tones") == [520], "one tone for what was sent")
        eventually(lambda: bo.page.evaluate("window.tones") == [740, 880], "two for what came")

    def test_N12_a_row_shows_that_it_is_being_sent(self):
        anna, _ = self.talking()
        self.server.tell(signal.SIGSTOP)
        self.write(anna, "on its way")
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", "Sending…")
        self.server.tell(signal.SIGCONT)
        expect(self.messages(anna).last.get_by_role("img")).to_have_attribute("aria-label", re.compile("Sent|Delivered|Read"))

    def test_N11_the_three_places_by_click_and_by_keyboard(self):
        anna, _ = self.pair()
        for name, title in (("chats", "#chats-title"), ("contacts", "#people-title"), ("me", "#me-title")):
            self.place(anna, name)
            expect(anna.page.locator(title)).to_be_visible()
            self.assertTrue(anna.page.url.endswith(f"#/{name}"))
        anna.page.bring_to_front()
        anna.page.locator("button[data-place=chats]").focus()
        anna.page.keyboard.press("Enter")
        expect(anna.page.locator("#chats-title")).to_be_visible()
        anna.page.go_back()
        expect(anna.page.locator("#me-title")).to_be_visible()


class ArchiveTests(MessengerTest):
    def rows(self, page):
        return page.locator("#chat-list li")

    def test_E16_what_is_put_away_is_away_on_every_tab_and_comes_back_with_a_message(self):
        """E16.devices E16.back"""
        anna, bo = self.talking()
        other = bo.tab(bo.page.url.split("#")[0])
        expect(self.rows(other)).to_have_count(1)
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Archive conversation").click()
        expect(bo.page.locator("#conversation")).to_be_hidden()
        for page in (bo.page, other):
            expect(self.rows(page)).to_have_count(0)
            expect(page.locator("#archive")).to_have_text("Archived (1)")
        expect(self.rows(anna.page)).to_have_count(1)
        bo.page.reload()
        expect(bo.page.locator("#archive")).to_have_text("Archived (1)")
        expect(self.rows(bo.page)).to_have_count(0)
        self.write(anna, "Are you still there?")
        for page in (bo.page, other):
            expect(self.rows(page).locator(".count")).to_have_text("1")
            expect(page.locator("#archive")).to_be_hidden()

    def test_E15_a_conversation_stays_muted_although_the_list_was_read_before(self):
        anna, bo = self.talking()
        held = HeldAnswer(bo.page, "chat.conversations")
        bo.page.reload()
        eventually(lambda: bo.page.evaluate("true") and held.answer, "the list was read")
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Mute conversation").click()
        expect(self.rows(bo.page)).to_have_class(re.compile("muted"))
        held.release()
        # What comes now is behind the list.
        self.write(anna, "psst")
        expect(self.messages(bo)).to_contain_text(["Hello Bo", "psst"])
        expect(self.rows(bo.page)).to_have_class(re.compile("muted"))

    def test_E16_the_archive_is_looked_through_and_gives_back(self):
        """E16.kept"""
        _, bo = self.talking()
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Archive conversation").click()
        bo.page.locator("#archive").click()
        expect(bo.page.locator("#chats-title")).to_have_text("Archived")
        bo.page.locator("#archive").click()
        expect(self.rows(bo.page)).to_have_count(0)
        bo.page.locator("#archive").click()
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        bo.page.locator("#chat-title").click()
        bo.page.get_by_role("button", name="Back into the list").click()
        expect(bo.page.locator("#chats-title")).to_have_text("Chats")
        expect(bo.page.locator("#archive")).to_be_hidden()
        expect(self.rows(bo.page)).to_have_count(1)


class LanguageTests(MessengerTest):
    def test_every_text_of_the_page_is_there_in_chinese(self):
        bo = self.company.visitor(self.server, locale="zh-CN")
        expect(bo.page.locator("html")).to_have_attribute("lang", "zh-CN")
        tables = bo.page.evaluate("""async () => {
          const { en } = await import('./page-texts-en.js');
          const { zh } = await import('./page-texts-zh.js');
          const keys = (table) => Object.entries(table).flatMap(([key, value]) => (typeof value === 'object' ? keys(value).map((k) => `${key}.${k}`) : [key]));
          return [keys(en).sort(), keys(zh).sort()];
        }""")
        self.assertEqual(tables[0], tables[1])
        bo.page.locator("#name").fill("小波")
        bo.page.keyboard.press("Enter")
        expect(bo.page.locator("#people-title")).to_have_text("谁在这里")
        self.place(bo, "me")
        bo.page.get_by_label("语言").select_option("en")
        expect(bo.page.locator("#me-title")).to_have_text("Me")

    def test_a_password_account_is_made_and_comes_back_elsewhere(self):
        anna = self.company.visitor(self.server)
        self.fill_account(anna, "Create account")
        expect(anna.page.locator("#my-name")).to_have_text("anna7")
        again = self.company.visitor(self.server)
        self.fill_account(again, "Sign in")
        expect(again.page.locator("#my-name")).to_have_text("anna7")
        self.place(again, "me")
        expect(again.page.get_by_text("this one")).to_be_visible()
        self.assertEqual(again.page.evaluate("() => JSON.parse(Object.values(localStorage)[0]).user"),
                         anna.page.evaluate("() => JSON.parse(Object.values(localStorage)[0]).user"))

    def fill_account(self, visitor: Visitor, button: str) -> None:
        visitor.page.get_by_text("I have a password").click()
        visitor.page.get_by_label("User name").fill("anna7")
        visitor.page.locator("#account").get_by_label("Password", exact=True).fill("correct horse 7")
        visitor.page.get_by_role("button", name=button).click()
