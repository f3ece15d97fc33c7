"""What the description of the HTTP API says, held against a server by requests that nobody thought of."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

from test_chat import Talk
from test_files import Files

PROGRAM = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
    "response_schema_conformance"
)
#: What it does not know by itself.
HOOKS = """
import schemathesis
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
"""


@unittest.skipUnless(PROGRAM.exists(), "needs schemathesis: Scripts/install tests")
class DescriptionTests(Files):
    options = ("--request-rate", "100000")

    def test_no_request_is_answered_in_a_way_that_is_not_described(self):
        a, b = self.person("A"), self.listener("B")
        place = self.say(a, "hello", user=b.user)["conversation"]
        file = self.bring(a, b"hello")
        host, port = self.server.address
        target = f"http://{host}:{port}"
        command = [
            PROGRAM, "run", f"{target}/v1/openapi.json", "--url", target, "--header", f"Authorization: Bearer {a.token}",
            "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--seed", "1",
            "--generation-deterministic", "--no-shrink", "--request-timeout", "10", "--exclude-path", "/v1/events",
            "--suppress-health-check", "all", "--no-color", "--warnings", "off",
            "--continue-on-failure",
        ]
        folder = Path(self.server.data)
        (folder / "schemathesis.toml").write_text(
            f'[parameters]\nconversation = "{place}"\nuser = "{b.user}"\n"path.file" = "{file}"\n"query.wait" = 0\n')
        (folder / "hooks.py").write_text(HOOKS)
        environment = os.environ | {"TERM": "dumb", "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(folder)}
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-9000:])
        self.assertEqual(self.ask(a, "GET", "/v1/conversations").status, 200)


if __name__ == "__main__":
    unittest.main()
