package import JSON
package import Vocabulary

extension JSONWriter {
    /// An entry as every client gets it, over whichever door.
    package mutating func entry(_ entry: Entry, in conversation: ConversationID, _ key: ConversationKey) {
        self.object { json in
            json.field("conversation", conversation.text)
            json.field("number", entry.number)
            json.field("id", key.name(of: entry.number))
            json.field("type", entry.sort.word)
            json.field("from", entry.sender.text)
            json.field("time", entry.time.milliseconds)
            json.optional("client", entry.client?.text)
            json.content(of: entry)
        }
    }

    private mutating func content(of entry: Entry) {
        self.optional("kind", entry.kind?.text)
        self.optional(entry.sort == .message ? "reply" : "target", entry.target)
        if let body = entry.body { self.field("body", raw: body) }
        if !entry.mentions.isEmpty { self.array("mentions", of: entry.mentions) { $0.string($1.text) } }
        if entry.isForwarded { self.field("forwarded", true) }
        self.optional("edited", entry.edited?.milliseconds)
        if entry.isRecalled { self.field("recalled", true) }
        if !entry.reactions.isEmpty { self.reactions(entry.reactions) }
    }

    private mutating func reactions(_ reactions: [ReactionTally]) {
        self.array("reactions", of: reactions) { json, tally in
            json.fields(("reaction", tally.reaction)) { $0.array("users", of: tally.users) { $0.string($1.text) } }
        }
    }
}
