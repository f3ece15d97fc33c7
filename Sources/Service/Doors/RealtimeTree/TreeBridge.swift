internal import Bytes
internal import Conversing
internal import Hashing
internal import JSON
internal import Keeping
internal import RealtimeTree
internal import Switchboard
internal import Vocabulary

/// Places of the tree that are chat rooms: `messages` below each of them is a conversation, and `typingIndicator` says who is
/// typing there. Whoever writes on one side is heard on the other. Lives on the home loop.
final class TreeBridge {
    /// In whose name the rooms are led.
    static let server = UserID("tree:server") ?? { preconditionFailure("no user id") }()
    static let prefix = "rtr:"

    private struct Room {
        let id: ConversationID
        let messages: TreePath
        let typing: TreePath
    }

    private let rooms: [Room]
    private let desk: TreeDesk
    private let dependencies: DoorDependencies
    private var chat: ChatService { self.dependencies.chat }
    /// Beside other nodes, one for each room.
    private var followers: [TreeRoomFollower] = []

    private static let maximumMessages = 1000

    init(_ places: [TreePath], _ desk: TreeDesk, _ dependencies: DoorDependencies) {
        self.desk = desk
        self.dependencies = dependencies
        self.rooms = places.compactMap { place in
            guard let id = Self.conversation(place), let messages = TreeKey("messages"),
                let typing = TreeKey("typingIndicator")
            else { return nil }
            return Room(id: id, messages: place.appending(messages), typing: place.appending(typing))
        }
    }

    /// Nil for a place whose name has letters that no conversation has.
    static func conversation(_ place: TreePath) -> ConversationID? {
        place.isRoot ? nil : ConversationID(self.prefix + place.keys.map(\.text).joined(separator: ":"))
    }

    func begin() {
        for room in self.rooms {
            let title = room.messages.parent.keys.last.flatMap { DisplayName($0.text) }
            let creation = CreationRequest(room.id, .room, title: title, by: Self.server, at: self.chat.now)
            // Where it is there already, it stays as it is.
            self.chat.create(creation, isByServer: true) { _ in }
        }
        self.chat.onTyping = { [weak self] in self?.typed(in: $0, $1, isOn: $2) }
        self.desk.onWrite = { [weak self] in self?.written($0, $1, $2, by: $3) }
        self.desk.onOpen = { [weak self] in self?.opened() }
        self.dependencies.errands.add(end: { [weak self] in self?.unfollow() })
    }

    /// Who typed when the server ended types no more.
    private func opened() {
        for room in self.rooms { self.write(room.typing, .nothing) }
        self.unfollow()
        guard self.dependencies.errands.isShared else { return }
        self.followers = self.rooms.map { room in
            TreeRoomFollower(room.id, self.desk, self.dependencies) { [weak self] in self?.bring($0) }
        }
        for follower in self.followers { follower.begin() }
    }

    private func unfollow() {
        for follower in self.followers { follower.end() }
        self.followers = []
    }

    private func write(_ path: TreePath, _ node: TreeNode) {
        var access = TreeAccess.administrator
        access.isChat = true
        self.desk.write(by: access, { _ in }) { _, _ in TreeWrite(TreeTarget(path), node) }
    }

    // MARK: - From the tree

    private func written(_ write: TreeWrite, _ before: TreeNode, _ after: TreeNode, by access: TreeAccess) {
        guard !access.isChat else { return }
        for (target, _) in write.places {
            for room in self.rooms {
                for key in Self.changed(target.path, room.messages, before, after) {
                    self.say(key, after.at(room.messages).child(key), in: room, by: access)
                }
                for key in Self.changed(target.path, room.typing, before, after, isNew: false) {
                    self.type(key, after.at(room.typing).child(key), in: room, by: access)
                }
            }
        }
    }

    /// The children of a place that a write at another one brought, or changed.
    private static func changed(
        _ path: TreePath, _ place: TreePath, _ before: TreeNode, _ after: TreeNode, isNew: Bool = true
    ) -> [TreeKey] {
        guard place.contains(path) || path.contains(place) else { return [] }
        let (old, new) = (before.at(place), after.at(place))
        if path.count > place.count {
            let key = path.keys[place.count]
            return !isNew || (old.child(key).isNothing && !new.child(key).isNothing) ? [key] : []
        }
        var keys = new.children.map(\.key).filter { !isNew || old.child($0).isNothing }
        if !isNew { keys += old.children.map(\.key).filter { new.child($0).isNothing } }
        return Array(keys.prefix(Self.maximumMessages))
    }

    /// Only what somebody says in their own name is heard, and what a program says in anybody's.
    private func user(_ id: TreeScalar?, by access: TreeAccess) -> UserID? {
        guard case .text(let text)? = id, let uid = TreeKey("uid") else { return nil }
        guard access.isAdministrator || access.auth.child(uid).leaf == id else { return nil }
        return UserID(text)
    }

    private func say(_ key: TreeKey, _ message: TreeNode, in room: Room, by access: TreeAccess) {
        guard let sender = TreeKey("senderId"), let words = TreeKey("text"),
            let user = self.user(message.child(sender).leaf, by: access),
            case .text(let text)? = message.child(words).leaf
        else { return }
        let body = MessageBody(proven: JSONWriter.object { $0.field("text", text) })
        var change = ChangeRequest(
            .id(room.id), .post(Draft(.text, body)), by: user, as: MessageID(key.text), at: self.chat.now)
        change.isPublished = true
        self.chat.change(change, isByServer: access.isAdministrator) { _ in }
    }

    private func type(_ key: TreeKey, _ value: TreeNode, in room: Room, by access: TreeAccess) {
        guard let user = self.user(.text(key.text), by: access) else { return }
        self.chat.showTyping(in: room.id, user, isOn: value.leaf == .bool(true))
    }

    // MARK: - From the chat

    /// An entry that was written here. Beside other nodes the rooms are followed, whichever node writes.
    func heard(_ outcome: ChangeOutcome) {
        if !self.dependencies.errands.isShared { self.bring(outcome) }
    }

    /// What is on the disk there comes into the tree, unless it came from here or is there already.
    private func bring(_ outcome: ChangeOutcome) {
        let entry = outcome.entry
        guard let room = self.rooms.first(where: { $0.id == outcome.conversation }), entry.sort == .message,
            !outcome.isRepeated, entry.kind == .text, let body = entry.body
        else { return }
        if let own = entry.client.flatMap({ TreeKey($0.text) }), !self.desk.tree.at(room.messages).child(own).isNothing
        {
            return
        }
        guard let text = JSONObject(proven: body.span)["text", .text], let key = Self.key(of: entry, in: room.id),
            self.desk.tree.at(room.messages).child(key).isNothing
        else { return }
        let members: [(String, TreeScalar)] = [
            ("text", .text(text)), ("senderId", .text(entry.sender.text)),
            ("at", .number(Double(entry.time.milliseconds))),
        ]
        let message = TreeNode(members.compactMap { name, value in TreeKey(name).map { ($0, TreeNode(value)) } })
        self.write(room.messages.appending(key), message)
    }

    /// The same again for the same entry, in the order of the times.
    private static func key(of entry: Entry, in id: ConversationID) -> TreeKey? {
        let digest = Digest.sha256.hash("\(id.text)\n\(entry.number)").prefix(12)
        return PushIDs<SecureRandom>.key(at: entry.time.milliseconds, digest.map { $0 & 63 })
    }

    private func typed(in id: ConversationID, _ user: UserID, isOn: Bool) {
        guard let room = self.rooms.first(where: { $0.id == id }), let key = TreeKey(user.text) else { return }
        let path = room.typing.appending(key)
        // What came from here is there already.
        guard (self.desk.tree.at(path).leaf == .bool(true)) != isOn else { return }
        self.write(path, isOn ? TreeNode(.bool(true)) : .nothing)
    }
}
