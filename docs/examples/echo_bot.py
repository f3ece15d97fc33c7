"""Answers whoever writes to it: python3 echo_bot.py http://127.0.0.1:8080 TOKEN   (pip install 'python-socketio[client]')"""
import sys
import socketio

server, token = sys.argv[1:]
bot = socketio.Client()

@bot.on("welcome")
def welcome(who):
    # From here on it hears of its conversations; what it missed is in the answer.
    bot.emit("chat.sync", {"echo": False}, callback=lambda missed: print("Ready:", who["user"], flush=True))

@bot.on("chat.entry")
def entry(event):
    if event.get("kind") == "text" and not event["body"]["text"].startswith("You said"):
        bot.emit("chat.send", {"conversation": event["conversation"], "body": {"text": "You said: " + event["body"]["text"]}})

bot.connect(server, auth={"token": token}, transports=["websocket"])
bot.wait()
