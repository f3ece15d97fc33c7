package import JSON
package import Vocabulary

extension JSONWriter {
    /// An entry as every client gets it, over whichever door.
    package mutating func entry(_ entry: Entry, in conversation: ConversationID, _ key: ConversationKey) {
        self.object { json in
            json.member("conversation", conversation.text)
            json.key("number")
            json.integer(entry.number)
            json.member("id", key.name(of: entry.number))
            json.member("type", entry.sort.word)
            json.member("from", entry.sender.text)
            json.key("time")
            json.integer(entry.time.milliseconds)
            if let client = entry.client { json.member("client", client.text) }
            json.content(of: entry)
        }
    }

    private mutating func content(of entry: Entry) {
        if let kind = entry.kind { self.member("kind", kind.text) }
        if let target = entry.target {
            self.key(entry.sort == .message ? "reply" : "target")
            self.integer(target)
        }
        if let body = entry.body {
            self.key("body")
            self.raw(body)
        }
        if !entry.mentions.isEmpty {
            self.key("mentions")
            self.array { json in for user in entry.mentions { json.string(user.text) } }
        }
        if entry.isForwarded { self.flag("forwarded") }
        if let edited = entry.edited {
            self.key("edited")
            self.integer(edited.milliseconds)
        }
        if entry.isRecalled { self.flag("recalled") }
        if !entry.reactions.isEmpty { self.reactions(entry.reactions) }
    }

    private mutating func reactions(_ reactions: [ReactionTally]) {
        self.key("reactions")
        self.array { json in
            for tally in reactions {
                json.object { json in
                    json.member("reaction", tally.reaction)
                    json.key("users")
                    json.array { json in for user in tally.users { json.string(user.text) } }
                }
            }
        }
    }

    private mutating func flag(_ name: String) {
        self.key(name)
        self.bool(true)
    }

    mutating func member(_ name: String, _ text: String) {
        self.key(name)
        self.string(text)
    }
}
