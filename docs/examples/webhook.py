"""Prints what is said, proven to come from your server: python3 webhook.py 9000 SECRET   (pip install standardwebhooks)"""
import http.server
import json
import sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

port, secret = int(sys.argv[1]), Webhook(sys.argv[2])

class Hooks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            secret.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            return self.answer(401)
        entry = json.loads(body)["entry"]
        print(entry["from"], entry.get("body", {}).get("text"), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

http.server.ThreadingHTTPServer(("127.0.0.1", port), Hooks).serve_forever()
