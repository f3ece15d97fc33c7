"""The page for everybody: axe finds nothing on any view, in both languages and both themes; and it is used by keyboard alone."""

import json
from importlib.resources import files

from pages import PageTest
from visitors import Visitor, expect, need_browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
NAMES = {"en": ("Anna", "en-GB"), "zh": ("小安", "zh-CN")}


def setUpModule() -> None:
    need_browser()


class AccessibilityTests(PageTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()

    def check(self, visitor: Visitor, view: str) -> None:
        # What slides in is not there yet.
        visitor.page.evaluate("() => Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1).map((a) => a.finished))")
        visitor.page.evaluate(self.axe)
        found = visitor.page.evaluate(f"async () => (await axe.run(document, {json.dumps(RULES)})).violations")
        problems = [f"{one['id']}: {node['html'][:160]} {node['failureSummary'][-160:]}" for one in found for node in one["nodes"]]
        self.assertEqual(problems, [], view)

    def test_N15_axe_finds_nothing_on_any_view_in_both_languages_and_themes(self):
        for language, (name, locale) in NAMES.items():
            for theme in ("light", "dark"):
                with self.subTest(language=language, theme=theme):
                    self.walk(name, locale=locale, color_scheme=theme, reduced_motion="reduce")
                    self.company.go_home()

    def walk(self, name: str, **options) -> None:
        anna = self.company.visitor(self.server, 700, **options)
        expect(anna.page.locator("#welcome-title")).not_to_be_empty()
        self.check(anna, "welcome")
        anna.page.locator("#name").fill(name)
        anna.page.keyboard.press("Enter")
        bo = self.company.visitor(self.server, 1500).enter("Bo")
        row = anna.page.locator("#people li").filter(has_text="Bo").first
        expect(row).to_be_visible()
        self.check(anna, "contacts")
        anna.page.locator("#check-devices").click()
        expect(anna.page.locator(".choices select")).not_to_have_count(0)
        self.check(anna, "the devices")
        anna.page.keyboard.press("Escape")
        row.locator(".row").click()
        for text in ("Good morning, see https://example.org", "A second line"):
            anna.page.locator("#write").fill(text)
            anna.page.keyboard.press("Enter")
        expect(anna.page.locator("#history .message")).to_have_count(2)
        anna.page.locator("button[data-place=chats]").click()
        expect(anna.page.locator("#chat-list li")).to_have_count(1)
        self.check(anna, "a conversation")
        anna.page.locator(".menu-button").last.click(force=True)
        self.check(anna, "the menu of a message")
        anna.page.keyboard.press("Escape")
        anna.page.locator("#emoji").click()
        self.check(anna, "signs and emotions")
        anna.page.keyboard.press("Escape")
        anna.page.locator("#photo").click()
        expect(anna.page.locator("dialog.sheet video")).to_be_visible()
        self.check(anna, "the camera")
        anna.page.keyboard.press("Escape")
        anna.page.locator("#locate").click()
        expect(anna.page.locator("dialog.sheet .map")).to_be_visible()
        self.check(anna, "choosing a place")
        anna.page.keyboard.press("Escape")
        anna.page.locator("#new-group").click()
        self.check(anna, "a new group")
        anna.page.keyboard.press("Escape")
        anna.page.locator("button[data-place=me]").click()
        expect(anna.page.locator("#me-content .card")).not_to_have_count(1)
        self.check(anna, "oneself")
        self.calls(anna, bo, name)

    def calls(self, anna: Visitor, bo: Visitor, name: str) -> None:
        bo.page.locator("#people li").filter(has_text=name).last.locator("[data-kind=audio]").click()
        expect(anna.page.locator("#ring")).to_be_visible()
        self.check(anna, "a call that comes in")
        anna.page.locator("#accept").click()
        anna.talks()
        expect(anna.page.locator("#network")).to_be_visible()
        self.check(anna, "a call")
        anna.page.locator("#stage-more").click()
        self.check(anna, "more in a call")
        anna.page.keyboard.press("Escape")
        anna.page.locator("#hang-up").click()

    def test_N15_messages_are_written_answered_and_found_by_keyboard_alone(self):
        anna, bo = self.pair()
        keys = anna.page.keyboard
        self.tab_to(anna, "[aria-label^='Write to Bo']")
        keys.press("Enter")
        expect(anna.page.locator("#write")).to_be_focused()
        keys.type("Good morning")
        keys.press("Enter")
        expect(anna.page.locator("#history .menu-button")).to_have_count(1)
        self.tab_to(anna, ".menu-button", "Shift+Tab")
        keys.press("Enter")
        expect(anna.page.get_by_role("menuitem", name="React 👍")).to_be_focused()
        keys.press("Enter")
        expect(anna.page.locator(".reactions")).to_contain_text("👍 1")
        self.tab_to(anna, "button[data-place=chats]", "Shift+Tab")
        keys.press("Enter")
        self.tab_to(anna, "#search")
        keys.type("morning")
        expect(anna.page.locator("#found button")).to_have_count(1)

    def tab_to(self, visitor: Visitor, selector: str, key: str = "Tab") -> None:
        for _ in range(60):
            if visitor.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
            visitor.page.keyboard.press(key)
        self.fail(f"{selector} is not reached by {key}")

    def test_N15_what_a_colour_says_has_a_line_where_the_system_has_colours_of_its_own(self):
        anna = self.company.visitor(self.server, 700, forced_colors="active").enter("Anna")
        bo = self.visitor("Bo", 1500)
        self.assertTrue(anna.page.evaluate("() => matchMedia('(forced-colors: active)').matches"))
        anna.page.get_by_role("button", name="Write to Bo").click()
        for text in ("Good morning", "A second line"):
            anna.page.locator("#write").fill(text)
            anna.page.keyboard.press("Enter")
        bo.page.get_by_role("button", name="Write to Anna").click()
        expect(bo.page.locator("#history .message")).to_have_count(2)
        bo.page.locator("#write").fill("Hello")
        bo.page.keyboard.press("Enter")
        expect(anna.page.locator("#history .message")).to_have_count(3)
        anna.page.locator("button[data-place=chats]").click()
        width = "(element, side) => parseFloat(getComputedStyle(element)[side])"
        lines = {selector: anna.page.locator(selector).first.evaluate(width, side) for selector, side in (
            (".message:not(.mine) .bubble", "borderTopWidth"), (".message.mine .bubble", "borderTopWidth"), ("#chat-list .online .face", "outlineWidth"),
            ("#chat-list .row[aria-current=true]", "outlineWidth"), ("button[data-place=chats]", "outlineWidth"))}
        self.assertEqual([selector for selector, line in lines.items() if line < 1], [])
        self.assertGreater(lines[".message.mine .bubble"], lines[".message:not(.mine) .bubble"])
        self.check(anna, "a conversation in forced colours")

    def test_N15_nothing_overflows_on_a_small_phone_or_with_large_text(self):
        anna = self.visitor("Anna Magdalena Wilhelmina", viewport={"width": 320, "height": 568}, has_touch=True)
        self.visitor("Bo with a name of some length")
        overflow = "() => document.documentElement.scrollWidth - innerWidth"
        for size in ("100%", "200%"):
            anna.page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", size)
            for place in ("chats", "contacts", "me"):
                anna.page.locator(f"button[data-place={place}]").click()
                self.assertLessEqual(anna.page.evaluate(overflow), 0, f"{place} at {size}")
            anna.page.locator("button[data-place=contacts]").click()
            anna.page.locator("#people .row").first.click()
            self.assertLessEqual(anna.page.evaluate(overflow), 0, f"a conversation at {size}")
            anna.page.locator("#chat-back").click()
