internal import Conversing
internal import Files
internal import JSON
internal import Reactor
internal import SocketServer
internal import Store
internal import Switchboard
internal import Vocabulary

/// One app that hears what is said to it: what it missed, then what comes, in order. Their apps do not say how far they got,
/// but answer each message; that is how far.
final class FLEar: ChatListener {
    private let guest: Guest
    private let chat: FLChat
    private var waiting: [Item] = []
    private var isSpeaking = false
    private var isOver = false
    private var names: [UserID: String] = [:]

    private struct Item {
        let conversation: ConversationID
        let entry: Entry
        /// Came while the app was there: pictures come along.
        let isLive: Bool
    }

    private static let device = DeviceID("flsocketim") ?? .main
    /// Of messages that were missed.
    private static let most = 500
    private static let longestThumbnail = 2 << 20

    init(_ guest: Guest, _ chat: FLChat) {
        self.guest = guest
        self.chat = chat
        self.names[guest.user] = guest.name.text
    }

    var user: UserID { self.guest.user }

    func start() {
        let request = SyncRequest(self.user, on: Self.device, limit: Self.most)
        self.chat.desk.listen(self, request, isAlive: { !self.isOver }) { result in
            guard case .success(let synced) = result else { return }
            // The latest conversation comes last, as it was.
            for piece in synced.pieces.reversed() {
                for entry in piece.entries { self.add(Item(conversation: piece.view.id, entry: entry, isLive: false)) }
            }
        }
    }

    func end() {
        self.isOver = true
        self.waiting = []
    }

    func hear(_ news: ChatNews) {
        guard let happening = news.happening else { return }
        let item = Item(conversation: happening.conversation, entry: happening.entry, isLive: true)
        // Whoever said it is answered first.
        self.chat.reactor.schedule(after: .zero) { [weak self] in self?.add(item) }
    }

    private func add(_ item: Item) {
        guard !self.isOver, item.entry.sort == .message, !item.entry.isRecalled else { return }
        self.waiting.append(item)
        self.speak()
    }

    /// One after the other, since some have to be looked up.
    private func speak() {
        guard !self.isSpeaking, !self.isOver, !self.waiting.isEmpty else { return }
        self.isSpeaking = true
        let item = self.waiting.removeFirst()
        if item.entry.kind == .call {
            // These apps show nothing of calls that are over.
            self.note(item)
            return self.done()
        }
        let isGroup = FLEntry.isGroup(item.conversation)
        // In a conversation with oneself there is nobody else to say anything.
        if !isGroup, item.entry.sender == self.user,
            FLEntry.object(of: item.entry)?.text("to_user") != self.guest.name.text
        {
            return self.done()
        }
        self.find(item.entry.sender) { name in
            if isGroup { self.sayGroup(item, from: name) } else { self.say(item, from: name) }
        }
    }

    private func done() {
        self.isSpeaking = false
        self.speak()
    }

    private func find(_ user: UserID, _ work: @escaping (String) -> Void) {
        if let name = self.names[user] { return work(name) }
        self.chat.people.user(
            user,
            self.chat.reactor.returning { result in
                guard !self.isOver else { return }
                let name = (try? result.get())??.name?.text ?? user.text
                self.names[user] = name
                work(name)
            })
    }
}

// MARK: - Saying it

extension FLEar {
    private func sayGroup(_ item: Item, from name: String) {
        if var object = FLEntry.object(of: item.entry, isGroup: true) {
            // As it is, but nobody speaks for somebody else.
            if object["from_user"] != nil { object.set("from_user", name) }
            self.guest.socket.emit("GroupChat") { $0.raw(object.json) }
        }
        self.note(item)
        self.done()
    }

    private func say(_ item: Item, from name: String) {
        // What nobody said in their words is said in them now; other groups than theirs they do not know.
        self.chat.desk.conversation(item.conversation, of: self.user) { result in
            guard !self.isOver, case .success(let view) = result, view.kind == .direct else { return self.done() }
            let links = self.chat.files.links
            var object =
                FLEntry.object(of: item.entry)
                ?? FLEntry.translation(of: item.entry, from: name, to: self.guest.name.text, links, self.chat.desk.now)
            object.set("from_user", name)
            guard item.isLive, let path = object.object("bodies")?.text("thumbnailRemotePath"),
                let file = path.split(separator: "/").last.flatMap({ FLPaths.file(named: String($0)) })
            else { return self.emit(object, nil, item) }
            self.thumbnail(file.id) { self.emit(object, $0, item) }
        }
    }

    /// The small picture, when there is one at hand.
    private func thumbnail(_ id: FileID, _ work: @escaping ([UInt8]?) -> Void) {
        let files = self.chat.files
        files.store.file(
            id, for: .user(self.user),
            self.chat.reactor.returning { result in
                guard case .success(let file?) = result else { return work(nil) }
                let isWhole = file.thumbnail == nil
                self.chat.reactor.offload(
                    { files.folder.bytes(of: file.hash, isThumbnail: !isWhole, upTo: Self.longestThumbnail) },
                    completion: work)
            })
    }

    private func emit(_ object: LooseObject, _ bytes: [UInt8]?, _ item: Item) {
        guard !self.isOver else { return }
        var object = object
        if bytes != nil, var bodies = object.object("bodies") {
            bodies["fileData"] = Array(#"{"_placeholder":true,"num":0}"#.utf8)
            object.set("bodies", bodies)
        }
        // Always with an ack: one of the apps looks for it.
        self.guest.socket.emit("chat", attachments: bytes.map { [$0] } ?? []) { json in
            json.raw(object.json)
        } answer: { [weak self] answer in
            if answer != nil { self?.note(item) }
        }
        self.done()
    }

    private func note(_ item: Item) {
        let mark = MarkRequest(
            item.conversation, of: self.user, on: Self.device, delivered: item.entry.number, at: self.chat.desk.now)
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
        of entry: Entry, from: String, to: String, _ links: FileLinks, _ now: WallTime
    ) -> LooseObject {
        let body = entry.body.flatMap { LooseObject($0) } ?? LooseObject()
        var (object, bodies) = (LooseObject(), LooseObject())
        if entry.kind == .image, let file = body.text("file").flatMap({ FileID($0) }) {
            bodies.set("type", "img")
            bodies.set("fileRemotePath", String(links.link(to: file, .content, at: now).dropFirst()))
            bodies.set("thumbnailRemotePath", String(links.link(to: file, .content, at: now).dropFirst()))
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
