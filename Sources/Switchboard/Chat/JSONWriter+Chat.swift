internal import Conversing
package import JSON
package import Keeping
internal import Vocabulary

/// Chat in JSON, the same over every door.
extension JSONWriter {
    /// What became of a request.
    package mutating func outcome(of outcome: ChangeOutcome) {
        self.fields(
            ("conversation", outcome.conversation.text),
            ("id", outcome.key.name(of: outcome.entry.number))
        ) { json in
            json.number(outcome.entry.number)
            json.key("time")
            json.integer(outcome.entry.time.milliseconds)
        }
    }

    mutating func receipt(_ marked: Marked, _ request: MarkRequest, isOwn: Bool) {
        self.fields(("conversation", request.conversation.text), ("user", request.user.text)) { json in
            json.marks(delivered: marked.delivered, read: marked.read)
            json.key("time")
            json.integer(request.now.milliseconds)
            guard isOwn else { return }
            json.unread(marked)
        }
    }

    private mutating func unread(_ marked: Marked) {
        for (name, number) in [("unread", marked.unread), ("badge", marked.badge)] {
            self.key(name)
            self.integer(number)
        }
    }

    package mutating func marked(_ marked: Marked) {
        self.object { json in
            json.marks(delivered: marked.delivered, read: marked.read)
            json.unread(marked)
        }
    }

    private mutating func marks(delivered: UInt64, read: UInt64) {
        self.key("delivered")
        self.integer(delivered)
        self.key("read")
        self.integer(read)
    }

    package mutating func conversation(_ view: ConversationView, more: (inout JSONWriter) -> Void = { _ in }) {
        self.fields(("conversation", view.id.text), ("kind", view.kind.rawValue), ("role", view.role.word)) { json in
            if let title = view.title { json.text("title", title.text) }
            if let subject = view.subject { json.text("subject", subject) }
            if let peer = view.peer { json.peer(peer) }
            for (name, number) in [
                ("members", UInt64(view.members)), ("last", view.latest.number), ("since", view.since),
                ("read", view.read), ("unread", view.unread),
            ] {
                json.key(name)
                json.integer(number)
            }
            if view.isMuted { json.flag("muted") }
            if let retention = view.retention {
                json.key("retentionDays")
                json.integer(retention.components.seconds / 86_400)
            }
            if view.isDissolved { json.flag("dissolved") }
            json.key("latest")
            json.entry(view.latest, in: view.id, view.key)
            more(&json)
        }
    }

    private mutating func peer(_ peer: ConversationView.Peer) {
        self.key("peer")
        self.fields(("user", peer.user.text)) { json in
            json.face(peer.name, peer.avatar)
            json.marks(delivered: peer.delivered, read: peer.read)
        }
    }

    private mutating func text(_ name: String, _ text: String) {
        self.key(name)
        self.string(text)
    }

    private mutating func flag(_ name: String) {
        self.key(name)
        self.bool(true)
    }

    package mutating func synced(_ synced: Synced) {
        self.object { json in
            json.key("conversations")
            json.array { json in
                for piece in synced.pieces {
                    json.conversation(piece.view) { json in
                        json.key("entries")
                        json.array { json in
                            for entry in piece.entries { json.entry(entry, in: piece.view.id, piece.view.key) }
                        }
                        json.key("remaining")
                        json.integer(piece.remaining)
                    }
                }
            }
            json.key("more")
            json.bool(synced.hasMore)
            json.key("badge")
            json.integer(synced.badge)
        }
    }

    package mutating func page(_ page: EntryPage) {
        self.object { json in
            json.key("entries")
            json.array { json in
                for item in page.items { json.entry(item.entry, in: item.conversation, item.key) }
            }
            json.key("more")
            json.bool(page.hasMore)
        }
    }

    package mutating func conversations(_ list: ConversationList) {
        self.object { json in
            json.key("conversations")
            json.array { json in for view in list.views { json.conversation(view) } }
            if list.hasMore, let place = list.views.last?.place { json.text("next", place.cursor) }
            json.key("badge")
            json.integer(list.badge)
        }
    }

    package mutating func memberList(_ members: [MemberView], limit: Int) {
        self.object { json in
            json.key("members")
            json.array { json in for member in members { json.member(member) } }
            if members.count == limit, let last = members.last { json.text("next", last.user.text) }
        }
    }

    private mutating func member(_ member: MemberView) {
        self.fields(("user", member.user.text), ("role", member.role.word)) { json in
            json.face(member.name, member.avatar)
            json.marks(delivered: member.delivered, read: member.read)
            guard let until = member.silencedUntil else { return }
            json.key("silencedUntil")
            json.integer(until.milliseconds)
        }
    }
}

extension ConversationPlace {
    /// As clients carry it, without looking in.
    package var cursor: String { "\(String(self.time.milliseconds, radix: 36))-\(String(self.key.number, radix: 36))" }

    package init?(cursor: String) {
        let parts = cursor.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0], radix: 36), let number = Int64(parts[1], radix: 36) else {
            return nil
        }
        self.init(time: WallTime(milliseconds: time), key: ConversationKey(number))
    }
}
