internal import Conversing
internal import HTTPServer
internal import Identity
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary
internal import Web

extension APIVisit {
    /// Everything a user has here, as lines of JSON.
    func export(_ identity: Identity) {
        do throws(RequestError) {
            try self.desk.exports.begin(identity.user, at: self.desk.now())
            ExportStream(self, identity).start()
        } catch {
            self.refuse(error)
        }
    }
}

/// One export, a portion at a time: the next is asked for when the client has taken the one before. Its last line says that
/// nothing is missing; what ends otherwise is cut.
///
/// It keeps itself alive through what it waits for: the store's answer, or the client's.
private final class ExportStream {
    private let visit: APIVisit
    private let identity: Identity
    private var standing: StandingVisit?
    private var place = ExportPlace.account

    init(_ visit: APIVisit, _ identity: Identity) {
        self.visit = visit
        self.identity = identity
    }

    func start() {
        self.standing = StandingVisit(self.visit, self.identity) { self.end($0) }
        guard self.visit.startStream("application/x-ndjson", attachment: "export.ndjson") else { return self.end(nil) }
        self.visit.exchange.onDrained = { self.next() }
        self.next()
    }

    private func next() {
        guard self.standing != nil else { return }
        let chat = self.visit.desk.chat
        let request = ExportRequest(of: self.identity.user, from: self.place, at: chat.now)
        chat.fetch(request, isPatient: true) { result in
            guard self.standing != nil else { return }
            switch result {
            case .failure(let error): self.end(error)
            case .success(let portion): self.write(portion)
            }
        }
    }

    private func write(_ portion: ExportPortion) {
        var lines: [UInt8] = []
        for item in portion.items { lines += JSONWriter.bytes { $0.line(item, self.visit.desk.links) } + [0x0A] }
        guard let next = portion.next else {
            let end = JSONWriter.object { $0.field("type", "end") } + [0x0A]
            _ = self.visit.exchange.write((lines + end).span)
            self.leave()
            return self.visit.exchange.finish()
        }
        self.place = next
        if self.visit.exchange.write(lines.span) { self.next() }
    }

    private func leave() {
        self.visit.exchange.onDrained = nil
        self.standing.take()?.leave()
        self.visit.desk.exports.end(self.identity.user)
    }

    /// Something came in between, or the client has gone.
    private func end(_ error: RequestError?) {
        self.leave()
        self.visit.exchange.fail()
    }
}

extension JSONWriter {
    fileprivate mutating func line(_ item: ExportedItem, _ links: FileLinks) {
        switch item {
        case .account(let profile, let created):
            self.typed("account") { json in
                json.members([
                    ("user", profile.user.text), ("userName", profile.signInName?.text),
                    ("name", profile.shownName?.text), ("avatar", profile.avatar?.text),
                ])
                json.field("created", created.milliseconds)
            }
        case .devices(let uses):
            self.typed("devices") { json in json.array("devices", of: uses) { $0.device($1) } }
        case .blocked(let users):
            self.typed("blocked") { json in json.array("users", of: users) { $0.string($1.text) } }
        case .conversation(let view, let delivered):
            self.typed("conversation") { $0.members(of: view, delivered: delivered) }
        case .entry(let entry, let id, let key):
            self.typed("entry") { json in json.field("entry") { $0.entry(entry, in: id, key) } }
        case .file(let file):
            self.typed("file") { json in
                json.field("file") { $0.file(file, links, for: file.owner, at: SystemClock.now()) }
            }
        }
    }

    private mutating func typed(_ type: String, _ more: (inout JSONWriter) -> Void) {
        self.object { json in
            json.field("type", type)
            more(&json)
        }
    }

    private mutating func device(_ use: RefreshFamily.Use) {
        self.object { json in
            json.field("device", use.family.text)
            json.field("lastUsed", use.lastUsed.milliseconds)
            json.field("expires", use.expiry.milliseconds)
        }
    }

    /// One's own place in a conversation, without what others say there.
    private mutating func members(of view: ConversationView, delivered: UInt64) {
        self.members([
            ("conversation", view.id.text), ("kind", view.kind.rawValue), ("role", view.role.word),
            ("title", view.title?.text), ("subject", view.subject), ("peer", view.peer?.user.text),
        ])
        self.field("members", view.members)
        self.field("delivered", delivered)
        self.field("read", view.read)
        self.field("muted", view.isMuted)
        self.field("archived", view.isArchived)
    }
}
