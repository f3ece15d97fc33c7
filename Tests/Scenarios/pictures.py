"""A small scene on the page, for the pictures in the documents: `pictures.py FOLDER` (see Scripts/pictures)."""

import base64
import sys
import tempfile
from pathlib import Path

from people import VOUCHED
from server import Server
from visitors import Company, Visitor, expect

DESK = {"viewport": {"width": 1180, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 780}, "has_touch": True, "device_scale_factor": 1}
TALK = [
    ("Bo", "Good morning! Is the tea kitchen free at ten?"),
    ("Anna", "It is. I will bring the oolong 🍵"),
    ("Bo", "Perfect. The plan for the week: https://example.org/plan"),
    ("Anna", "Read it, looks good. Call me when you are there."),
]


def main(folder: Path) -> None:
    company, server = Company(), Server(*VOUCHED, testing=False)
    try:
        play(company, server, folder)
    finally:
        company.close()
        server.__exit__()


def play(company: Company, server: Server, folder: Path) -> None:
    anna = company.visitor(server, 440, reduced_motion="reduce", color_scheme="light", locale="en-GB", **DESK).enter("Anna")
    bo = company.visitor(server, 880, reduced_motion="reduce", color_scheme="dark", locale="zh-CN", **PHONE)
    bo.page.locator("#name").fill("Bo")
    bo.page.keyboard.press("Enter")
    for name in ("Cleo", "Dora"):
        company.visitor(server).enter(name)
    expect(anna.page.locator("#people li")).to_have_count(3)
    snap(anna, folder, "contacts")
    group(anna, "Tea club", "Welcome, all of you")
    anna.page.locator("button[data-place=contacts]").click()
    anna.page.locator("#people").get_by_role("button", name="Write to Bo").click()
    bo.page.locator("#people .row", has_text="Anna").click()
    for name, text in TALK:
        say({"Anna": anna, "Bo": bo}[name], text)
        expect(anna.page.locator("#history")).to_contain_text(text)
    with tempfile.TemporaryDirectory() as place:
        bo.page.locator("#files").set_input_files(picture(bo, Path(place, "kitchen.png")))
        expect(anna.page.locator("#history .picture img")).to_be_visible()
    react(anna)
    anna.page.locator("button[data-place=chats]").click()
    anna.page.mouse.move(0, 0)
    snap(anna, folder, "chats")
    snap(bo, folder, "chats-phone-dark-chinese")
    bo.page.locator("#chat-back").click()
    bo.page.locator("button[data-place=chats]").click()
    snap(bo, folder, "list-phone-dark-chinese")
    anna.page.locator("button[data-place=me]").click()
    expect(anna.page.locator("#me-content .card")).not_to_have_count(1)
    snap(anna, folder, "me")
    anna.page.locator("#chat-video").click()
    bo.page.locator("#accept").click()
    anna.talks()
    anna.page.wait_for_function("() => [...document.querySelectorAll('.tile video')].every((video) => video.videoWidth > 0)")
    snap(anna, folder, "call")


def group(visitor: Visitor, title: str, text: str) -> None:
    visitor.page.locator("button[data-place=chats]").click()
    visitor.page.locator("#new-group").click()
    visitor.page.get_by_label("Group name").fill(title)
    for box in visitor.page.get_by_role("checkbox").all():
        box.check()
    visitor.page.get_by_role("button", name="Create").click()
    expect(visitor.page.locator("#chat-name")).to_have_text(title)
    say(visitor, text)
    expect(visitor.page.locator("#history")).to_contain_text(text)


def say(visitor: Visitor, text: str) -> None:
    visitor.page.locator("#write").fill(text)
    visitor.page.locator("#send").click()


def react(visitor: Visitor) -> None:
    row = visitor.page.locator("#history .message").filter(has_text="The plan for the week")
    row.hover()
    row.locator(".menu-button").click()
    visitor.page.get_by_role("menuitem").first.click()
    expect(row.locator(".reactions")).to_be_visible()


def picture(visitor: Visitor, path: Path) -> Path:
    """A drawing of a tea cup, since a photo would be large."""
    data = visitor.page.evaluate("""() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 480, height: 300 });
      const context = canvas.getContext('2d');
      context.fillStyle = '#dfe9e2'; context.fillRect(0, 0, 480, 300);
      context.fillStyle = '#0d7a5f'; context.fillRect(0, 230, 480, 70);
      context.font = '150px sans-serif'; context.fillText('🍵', 150, 235);
      return canvas.toDataURL('image/png').split(',')[1];
    }""")
    path.write_bytes(base64.b64decode(data))
    return path


def snap(visitor: Visitor, folder: Path, name: str) -> None:
    visitor.page.wait_for_timeout(300)
    visitor.page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
