internal import Conversing
internal import Files
internal import JSON
internal import Operations
internal import Reactor
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// One app that hears what is said to it: what it missed, then what comes, in order. Their apps do not say how far they got,
/// but answer each message; that is how far. Who missed much gets the next portion when it has answered the one before.
final class FLSubscription: ChatListener {
    private let guest: Guest
    private let chat: FLChat
    private var waiting: [Item] = []
    private var isSpeaking = false
    private var isOver = false
    private var names: [UserID: String] = [:]
    private var kinds: [ConversationID: ConversationKind] = [:]
    private var places: [ConversationID: FLPlace] = [:]
    /// Conversations with a gap, those that had it first in front.
    private var behind: [ConversationID] = []
    /// The store is asked for more.
    private var isAsking = false
    /// Every conversation in which something was missed is known.
    private var isComplete = false

    private struct Item {
        let conversation: ConversationID
        let entry: Entry
        /// Came while the app was there: pictures come along.
        let isLive: Bool
    }

    private static let device = DeviceID("flsocketim") ?? .main
    /// Of messages that were missed, at first and later.
    private static let maximumMissed = 500
    private static let portion = 100
    /// Conversations in which an answer may be missing when further ones are asked for.
    private static let fewOpen = 8
    private static let maximumThumbnailBytes = 2 << 20
    /// Bytes that may still come along with what was missed in groups; further ones are empty.
    private var missedBytesLeft = FLChat.maximumRelayedBytes

    init(_ guest: Guest, _ chat: FLChat) {
        self.guest = guest
        self.chat = chat
        self.names[guest.user] = guest.name.text
    }

    var user: UserID { self.guest.user }

    func start() {
        let request = SyncRequest(self.user, on: Self.device, limit: Self.maximumMissed)
        self.chat.desk.listen(self, request, isAlive: { !self.isOver }) { result in
            if case .success(let synced) = result { self.take(synced) }
        }
    }

    func end() {
        for id in self.places.keys { self.note(id) }
        self.isOver = true
        self.waiting = []
    }

    func hear(_ news: ChatNews) {
        guard let outcome = news.outcome else { return }
        self.echo(outcome)
        let item = Item(conversation: outcome.conversation, entry: outcome.entry, isLive: true)
        // The sender is answered first.
        self.chat.reactor.schedule(after: .zero) { [weak self] in self?.add(item) }
    }

    /// Who joins is told to those who are in the group.
    private func echo(_ outcome: ChangeOutcome) {
        guard outcome.entry.sort == .joined, outcome.entry.sender != self.user,
            let name = self.chat.groupNames[outcome.conversation]
        else { return }
        self.guest.socket.emit("GroupChat") { $0.fields(("roomId", name)) }
    }

    private func add(_ item: Item) {
        guard !self.isOver else { return }
        let (id, number) = (item.conversation, item.entry.number)
        // What was missed in a conversation that is not known yet comes first, and this with it.
        guard self.isComplete || self.places[id] != nil else { return }
        var place = self.places[id] ?? FLPlace(taken: number - 1, newest: number - 1)
        let isNext = place.came(number)
        self.places[id] = place
        if isNext { self.waiting.append(item) } else if place.isBehind { self.fell(behind: id) }
        self.speak()
    }

    private func fell(behind id: ConversationID) {
        if !self.behind.contains(id) { self.behind.append(id) }
    }
}

// MARK: - What was missed

extension FLSubscription {
    private func take(_ synced: Synced) {
        guard !self.isOver else { return }
        let fresh = synced.pieces.filter { self.places[$0.view.id] == nil }
        self.isComplete = !synced.hasMore || fresh.isEmpty
        // The latest conversation comes last, as it was.
        for piece in fresh.reversed() { self.take(piece) }
        self.speak()
    }

    private func take(_ piece: Synced.Piece) {
        let (id, last) = (piece.view.id, piece.view.latest.number)
        self.kinds[id] = piece.view.kind
        guard piece.view.kind == .direct || FLEntry.isGroup(id) else {
            // Nothing of it is told, so there is nothing to read.
            self.places[id] = FLPlace(taken: last, newest: last)
            return
        }
        self.places[id] = FLPlace(taken: last - min(last, piece.remaining), newest: last)
        if piece.remaining > 0 { self.fell(behind: id) }
        self.wait(for: piece.entries, in: id)
    }

    private func wait(for entries: [Entry], in id: ConversationID) {
        self.waiting += entries.map { Item(conversation: id, entry: $0, isLive: false) }
    }

    /// Asks for what follows, when everything before was told.
    private func goOn() {
        guard !self.isOver, !self.isAsking, !self.isSpeaking, self.waiting.isEmpty else { return }
        if let id = self.behind.first(where: { self.places[$0]?.mayTakeMore == true }), let place = self.places[id] {
            return self.askPortion(of: id, place)
        }
        guard !self.isComplete, self.behind.isEmpty, self.places.values.count(where: { $0.isOpen }) < Self.fewOpen
        else { return }
        self.isAsking = true
        let positions = self.places.mapValues(\.taken)
        let request = SyncRequest(self.user, on: Self.device, from: positions, limit: Self.maximumMissed)
        self.chat.desk.fetch(request, isPatient: true) { result in
            self.isAsking = false
            if case .success(let synced) = result { self.take(synced) }
        }
    }

    private func askPortion(of id: ConversationID, _ place: FLPlace) {
        self.isAsking = true
        let request = HistoryRequest(id, for: self.user, .after(place.taken), limit: Self.portion)
        self.chat.desk.ask(request, isPatient: true) { result in
            self.isAsking = false
            switch result {
            case .success(let page):
                self.places[id]?.took(upTo: page.items.last?.entry.number, asked: place.newest)
                self.wait(for: page.items.map(\.entry), in: id)
            case .failure(let error):
                // When the store cannot now, the next answer or message leads here again.
                guard error.code == .notMember else { return }
                self.places[id] = nil
            }
            if self.places[id]?.isBehind != true { self.behind.removeAll { $0 == id } }
            self.speak()
        }
    }
}

// MARK: - One after the other

extension FLSubscription {
    /// One after the other, since some have to be looked up.
    private func speak() {
        guard !self.isSpeaking, !self.isOver else { return }
        var passed: Set<ConversationID> = []
        while !self.waiting.isEmpty {
            let item = self.waiting.removeFirst()
            if self.isShown(item) {
                self.isSpeaking = true
                for id in passed { self.note(id) }
                return self.tell(item)
            }
            self.places[item.conversation]?.skipped(item.entry.number)
            if !item.isLive { passed.insert(item.conversation) }
        }
        for id in passed { self.note(id) }
        self.goOn()
    }

    private func isShown(_ item: Item) -> Bool {
        // These apps show nothing of calls that are over.
        guard item.entry.sort == .message, !item.entry.isRecalled, item.entry.kind != .call else { return false }
        // In a conversation with oneself there is no other sender.
        return FLEntry.isGroup(item.conversation) || item.entry.sender != self.user
            || FLEntry.object(of: item.entry)?.text("to_user") == self.guest.name.text
    }

    private func tell(_ item: Item) {
        if FLEntry.isGroup(item.conversation) {
            return self.find(item.entry.sender) { self.sayGroup(item, from: $0) }
        }
        self.findKind(of: item.conversation) { kind in
            switch kind {
            case .direct?: return self.find(item.entry.sender) { self.say(item, from: $0) }
            // It comes at the next connect.
            case nil: self.places[item.conversation]?.told(item.entry.number)
            // Other groups than theirs they do not know.
            case .group?, .room?, .bound?, .system?: self.places[item.conversation]?.skipped(item.entry.number)
            }
            self.done()
        }
    }

    private func done() {
        self.isSpeaking = false
        self.speak()
    }

    /// Nil when the store does not say.
    private func findKind(of id: ConversationID, _ work: @escaping (ConversationKind?) -> Void) {
        if let kind = self.kinds[id] { return work(kind) }
        self.chat.desk.ask(ViewConversation(id, for: self.user)) { result in
            guard !self.isOver else { return }
            self.kinds[id] = try? result.get().kind
            work(self.kinds[id])
        }
    }

    private func find(_ user: UserID, _ work: @escaping (String) -> Void) {
        if let name = self.names[user] { return work(name) }
        self.chat.store.send(
            FindUser.id(user),
            self.chat.reactor.returning { result in
                guard !self.isOver else { return }
                let name = (try? result.get())??.name?.text ?? user.text
                self.names[user] = name
                work(name)
            })
    }
}

// MARK: - Saying it

extension FLSubscription {
    private func sayGroup(_ item: Item, from name: String) {
        guard var object = FLEntry.object(of: item.entry, isGroup: true) else { return self.saidGroup(item) }
        // As it is, but with the sender we know.
        if object["from_user"] != nil { object.set("from_user", name) }
        let files = MessageBody(proven: item.entry.body ?? []).files(as: item.entry.kind)
        self.attachments(files[...], [], of: item) { attachments in
            guard !self.isOver else { return }
            self.guest.socket.emit("GroupChat", attachments: attachments) { $0.raw(object.json) }
            self.saidGroup(item)
        }
    }

    /// The bytes of these files. Of what cannot be had any more, and of too much that was missed, there are none.
    private func attachments(
        _ files: ArraySlice<FileID>, _ found: [[UInt8]], of item: Item, _ work: @escaping ([[UInt8]]) -> Void
    ) {
        guard let file = files.first else { return work(found) }
        self.bytes(of: file, isSmall: false) { bytes in
            var bytes = bytes ?? []
            if !item.isLive {
                if bytes.count > self.missedBytesLeft { bytes = [] }
                self.missedBytesLeft -= bytes.count
            }
            self.attachments(files.dropFirst(), found + [bytes], of: item, work)
        }
    }

    private func saidGroup(_ item: Item) {
        // The apps answer nothing that is said in a group.
        self.places[item.conversation]?.skipped(item.entry.number)
        self.note(item.conversation)
        self.done()
    }

    /// What was not said in their words is said in them now.
    private func say(_ item: Item, from name: String) {
        let links = self.chat.files.links
        var object =
            FLEntry.object(of: item.entry)
            ?? FLEntry.translation(
                of: item.entry, from: name, to: self.guest.name.text, for: self.user, links: links,
                at: self.chat.desk.now)
        object.set("from_user", name)
        guard item.isLive, let path = object.object("bodies")?.text("thumbnailRemotePath"),
            let file = path.split(separator: "/").last.flatMap({ FLPaths.file(named: String($0)) })
        else { return self.emit(object, nil, of: item) }
        self.bytes(of: file.id, isSmall: true) { self.emit(object, $0, of: item) }
    }

    /// Of a picture the small one, when there is one at hand.
    private func bytes(of id: FileID, isSmall: Bool, _ work: @escaping ([UInt8]?) -> Void) {
        let files = self.chat.files
        files.store.send(
            FindFile(id, for: .user(self.user)),
            self.chat.reactor.returning { result in
                guard case .success(let file?) = result else { return work(nil) }
                let isWhole = !isSmall || file.thumbnail == nil
                self.chat.reactor.offload(
                    { files.blobs.bytes(of: file.hash, isThumbnail: !isWhole, upTo: Self.maximumThumbnailBytes) },
                    completion: work)
            })
    }

    private func emit(_ object: LooseObject, _ bytes: [UInt8]?, of item: Item) {
        guard !self.isOver else { return }
        var object = object
        if bytes != nil, var bodies = object.object("bodies") {
            bodies["fileData"] = Array(#"{"_placeholder":true,"num":0}"#.utf8)
            object.set("bodies", bodies)
        }
        self.places[item.conversation]?.told(item.entry.number)
        // Always with an ack: one of the apps looks for it.
        self.guest.socket.emit("chat", attachments: bytes.map { [$0] } ?? []) { json in
            json.raw(object.json)
        } answer: { [weak self] answer in
            if answer != nil { self?.answered(item) }
        }
        self.done()
    }

    private func answered(_ item: Item) {
        self.places[item.conversation]?.answered(item.entry.number)
        self.note(item.conversation)
        self.goOn()
    }

    /// Writes down how far the app has got. What it has not answered, and all behind that, comes again.
    private func note(_ id: ConversationID) {
        guard !self.isOver, let number = self.places[id]?.mark() else { return }
        let mark = MarkRequest(id, of: self.user, on: Self.device, delivered: number, at: self.chat.desk.now)
        self.chat.desk.mark(mark) { _ in }
    }
}

/// Entries in the words of the apps.
enum FLEntry {
    static func isGroup(_ conversation: ConversationID) -> Bool {
        conversation.text.hasPrefix(FLChat.groupPrefix)
            && conversation.text.utf8.count == FLChat.groupPrefix.utf8.count + 32
    }

    /// What an app said, with the time at which it was kept; nil for what came from elsewhere.
    static func object(of entry: Entry, isGroup: Bool = false) -> LooseObject? {
        guard let body = entry.body.flatMap({ LooseObject($0) }), var object = body.object(FLMessage.member) else {
            return nil
        }
        if !isGroup { object.set("timestamp", entry.time.milliseconds) }
        return object
    }

    static func translation(
        of entry: Entry, from: String, to: String, for user: UserID, links: FileLinks, at now: WallTime
    ) -> LooseObject {
        let body = entry.body.flatMap { LooseObject($0) } ?? LooseObject()
        var (object, bodies) = (LooseObject(), LooseObject())
        if entry.kind == .image, let file = body.text("file").flatMap({ FileID($0) }) {
            bodies.set("type", "img")
            bodies.set("fileRemotePath", String(links.link(to: file, .content, for: user, at: now).dropFirst()))
            bodies.set("thumbnailRemotePath", String(links.link(to: file, .content, for: user, at: now).dropFirst()))
        } else {
            bodies.set("type", "txt")
            bodies.set("msg", self.digest(of: entry, body))
        }
        object.set("msg_id", entry.client?.text ?? "\(entry.time.milliseconds).\(entry.number)")
        object.set("from_user", from)
        object.set("to_user", to)
        object.set("chat_type", "chat")
        object.set("timestamp", entry.time.milliseconds)
        object.set("bodies", bodies)
        return object
    }

    /// What a message is, for those who cannot show it.
    static func digest(of entry: Entry, _ body: LooseObject) -> String {
        switch entry.kind {
        case .text: body.text("text") ?? ""
        case .image: "[图片]"
        case .voice: "[语音]"
        case .video: "[视频]"
        case .file: "[文件]"
        case .location: "[位置] \(body.text("name") ?? "")"
        case .call: "[通话]"
        default: "[其他]"
        }
    }
}
