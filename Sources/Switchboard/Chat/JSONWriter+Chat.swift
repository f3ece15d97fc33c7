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
            json.field("number", outcome.entry.number)
            json.field("time", outcome.entry.time.milliseconds)
        }
    }

    mutating func receipt(_ marked: Marked, _ request: MarkRequest, isOwn: Bool) {
        self.fields(("conversation", request.conversation.text), ("user", request.user.text)) { json in
            json.marks(delivered: marked.delivered, read: marked.read)
            json.field("time", request.now.milliseconds)
            guard isOwn else { return }
            json.unread(marked)
        }
    }

    private mutating func unread(_ marked: Marked) {
        self.field("unread", marked.unread)
        self.field("badge", marked.badge)
    }

    package mutating func marked(_ marked: Marked) {
        self.object { json in
            json.marks(delivered: marked.delivered, read: marked.read)
            json.unread(marked)
        }
    }

    mutating func marks(_ marks: Marks) {
        self.object { json in
            json.marks(delivered: marks.delivered, read: marks.read)
            json.array("devices", of: marks.devices) { json, mark in
                json.fields(("device", mark.device.text)) { json in
                    json.marks(delivered: mark.cursor.delivered, read: mark.cursor.read)
                    json.field("time", mark.cursor.time.milliseconds)
                }
            }
        }
    }

    private mutating func marks(delivered: UInt64, read: UInt64) {
        self.field("delivered", delivered)
        self.field("read", read)
    }

    package mutating func conversation(_ view: ConversationView, more: (inout JSONWriter) -> Void = { _ in }) {
        self.fields(("conversation", view.id.text), ("kind", view.kind.rawValue), ("role", view.role.word)) { json in
            json.optional("title", view.title?.text)
            json.optional("subject", view.subject)
            if let peer = view.peer { json.object("peer") { $0.members(of: peer) } }
            json.field("members", view.members)
            json.field("last", view.latest.number)
            json.field("since", view.since)
            json.field("read", view.read)
            json.field("unread", view.unread)
            if view.isMuted { json.field("muted", true) }
            if view.isArchived { json.field("archived", true) }
            json.optional("retentionDays", view.retention.map { $0.components.seconds / 86_400 })
            json.optional("slowSeconds", view.slowMode?.components.seconds)
            if view.isDissolved { json.field("dissolved", true) }
            json.field("latest") { $0.entry(view.latest, in: view.id, view.key) }
            more(&json)
        }
    }

    private mutating func members(of peer: ConversationView.Peer) {
        self.members([("user", peer.user.text), ("name", peer.name?.text), ("avatar", peer.avatar?.text)])
        if peer.isDeleted { self.field("deleted", true) }
        self.marks(delivered: peer.delivered, read: peer.read)
    }

    package mutating func synced(_ synced: Synced) {
        self.object { json in
            json.array("conversations") { json in
                for piece in synced.pieces {
                    json.conversation(piece.view) { json in
                        json.array("entries", of: piece.entries) {
                            $0.entry($1, in: piece.view.id, piece.view.key)
                        }
                        json.field("remaining", piece.remaining)
                    }
                }
            }
            json.field("more", synced.hasMore)
            json.field("badge", synced.badge)
        }
    }

    package mutating func page(_ page: EntryPage) {
        self.object { json in
            json.array("entries", of: page.items) { $0.entry($1.entry, in: $1.conversation, $1.key) }
            json.field("more", page.hasMore)
        }
    }

    package mutating func conversations(_ list: ConversationList) {
        self.object { json in
            json.array("conversations", of: list.views) { $0.conversation($1) }
            if list.hasMore { json.optional("next", list.views.last?.place.cursor) }
            json.field("badge", list.badge)
        }
    }

    package mutating func memberList(_ members: [MemberView], limit: Int) {
        self.object { json in
            json.array("members", of: members) { $0.member($1) }
            if members.count == limit { json.optional("next", members.last?.user.text) }
        }
    }

    private mutating func member(_ member: MemberView) {
        self.fields(("user", member.user.text), ("role", member.role.word)) { json in
            json.members([("name", member.name?.text), ("avatar", member.avatar?.text)])
            json.marks(delivered: member.delivered, read: member.read)
            json.optional("silencedUntil", member.silencedUntil?.milliseconds)
        }
    }
}

extension JSONWriter {
    mutating func sanctions(_ views: [SanctionView], limit: Int) {
        self.object { json in
            json.array("sanctions", of: views) { $0.sanction($1) }
            if views.count == limit { json.optional("next", views.last?.sanction.place.cursor) }
        }
    }

    private mutating func sanction(_ view: SanctionView) {
        let sanction = view.sanction
        self.fields(("user", sanction.user.text), ("kind", sanction.kind.rawValue)) { json in
            json.members([
                ("name", view.name?.text), ("by", sanction.actor?.text), ("reason", sanction.reason?.text),
            ])
            json.field("time", sanction.time.milliseconds)
            json.optional("until", sanction.until?.milliseconds)
        }
    }
}

extension SanctionPlace {
    /// As clients carry it, without looking in.
    fileprivate var cursor: String { "\(self.kind.rawValue):\(self.user.text)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let kind = Sanction.Kind(rawValue: String(parts[0])),
            let user = UserID(String(parts[1]))
        else { return nil }
        self.init(user: user, kind: kind)
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
