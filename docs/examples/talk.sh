#!/bin/sh
# Writes to a user and waits for the answer, with curl: talk.sh http://127.0.0.1:8080 TOKEN USER 'Hello'
set -eu
server=$1 token=$2 user=$3 words=$4
ask() { curl --silent --show-error --fail-with-body --header "Authorization: Bearer $token" --header 'Content-Type: application/json' "$@"; }
member() { python3 -c "import json, sys; print(json.load(sys.stdin)$1)"; }
body=$(WORDS=$words python3 -c 'import json, os; print(json.dumps({"body": {"text": os.environ["WORDS"]}}))')

# The key makes it safe to send again when no answer came: the message is there once.
sent=$(ask --header "Idempotency-Key: $(date +%s)-$$" --data "$body" "$server/v1/users/$user/messages")
conversation=$(echo "$sent" | member '["conversation"]')
number=$(echo "$sent" | member '["number"]')

# The answer of this request waits until something is said.
ask "$server/v1/conversations/$conversation/entries?after=$number&wait=30" | member '["entries"][0]["body"]["text"]'
