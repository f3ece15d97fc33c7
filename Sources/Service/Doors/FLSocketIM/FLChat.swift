internal import Bytes
internal import Conversing
internal import FileTypes
internal import Files
internal import Hashing
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor
internal import SocketServer
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// What FLSocketIM's apps say to each other, put into the conversations of all: their messages are messages, their groups
/// are rooms.
///
/// Errors have no words in their world: what cannot be done is not answered, and the app offers to send it again.
final class FLChat {
    let desk: ChatService
    let files: FileService
    let store: any Store
    let reactor: Reactor
    private var ears: [SessionID: FLSubscription] = [:]
    private var random = SystemRandomNumberGenerator()
    /// By which names groups were joined; those who are in them are told the same.
    private(set) var groupNames: [ConversationID: String] = [:]

    private static let maximumGroupNames = 10_000
    /// Of one event that goes on to others, its attachments included: half of what may wait for one client.
    static let maximumRelayedBytes = 2_000_000

    init(_ dependencies: DoorDependencies) {
        self.desk = dependencies.chat
        self.files = dependencies.files
        self.store = dependencies.store
        self.reactor = dependencies.reactor
    }

    /// What the app missed comes at once, then what is said.
    func entered(_ guest: Guest) {
        let ear = FLSubscription(guest, self)
        self.ears[guest.session] = ear
        ear.start()
    }

    func left(_ guest: Guest) {
        guard let ear = self.ears.removeValue(forKey: guest.session) else { return }
        ear.end()
        self.desk.stopListening(ear)
    }

    func received(_ name: String, _ json: [UInt8], in event: SocketEvent, from guest: Guest) {
        guard let object = LooseObject(json) else { return }
        switch name {
        case "chat": self.say(object, event, by: guest)
        case "create": self.create(object, event, by: guest)
        case "join": self.join(object, event, by: guest)
        case "leave": self.leave(object, guest)
        case "GroupChat": self.sayToGroup(object, json.count, event.attachments, guest)
        default: break
        }
    }
}

// MARK: - One to one

extension FLChat {
    private func say(_ object: LooseObject, _ event: SocketEvent, by guest: Guest) {
        guard let message = FLMessage(object), let name = try? UserName(message.to) else { return }
        self.store.send(
            FindUser.name(name),
            self.reactor.returning { result in
                guard case .success(let user?) = result else { return }
                self.bring(message, object, attachments: event.attachments, by: guest) { message, file in
                    self.send(message, file, to: user.id, by: guest, ackID: event.ackID)
                }
            })
    }

    /// The bytes that came along, kept as a file; of a location, a picture of the place.
    private func bring(
        _ message: FLMessage, _ object: LooseObject, attachments: [[UInt8]], by guest: Guest,
        _ completion: @escaping (FLMessage, FLFile?) -> Void
    ) {
        switch message.type {
        case "loc":
            let (latitude, longitude) = (message.coordinate("latitude"), message.coordinate("longitude"))
            self.reactor.offload({ MapPicture(latitude: latitude, longitude: longitude).png }) { png in
                self.keep(png, of: message, by: guest, completion)
            }
        case "img", "audio":
            let placeholder = object.object("bodies")?.object("fileData")
            guard let number = placeholder?.integer("num"), attachments.indices.contains(number) else { return }
            self.keep(attachments[number], of: message, by: guest, completion)
        default: completion(message, nil)
        }
    }

    private func keep(
        _ bytes: [UInt8], of message: FLMessage, by guest: Guest, _ completion: @escaping (FLMessage, FLFile?) -> Void
    ) {
        let label = message.bodies.text("fileName").flatMap { FileLabel(cleaning: $0) }
        self.files.take(bytes, called: label, by: guest.user, stay: .open, on: self.reactor) { result in
            guard case .success(let record) = result, message.type != "img" || record.picture != nil else { return }
            var message = message
            message.attach(record)
            completion(message, FLFile(record: record))
        }
    }

    private func send(_ message: FLMessage, _ file: FLFile?, to user: UserID, by guest: Guest, ackID: Int?) {
        var message = message
        message.sign(by: guest.name.text, id: UUIDText.make(using: &self.random))
        let request = ChangeRequest(
            .user(user, new: self.desk.newID()), .post(message.draft(showing: file)), by: guest.user,
            as: message.clientID(to: user), at: self.desk.now)
        self.desk.change(request, from: guest) { result in
            guard case .success(let outcome) = result, let ackID,
                var answer = FLEntry.object(of: outcome.entry)
            else { return }
            if file != nil, message.type != "loc", var bodies = answer.object("bodies") {
                bodies["fileData"] = Array("null".utf8)
                answer.set("bodies", bodies)
            }
            guest.socket.answer(ackID) { $0.raw(answer.json) }
        }
    }
}

extension FLMessage {
    fileprivate func coordinate(_ name: String) -> Double {
        guard let json = self.bodies[name] else { return 0 }
        return Double(String(decoding: json, as: UTF8.self).filter { $0 != "\"" }) ?? 0
    }
}

// MARK: - Groups

extension FLChat {
    static let groupPrefix = "fl-"

    /// Groups of theirs are known by their names; a client that knows one may join.
    static func group(named name: String) -> ConversationID? {
        guard (1...256).contains(name.utf8.count) else { return nil }
        return ConversationID(self.groupPrefix + Hex.encode(Digest.sha256.hash(name).prefix(16)))
    }

    /// Further groups of one name are known as `name#2` and so on.
    private static func namesakes(_ name: String) -> ArraySlice<String> {
        [name, "\(name)#2", "\(name)#3", "\(name)#4"]
    }

    /// As their server does it, a group of one's own, whether others have one of that name or not. The answer tells by which
    /// name it is joined.
    private func create(_ object: LooseObject, _ event: SocketEvent, by guest: Guest) {
        guard let name = object.text("roomId") else { return }
        self.create(Self.namesakes(name), ackID: event.ackID, by: guest)
    }

    private func create(_ names: ArraySlice<String>, ackID: Int?, by guest: Guest) {
        guard let name = names.first, let id = Self.group(named: name) else { return }
        let creation = CreationRequest(id, .room, title: DisplayName(name), by: guest.user, at: self.desk.now)
        self.desk.create(creation) { result in
            if case .success = result { return self.joined(name, by: guest, ackID: ackID) }
            guard case .failure(let error) = result, error.code == .conflict else { return }
            self.desk.ask(ViewConversation(id, for: guest.user)) { result in
                if case .success(let view) = result, view.role == .owner {
                    self.joined(name, by: guest, ackID: ackID)
                } else {
                    self.create(names.dropFirst(), ackID: ackID, by: guest)
                }
            }
        }
    }

    private func join(_ object: LooseObject, _ event: SocketEvent, by guest: Guest) {
        guard let name = object.text("roomId"), let id = Self.group(named: name) else { return }
        let creation = CreationRequest(id, .room, title: DisplayName(name), by: guest.user, at: self.desk.now)
        let answer = { self.joined(name, by: guest, ackID: event.ackID) }
        self.remember(name, of: id)
        self.desk.create(creation) { result in
            if case .success = result { return answer() }
            // It is there already.
            let change = ChangeRequest(.id(id), .join, by: guest.user, at: self.desk.now)
            self.desk.change(change) { result in
                switch result {
                case .success: answer()
                case .failure(let error) where error.code == .conflict: answer()
                case .failure: break
                }
            }
        }
    }

    private func remember(_ name: String, of id: ConversationID) {
        if self.groupNames.count >= Self.maximumGroupNames { self.groupNames = [:] }
        self.groupNames[id] = name
    }

    /// As their server does it: the answer, and then an echo, which the others in the group get as well (`FLSubscription`).
    private func joined(_ name: String, by guest: Guest, ackID: Int?) {
        if let ackID { guest.socket.answer(ackID) { $0.string(name) } }
        guest.socket.emit("GroupChat") { $0.fields(("roomId", name)) }
    }

    private func leave(_ object: LooseObject, _ guest: Guest) {
        guard let name = object.text("roomId") else { return }
        self.leave(Self.namesakes(name), guest)
    }

    private func leave(_ names: ArraySlice<String>, _ guest: Guest) {
        guard let id = names.first.flatMap({ Self.group(named: $0) }) else { return }
        self.desk.change(ChangeRequest(.id(id), .leave, by: guest.user, at: self.desk.now)) { result in
            if case .failure(let error) = result, error.code == .notMember { self.leave(names.dropFirst(), guest) }
        }
    }

    /// Every member gets it as it is, the sender included.
    private func sayToGroup(_ object: LooseObject, _ length: Int, _ attachments: [[UInt8]], _ guest: Guest) {
        let total = attachments.reduce(length) { $0 + $1.count }
        guard let name = object.text("roomId"), total <= Self.maximumRelayedBytes else { return }
        self.keep(attachments[...], [], by: guest) { files in
            self.say(object, files, to: Self.namesakes(name), guest)
        }
    }

    /// What comes as bytes is kept as files, of which the message tells the names.
    private func keep(
        _ attachments: ArraySlice<[UInt8]>, _ kept: [FileID], by guest: Guest,
        _ completion: @escaping ([FileID]) -> Void
    ) {
        guard let bytes = attachments.first else { return completion(kept) }
        self.files.take(bytes, called: nil, by: guest.user, stay: .open, on: self.reactor) { result in
            guard case .success(let file) = result else { return }
            self.keep(attachments.dropFirst(), kept + [file.id], by: guest, completion)
        }
    }

    /// The first of these groups that the sender is in.
    private func say(_ object: LooseObject, _ files: [FileID], to names: ArraySlice<String>, _ guest: Guest) {
        guard let name = names.first, let id = Self.group(named: name) else { return }
        var object = object
        if object.text("roomId") != name { object.set("roomId", name) }
        let change = ChangeRequest(.id(id), .post(Self.draft(object, files)), by: guest.user, at: self.desk.now)
        self.desk.change(change, from: guest) { result in
            guard case .failure(let error) = result, error.code == .notMember else { return }
            self.say(object, files, to: names.dropFirst(), guest)
        }
    }

    private static func draft(_ object: LooseObject, _ files: [FileID]) -> Draft {
        var body = LooseObject()
        let words = object.object("bodies")?.text("msg") ?? object.text("msg")
        body.set("text", words ?? "")
        if !files.isEmpty {
            body["files"] = JSONWriter.bytes { json in
                json.array { json in for file in files { json.string(file.text) } }
            }
        }
        body.set(FLMessage.member, object)
        let kind: MessageKind = files.isEmpty ? (words?.isEmpty == false ? .text : .custom) : .mixed
        return Draft(kind, MessageBody(proven: body.json))
    }
}
