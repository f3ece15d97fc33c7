internal import Conversing
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// `chatroom/entry/…`: what a room knows under which key, such as the title of what is on. Members hear of changes.
struct RongCloudEntries {
    private let visit: RongCloudVisit

    private static let maximum = 100
    private static let atOnce = 10
    private static let maximumKeyBytes = 128
    private static let maximumValueBytes = 4096

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private struct Entry {
        let key: String
        let value: String
        let user: UserID
        /// It goes when its user leaves.
        let isTransient: Bool

        var json: String {
            String(
                decoding: JSONWriter.object { json in
                    json.field("value", self.value)
                    json.field("autoDelete", self.isTransient)
                    json.field("userId", self.user.text)
                }, as: UTF8.self)
        }
    }

    // MARK: - Writing

    func set(_ form: RongCloudForm) throws(RongCloudProblem) {
        let entry = try Self.entry(
            try form.required("key"), form["value"] ?? "", by: try form.user("userId"),
            isTransient: try form.number("autoDelete", in: 0...1) == 1)
        try self.write([entry], form)
    }

    func setMany(_ form: RongCloudForm) throws(RongCloudProblem) {
        let isTransient = try form.number("autoDelete", in: 0...1) == 1
        let user = try form.user(form["entryOwnerId"] == nil ? "userId" : "entryOwnerId")
        guard let info = LooseObject(Array(try form.required("entryInfo").utf8)) else {
            throw .illegal("entryInfo", "one JSON object")
        }
        guard (1...Self.atOnce).contains(info.names.count) else {
            throw .illegal("entryInfo", "1 to \(Self.atOnce) keys")
        }
        var entries: [Entry] = []
        for key in info.names {
            entries.append(try Self.entry(key, info.text(key) ?? "", by: user, isTransient: isTransient))
        }
        try self.write(entries, form)
    }

    private static func entry(
        _ key: String, _ value: String, by user: UserID, isTransient: Bool
    ) throws(RongCloudProblem) -> Entry {
        guard key.utf8.count <= self.maximumKeyBytes else { throw .tooLong("key", self.maximumKeyBytes) }
        guard key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .illegal("key", "visible letters") }
        guard value.utf8.count <= self.maximumValueBytes else { throw .tooLong("value", self.maximumValueBytes) }
        return Entry(key: key, value: value, user: user, isTransient: isTransient)
    }

    private func write(_ entries: [Entry], _ form: RongCloudForm) throws(RongCloudProblem) {
        try self.inRoom(form) { room, place in
            let book = RongCloudBook.entries(of: place)
            let records = entries.map { self.visit.record(book, $0.key, $0.json, of: $0.user) }
            self.visit.write(records, maximum: Self.maximum) {
                for entry in entries { self.tell(1, entry.key, entry.value, by: entry.user, in: room) }
                self.visit.answer()
            }
        }
    }

    func remove(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (user, key) = (try form.user("userId"), try form.required("key"))
        try self.inRoom(form) { room, place in
            self.visit.write(removing: [.init(RongCloudBook.entries(of: place), key)]) {
                self.tell(2, key, "", by: user, in: room)
                self.visit.answer()
            }
        }
    }

    private func tell(_ type: Int, _ key: String, _ value: String, by user: UserID, in room: ConversationID) {
        var content = LooseObject()
        content.set("type", type)
        content.set("key", key)
        content.set("value", value)
        guard let message = try? RongCloudMessage(RongCloudType.roomEntry, content) else { return }
        self.visit.chat.pass(message.passing(by: user, in: room), to: .members(withSender: true))
    }

    // MARK: - Reading

    func query(_ form: RongCloudForm) throws(RongCloudProblem) {
        let keys = Set(form.values(of: "keys"))
        let name = try form.required("chatroomId")
        let place = try RongCloudPlace.room(name, "chatroomId")
        self.visit.list(RongCloudBook.entries(of: place), limit: Self.maximum) { [visit] records in
            let asked = keys.isEmpty ? records : records.filter { keys.contains($0.place.name) }
            visit.answer { json in
                json.array("keys", of: asked) { json, record in
                    let entry = LooseObject(Array(record.value.utf8)) ?? LooseObject()
                    json.object { json in
                        json.field("key", record.place.name)
                        json.field("value", entry.text("value") ?? "")
                        json.field("userId", entry.text("userId") ?? "")
                        json.field("autoDelete", entry.flag("autoDelete") ? "1" : "0")
                        json.field("lastSetTime", BeijingTime(record.time).text)
                    }
                }
            }
        }
    }

    private func inRoom(
        _ form: RongCloudForm, _ work: @escaping (ConversationID, ConversationID) -> Void
    ) throws(RongCloudProblem) {
        let place = try RongCloudPlace.room(try form.required("chatroomId"), "chatroomId")
        self.visit.fetch(FindSuccession(of: place)) { found throws(RongCloudProblem) in
            guard let room = found.standing else { throw .wrong("there is no such chat room") }
            work(room.id, place)
        }
    }
}

/// What was a member's goes when they leave a room, and all of it when the room ends.
final class RongCloudEntryKeeper {
    private let chat: ChatService

    init(_ chat: ChatService) { self.chat = chat }

    func heard(_ outcome: ChangeOutcome) {
        guard let (place, kind) = RongCloudPlace.base(of: outcome.conversation), kind == .room else { return }
        let isOver = outcome.entry.sort == .dissolved
        guard let user = outcome.entry.departure else {
            if isOver { self.forget(place) { _ in true } }
            return
        }
        self.forget(place) { record in
            record.user == user && LooseObject(Array(record.value.utf8))?.flag("autoDelete") == true
        }
    }

    private func forget(_ place: ConversationID, _ isGone: @escaping (DoorRecord) -> Bool) {
        self.chat.fetch(ListDoorRecords(in: [RongCloudBook.entries(of: place)], limit: 1000)) { [chat] result in
            guard case .success(let records) = result else { return }
            let gone = records.filter(isGone).map(\.place)
            if !gone.isEmpty { chat.fetch(WriteDoorRecords(removing: gone)) { _ in } }
        }
    }
}
