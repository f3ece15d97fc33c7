"""The programs of docs/examples, run as their first lines say."""

import queue
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import unittest

from people import APP, APP_SECRET, VOUCHED, Person, vouch
from ports import free_port
from server import TIMEOUT, ROOT, Server, eventually
from visitors import Company, need_browser

EXAMPLES = ROOT / "docs/examples"


class Program:
    """One of them, and what it prints."""

    def __init__(self, *command: str):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._lines: queue.Queue = queue.Queue()
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def says(self, words: str) -> None:
        while True:
            line = self._lines.get(timeout=TIMEOUT)
            if line is None:
                raise AssertionError(f"it ended before it said {words!r}: {self.said}")
            self.said.append(line)
            if words in line:
                return

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


class ExampleTest(unittest.TestCase):
    def serve(self, *options: str) -> str:
        self.server = Server(*VOUCHED, *options, testing=False)
        self.addCleanup(self.server.__exit__)
        return f"http://{self.server.address[0]}:{self.server.address[1]}"

    def run_example(self, program: str, *arguments: str) -> Program:
        self.assert_short(program)
        runner = {"py": [sys.executable], "mjs": ["node"], "sh": ["sh"]}[program.rpartition(".")[2]]
        running = Program(*runner, str(EXAMPLES / program), *arguments)
        self.addCleanup(running.end)
        return running

    #: What each is allowed to take, so that a newcomer reads it at once.
    LINES = {"own_users.py": 40}

    def assert_short(self, program: str) -> None:
        self.assertLessEqual(len((EXAMPLES / program).read_text().splitlines()), self.LINES.get(program, 24), program)

    def person(self, name: str) -> Person:
        person = Person(self.server, name)
        self.addCleanup(person.link.close)
        person.ask("chat.sync", {})
        return person


class BotTests(ExampleTest):
    def assert_answers(self, program: str) -> None:
        server = self.serve()
        bot = self.run_example(program, server, vouch(APP, APP_SECRET, "bot", "Bot"))
        bot.says("Ready: bot")
        anna = self.person("Anna")
        anna.ask("chat.send", {"user": "bot", "body": {"text": "Hello"}})
        anna.expect("chat.entry", body={"text": "You said: Hello"})

    def test_B14_bots_a_bot_in_Python_answers(self):
        """B14.bots"""
        self.assert_answers("echo_bot.py")

    @unittest.skipUnless(shutil.which("node"), "node is not installed")
    def test_B14_bots_a_bot_in_JavaScript_answers(self):
        """B14.bots"""
        self.assert_answers("echo_bot.mjs")

    def test_B14_shell_a_script_writes_and_waits_for_the_answer(self):
        """B14.shell"""
        server = self.serve()
        bot = self.run_example("echo_bot.py", server, vouch(APP, APP_SECRET, "bot", "Bot"))
        bot.says("Ready: bot")
        token = vouch(APP, APP_SECRET, "anna", "Anna")
        script = self.run_example("talk.sh", server, token, "bot", 'It\'s "quoted"')
        script.says('You said: It\'s "quoted"')


class WebhookExampleTests(ExampleTest):
    def test_B14_webhooks_a_hook_is_checked_with_the_library(self):
        """B14.webhooks"""
        port = str(free_port())
        secret = "whsec_" + subprocess.check_output(["openssl", "rand", "-base64", "32"], text=True).strip()
        hooks = self.run_example("webhook.py", port, secret)
        self.serve("--webhook", f"http://127.0.0.1:{port}/", "--webhook-secret", secret)
        anna, ben = self.person("Anna"), self.person("Ben")
        anna.ask("chat.send", {"user": ben.user, "body": {"text": "It is signed"}})
        hooks.says(f"{anna.user} It is signed")

    def test_B14_webhooks_a_request_of_anybody_else_is_refused(self):
        """B14.webhooks"""
        port = free_port()
        hooks = self.run_example("webhook.py", str(port), "whsec_" + secrets.token_hex(32))
        self.serve()
        eventually(lambda: listens(port), "the program listens")
        status = subprocess.run(
            ["curl", "--silent", "--write-out", "%{http_code}", "--data", "{}", "--header", "webhook-id: 1", "--header",
             "webhook-timestamp: 1", "--header", "webhook-signature: v1,AAAA", f"http://127.0.0.1:{port}/"],
            capture_output=True, text=True).stdout
        self.assertEqual(status, "401")
        self.assertIsNone(hooks.process.poll())


class OwnUsersTests(ExampleTest):
    def test_B14_users_an_application_brings_its_own_users_to_its_own_page(self):
        """B14.users"""
        port = free_port()
        server = self.serve("--allow-origin", f"http://127.0.0.1:{port}")
        self.run_example("own_users.py", server, APP, APP_SECRET, str(port))
        eventually(lambda: listens(port), "the application listens")
        need_browser()
        company = Company()
        self.addCleanup(company.close)
        pages = [company.browser.new_context().new_page() for _ in range(2)]
        for page, user in zip(pages, ("ann", "ben")):
            page.goto(f"http://127.0.0.1:{port}/?login={user}")
        for page in pages:
            page.get_by_text("Write to each other.").wait_for()
        pages[0].locator("input").fill("Good morning")
        pages[0].locator("input").press("Enter")
        pages[1].get_by_text("Good morning").wait_for()
        self.assertEqual(pages[1].locator("h1").inner_text(), "Hello, Ben from support")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
