"""What the description of the HTTP API says, held against a server by requests that nobody thought of."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import jsonschema_rs

from people import APP, APP_SECRET
from server import of_one_process
from talk import Talk
from test_files import Files
from wire import ask_http

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

    @of_one_process
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
            # Signing out would end the test's own token: `AuthDescriptionTests` asks these.
            "--exclude-path-regex", "^/v1/auth/",
        ]
        folder = Path(self.server.data)
        (folder / "schemathesis.toml").write_text(
            f'[parameters]\nconversation = "{place}"\nuser = "{b.user}"\n"path.file" = "{file}"\n"query.wait" = 0\n')
        (folder / "hooks.py").write_text(HOOKS)
        environment = os.environ | {"TERM": "dumb", "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(folder)}
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, (done.stdout + done.stderr)[-9000:])
        self.assertEqual(self.ask(a, "GET", "/v1/conversations").status, 200)

    @of_one_process
    def test_B13_what_cannot_be_read_as_a_request_is_refused_as_described_too(self):
        a = self.person("A")
        for path in ("/v1/push/devices/%12", "/v1/push/devices/%ff", "/v1/conversations/%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e"):
            with self.subTest(path=path):
                answer = self.ask(a, "DELETE", path)
                self.assertEqual(answer.headers["content-type"], "application/problem+json")
                self.assertEqual((answer.status, answer.json["status"], answer.json["code"]), (400, 400, "bad_request"))


class AuthDescriptionTests(Talk):
    """Signing in, asked for by the description: each path as it says, and each answer as it says."""

    # A provider that is not there.
    options = (*Talk.options, "--oidc", "http://127.0.0.1:9", "--oidc-client-id", "parley")
    PASSWORD = "correct horse 7"

    def setUp(self) -> None:
        super().setUp()
        self.document = ask_http(self.server, "GET", "/v1/openapi.json").json

    def test_B13_every_way_to_sign_in_is_described_and_answers_as_described(self):
        account = {"userName": "anna7", "password": self.PASSWORD}
        self.asked = set()
        self.ask_as_described("post", "/v1/auth/anonymous", {"name": "Anna"})
        self.ask_as_described("post", "/v1/auth/anonymous", {"name": "a\nb"}, 400)
        grant = self.ask_as_described("post", "/v1/auth/register", account)
        self.ask_as_described("post", "/v1/auth/register", account, 409)
        grant = self.ask_as_described("post", "/v1/auth/login", account)
        self.ask_as_described("post", "/v1/auth/login", account | {"password": "wrong"}, 401)
        grant = self.ask_as_described("post", "/v1/auth/refresh", {"refreshToken": grant["refreshToken"]})
        vouching = {"application": APP, "secret": APP_SECRET, "user": "shop-7", "name": "Cleo"}
        self.ask_as_described("post", "/v1/auth/token", vouching)
        self.ask_as_described("post", "/v1/auth/token", vouching | {"secret": "wrong"}, 401)
        self.ask_as_described("get", "/v1/auth/methods")
        for step in ("", "/callback", "/logout"):
            self.ask_as_described("get", f"/v1/auth/oidc{step}", status=303)
        self.ask_as_described("post", "/v1/auth/oidc/session", status=401)
        changed = {"password": self.PASSWORD, "newPassword": "battery staple 8"}
        grant = self.ask_as_described("post", "/v1/auth/password", changed, token=grant["accessToken"])
        token = grant["accessToken"]
        self.ask_as_described("get", "/v1/auth/devices", status=401)
        devices = self.ask_as_described("get", "/v1/auth/devices", token=token)["devices"]
        other = self.ask_as_described("post", "/v1/auth/login", account | {"password": "battery staple 8"})
        mine = {device["device"] for device in devices}
        all_devices = self.ask_as_described("get", "/v1/auth/devices", token=token)["devices"]
        (new,) = {device["device"] for device in all_devices} - mine
        self.ask_as_described("delete", "/v1/auth/devices/{device}", token=token, device=new)
        self.ask_as_described("get", "/v1/auth/devices", status=401, token=other["accessToken"])
        self.ask_as_described("get", "/v1/auth/export", token=token)
        self.ask_as_described("post", "/v1/auth/logout", {"refreshToken": grant["refreshToken"]})
        grant = self.ask_as_described("post", "/v1/auth/login", account | {"password": "battery staple 8"})
        self.ask_as_described("delete", "/v1/auth/devices", token=grant["accessToken"])
        grant = self.ask_as_described("post", "/v1/auth/login", account | {"password": "battery staple 8"})
        self.ask_as_described("delete", "/v1/auth/account", {"password": "battery staple 8"}, token=grant["accessToken"])
        described = {(method, path) for path, methods in self.document["paths"].items() for method in methods
                     if path.startswith("/v1/auth/")}
        self.assertEqual(self.asked, described)
        self.assertEqual(self.named_in_documents() - described, set())

    def named_in_documents(self) -> set:
        folder = Path(__file__).parents[2] / "docs"
        text = "".join((folder / name).read_text() for name in ("protocol.md", "identity.md"))
        found = re.findall(r"(GET|POST|DELETE) (/v1/auth/[a-zA-Z/]+)", text)
        return {(method.lower(), path.replace("/ID", "/{device}")) for method, path in found}

    def ask_as_described(self, method: str, path: str, body=None, status: int = 200, *, token=None, device=None) -> dict:
        self.asked.add((method, path))
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        target = path.replace("{device}", device or "")
        answer = ask_http(self.server, method.upper(), target, body or b"", headers)
        self.assertEqual(answer.status, status, (method, path, answer.body))
        described = self.resolve(self.document["paths"][path][method]["responses"][str(status)])
        if status == 303:
            self.assertIn("location", answer.headers)
            return {}
        kind = answer.headers["content-type"].split(";")[0]
        self.assertIn(kind, described["content"])
        if kind not in ("application/json", "application/problem+json"):
            return {}
        schema = described["content"][kind]["schema"] | {"components": self.document["components"]}
        jsonschema_rs.validate(schema, answer.json)
        return answer.json

    def resolve(self, value: dict) -> dict:
        for part in value.get("$ref", "").split("/")[1:]:
            value = self.document if part == "components" else value
            value = value[part]
        return value


if __name__ == "__main__":
    unittest.main()
