"""Places on the page: where the device is, those used before, and a pin on a map that the page draws by itself."""

import re

import messenger
from visitors import Visitor, expect, need_browser

# What the device answers, in every browser alike.
HERE = """
Object.defineProperty(navigator, 'geolocation', { value: { getCurrentPosition(found, failed) {
  if (window.refusesPosition) failed({ code: 1 });
  else found({ coords: { latitude: 52.5, longitude: 13.4 } });
} } });
"""
TOWER = "48.85837, 2.29448"


def setUpModule() -> None:
    need_browser()


class PlaceTests(messenger.MessengerTest):
    def pair(self) -> tuple[Visitor, Visitor]:
        return self.visitor("Anna", 700, (HERE,)), self.visitor("Bo", 1500, (HERE,))

    def pick(self, visitor: Visitor):
        visitor.page.locator("#locate").click()
        dialog = visitor.page.locator("dialog.sheet")
        expect(dialog.locator(".map")).to_be_visible()
        return dialog

    def type_tower(self, visitor: Visitor, name: str = "Tower") -> None:
        dialog = self.pick(visitor)
        dialog.get_by_label("Latitude").fill("48.858370")
        dialog.get_by_label("Longitude").fill("2.294480")
        dialog.get_by_label("Name of the place").fill(name)
        dialog.get_by_role("button", name="Send").click()
        expect(dialog).to_have_count(0)

    def test_D10_the_place_of_the_device_is_sent_and_a_refusal_is_said_kindly(self):
        """D10.device D10.refused"""
        anna, bo = self.talking()
        dialog = self.pick(anna)
        anna.page.evaluate("() => { window.refusesPosition = true; }")
        dialog.get_by_role("button", name="Where I am").click()
        expect(dialog.get_by_role("status")).to_contain_text("choose a place on the map")
        dialog.get_by_role("button", name="Send").click()
        expect(dialog).to_be_visible()
        anna.page.evaluate("() => { window.refusesPosition = false; }")
        dialog.get_by_role("button", name="Where I am").click()
        expect(dialog.get_by_label("Latitude")).to_have_value("52.5")
        dialog.get_by_role("button", name="Send").click()
        expect(self.messages(bo).last).to_contain_text("52.50000, 13.40000")

    def test_D10_a_pin_moves_by_click_drag_and_keys(self):
        """D10.pin"""
        anna, bo = self.talking()
        dialog = self.pick(anna)
        pin, latitude = dialog.locator(".map-pin"), dialog.get_by_label("Latitude")
        expect(pin).to_be_hidden()
        box = dialog.locator(".map svg").bounding_box()
        anna.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(pin).to_be_visible()
        clicked = float(latitude.input_value())
        at = pin.bounding_box()
        anna.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        anna.page.mouse.down()
        anna.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2 + 40, steps=4)
        anna.page.mouse.up()
        dragged = float(latitude.input_value())
        self.assertLess(dragged, clicked)
        dialog.locator(".map svg").focus()
        anna.page.keyboard.press("+")
        anna.page.keyboard.press("ArrowUp")
        self.assertGreater(float(latitude.input_value()), dragged)
        self.assertEqual(dialog.locator("image, img").count(), 0)
        dialog.get_by_label("Name of the place").fill("Meeting point")
        dialog.get_by_role("button", name="Send").click()
        expect(self.messages(bo).last).to_contain_text("Meeting point")

    def test_D10_a_place_used_before_is_found_again_until_one_signs_out(self):
        """D10.used"""
        anna, bo = self.talking()
        self.type_tower(anna)
        dialog = self.pick(anna)
        search = dialog.get_by_label("Search places used before")
        search.fill("nowhere")
        expect(dialog.get_by_role("button", name="Tower")).to_have_count(0)
        search.fill("tow")
        expect(dialog.get_by_role("button", name="Tower")).to_be_visible()
        search.press("Enter")
        expect(dialog.get_by_label("Longitude")).to_have_value("2.29448")
        dialog.get_by_role("button", name="Send").click()
        expect(self.messages(bo)).to_have_text([re.compile("Hello Bo"), re.compile("Tower"), re.compile("Tower")])
        anna.page.locator("#sign-out").click()
        self.assertEqual(anna.page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('parley places'))"), [])

    def test_D10_a_place_has_a_page_of_its_own_with_a_link_to_it(self):
        """D10.page"""
        anna, bo = self.talking()
        name = "Tower, 塔/1"
        self.type_tower(anna, name)
        expect(bo.page.locator("#chat-list small")).to_contain_text(f"Location: {name}")
        self.messages(bo).last.get_by_role("link").click()
        dialog = bo.page.locator("dialog.sheet")
        self.is_tower(dialog, name)
        self.assertEqual(dialog.get_by_role("link").get_attribute("href"), "geo:48.85837,2.29448")
        dialog.get_by_role("button", name="How far").click()
        expect(dialog.get_by_role("status")).to_contain_text("880 km from you")
        link = bo.page.url
        self.assertIn("#/position/48.85837,2.29448,", link)
        dialog.get_by_role("button", name="Close").click()
        expect(bo.page).to_have_url(re.compile("#/c/"))
        expect(self.messages(bo)).to_have_count(2)
        anna.page.goto(link)
        self.is_tower(anna.page.locator("dialog.sheet"), name)
        anna.page.reload()
        self.is_tower(anna.page.locator("dialog.sheet"), name)

    def is_tower(self, dialog, name: str) -> None:
        expect(dialog.get_by_role("heading")).to_have_text(name)
        expect(dialog.locator(".coordinates")).to_have_text(TOWER)
        expect(dialog.locator(".map-pin")).to_be_visible()
