internal import Conversing
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// `message/expansion/…`: what is added to a message that was published for it, by key.
struct RongCloudExpansion {
    private let visit: RongCloudVisit

    private static let atOnce = 100
    static let maximum = 300
    private static let maximumKeyBytes = 32
    private static let maximumValueBytes = 64

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func set(_ form: RongCloudForm) throws(RongCloudProblem) {
        guard let added = LooseObject(Array(try form.required("extraKeyVal").utf8)) else {
            throw .illegal("extraKeyVal", "one JSON object")
        }
        guard (1...Self.atOnce).contains(added.names.count) else {
            throw .illegal("extraKeyVal", "1 to \(Self.atOnce) keys")
        }
        for name in added.names {
            try Self.check(name)
            guard let value = added.text(name) else { throw .illegal("extraKeyVal", "texts by keys") }
            guard value.utf8.count <= Self.maximumValueBytes else { throw .tooLong(name, Self.maximumValueBytes) }
        }
        try self.withMessage(form) { key, user, place in
            let book = RongCloudBook.expansion(of: key)
            let records = added.names.map { self.visit.record(book, $0, added.text($0) ?? "") }
            self.visit.write(records, maximum: Self.maximum) {
                var content = LooseObject()
                content.set("put", added)
                self.tell(content, of: key, by: user, in: place)
                self.visit.answer()
            }
        }
    }

    func remove(_ form: RongCloudForm) throws(RongCloudProblem) {
        let json = Array(try form.required("extraKey").utf8)
        guard (try? JSONObject(JSONWriter.object { $0.field("keys", raw: json) }.span)) != nil,
            let keys = JSONType<String>.text.list().read(proven: json)
        else { throw .illegal("extraKey", "a JSON array of keys") }
        guard (1...Self.atOnce).contains(keys.count) else { throw .illegal("extraKey", "1 to \(Self.atOnce) keys") }
        try self.withMessage(form) { key, user, place in
            let book = RongCloudBook.expansion(of: key)
            self.visit.write(removing: keys.map { DoorRecord.Place(book, $0) }) {
                var content = LooseObject()
                content["del"] = JSONWriter.bytes { $0.texts(keys) }
                self.tell(content, of: key, by: user, in: place)
                self.visit.answer()
            }
        }
    }

    func query(_ form: RongCloudForm) throws(RongCloudProblem) {
        guard let uid = RongCloudMessageUID(try form.required("msgUID")) else { throw .gone("message") }
        self.visit.list(RongCloudBook.expansion(of: uid.key), limit: Self.maximum) { [visit] records in
            visit.answer { json in
                json.object("extraContent") { json in
                    for record in records {
                        json.object(record.place.name) { json in
                            json.field("v", record.value)
                            json.field("ts", record.time.milliseconds)
                        }
                    }
                }
            }
        }
    }

    private static func check(_ key: String) throws(RongCloudProblem) {
        guard (1...self.maximumKeyBytes).contains(key.utf8.count) else {
            throw .tooLong("extraKeyVal", self.maximumKeyBytes)
        }
        let isLegal = key.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "+=-_".utf8.contains(byte)
        }
        guard isLegal else { throw .illegal("extraKeyVal", "keys of letters, digits and + = - _") }
    }

    /// One that is there, where the program says, and was published for it.
    private func withMessage(
        _ form: RongCloudForm, _ work: @escaping (EntryKey, UserID, ConversationID) -> Void
    ) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let target = try RongCloudTarget(form)
        guard let uid = RongCloudMessageUID(try form.required("msgUID")) else { throw .gone("message") }
        self.visit.fetch(FindEntry(uid.key)) { found throws(RongCloudProblem) in
            guard let found, found.entry.isToldToPrograms, target.holds(found, for: user) else {
                throw .gone("message")
            }
            guard found.entry.isExpandable else {
                throw .restricted("the message was not published with 'expansion'")
            }
            work(uid.key, user, found.conversation.id)
        }
    }

    private func tell(_ content: LooseObject, of key: EntryKey, by user: UserID, in place: ConversationID) {
        var content = content
        content.set("mid", RongCloudMessageUID(key).text)
        guard let message = try? RongCloudMessage(RongCloudType.expansion, content) else { return }
        self.visit.chat.pass(message.passing(by: user, in: place), to: .members(withSender: true))
    }
}

extension Entry {
    private var kept: LooseObject? {
        self.body.flatMap { LooseObject($0) }?.object(RongCloudMessage.member)
    }

    var isExpandable: Bool { self.kept?.flag("expansion") == true }
    /// It is for those who get it, and in no past that programs read.
    var isPersisted: Bool { self.kept?["persisted"].map { $0 != Array("false".utf8) } ?? true }
}
