"""A web application with users of its own: python3 own_users.py http://127.0.0.1:8080 shop SECRET 9000
Parley runs as: parley serve --app shop:SECRET --allow-origin http://127.0.0.1:9000"""
import http.cookies, http.server, json, sys, urllib.request

parley, app, secret, port = sys.argv[1:]
users = {"ann": "Ann from sales", "ben": "Ben from support"}  # Yours are in a database, and have passwords.
PAGE = """<!doctype html><meta charset=utf-8><title>Shop</title><h1>Hello, %(name)s</h1><ul id=list></ul><form><input id=words></form>
<script type=module>
  import { Parley } from '%(parley)s/parley.js';
  const show = (text) => list.append(Object.assign(document.createElement('li'), { textContent: text }));
  const parley = new Parley();
  await parley.signIn({ token: async () => (await fetch('/token')).text() });
  parley.chat.addEventListener('entry', ({ detail }) => { if (detail.kind === 'text') show(detail.body.text); });
  await parley.chat.open();
  const send = (text) => parley.chat.send({ user: '%(other)s' }, { kind: 'text', body: { text } });
  document.forms[0].onsubmit = () => { send(words.value); return false; };
  show('Write to each other.');
</script>"""

def token(user):
    body = {"application": app, "secret": secret, "user": user, "name": users[user]}
    request = urllib.request.Request(parley + "/v1/auth/token", json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["accessToken"]

class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        cookie = http.cookies.SimpleCookie(self.headers["Cookie"]).get("user")
        user = cookie.value if cookie else self.path.rpartition("login=")[2]  # Yours asks for the password first.
        if user not in users:
            return self.send_error(403)
        page = token(user) if self.path == "/token" else PAGE % {"name": users[user], "parley": parley, "other": [*{*users} - {user}][0]}
        self.send_response(200)
        self.send_header("Set-Cookie", f"user={user}; HttpOnly; SameSite=Strict")
        self.end_headers()
        self.wfile.write(page.encode())

for user in users:
    token(user)  # From now on Parley knows them, and they can be written to.
http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Shop).serve_forever()
