"""What tests of the page begin with where people write to each other."""

import re

from pages import PageTest
from visitors import Visitor, expect

# How many tones a page has sounded.
LISTENING = """
window.tones = [];
window.OscillatorNode = class extends OscillatorNode {
  constructor(context, options) { super(context, options); window.tones.push(options.frequency); }
};
"""
# What is written comes with a script: a person would take an hour.
FILL = """
async ([conversation, count]) => {
  const { Parley } = await import('./parley.js');
  const parley = new Parley();
  await parley.signIn();
  for (let number = 0; number < count; number += 1) {
    await parley.request('chat.send', { conversation, kind: 'text', body: { text: `line ${number}` } });
  }
  parley.close();
}
"""


class MessengerTest(PageTest):
    def write(self, visitor: Visitor, text: str) -> None:
        visitor.page.locator("#write").fill(text)
        visitor.page.keyboard.press("Enter")

    def open_chat(self, visitor: Visitor, name: str) -> None:
        visitor.page.locator("#lobby").get_by_role("button", name=f"Write to {name}").click()
        expect(visitor.page.locator("#chat-name")).to_have_text(name)

    def messages(self, visitor: Visitor):
        return visitor.page.locator("#history .message")

    def place(self, visitor: Visitor, name: str) -> None:
        visitor.page.locator(f"button[data-place={name}]").click()

    def talking(self) -> tuple[Visitor, Visitor]:
        """Two who have written to each other once."""
        anna, bo = self.pair()
        self.open_chat(anna, "Bo")
        self.write(anna, "Hello Bo")
        self.place(bo, "chats")
        bo.page.locator("#chat-list").get_by_role("button", name="Anna").click()
        expect(self.messages(bo)).to_have_text([re.compile("Hello Bo")])
        return anna, bo

    def menu(self, visitor: Visitor, text: str, item: str) -> None:
        row = self.messages(visitor).filter(has_text=text).first
        row.hover()
        row.get_by_role("button", name="Message actions").click()
        visitor.page.get_by_role("menuitem", name=item).click()
