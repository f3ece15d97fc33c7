internal import JSON
internal import Keeping
internal import Vocabulary

/// `/user/tag/…`: words by which programs choose whom a push is for.
struct RongCloudTags {
    private let visit: RongCloudVisit
    private static let maximumTags = 20
    private static let maximumTagBytes = 40
    private static let users = 1...1000
    private static let asked = 1...50

    init(_ visit: RongCloudVisit) { self.visit = visit }

    /// In the place of those that the user has; none takes them away.
    func set(_ body: [UInt8], ofMany: Bool) throws(RongCloudProblem) {
        let object = try RongCloudForm.object(body)
        let names: [String]
        if ofMany {
            guard let list = object.texts("userIds") else { throw .missing("userIds") }
            names = list
        } else {
            guard let name = object.text("userId") else { throw .missing("userId") }
            names = [name]
        }
        guard Self.users.contains(names.count) else { throw .illegal("userIds", "1 to \(Self.users.upperBound)") }
        let tags = try Self.tags(object)
        let json = String(decoding: JSONWriter.bytes { $0.texts(tags) }, as: UTF8.self)
        var (records, removed) = ([DoorRecord](), [DoorRecord.Place]())
        for name in names {
            let user = try RongCloudForm.user(name, "userId")
            if tags.isEmpty {
                removed.append(.init(RongCloudBook.tags, user.text))
            } else {
                records.append(self.visit.record(RongCloudBook.tags, user.text, json, of: user))
            }
        }
        self.visit.write(records, removing: removed)
    }

    private static func tags(_ object: LooseObject) throws(RongCloudProblem) -> [String] {
        guard let tags = object.texts("tags") else { throw .missing("tags") }
        guard tags.count <= self.maximumTags else { throw .illegal("tags", "at most \(self.maximumTags)") }
        guard tags.allSatisfy({ (1...self.maximumTagBytes).contains($0.utf8.count) }) else {
            throw .tooLong("tags", self.maximumTagBytes)
        }
        return tags
    }

    func get(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userIds", Self.asked)
        self.visit.find(users.map { DoorRecord.Place(RongCloudBook.tags, $0.text) }) { [visit] records in
            let tags = Dictionary(records.map { ($0.place.name, $0.tags) }) { first, _ in first }
            visit.answer { json in
                json.object("result") { json in
                    for user in users { json.field(user.text) { $0.texts(tags[user.text] ?? []) } }
                }
            }
        }
    }
}

extension DoorRecord {
    /// Of a user.
    var tags: [String] { JSONType<String>.text.list().read(proven: Array(self.value.utf8)) ?? [] }
}

extension JSONWriter {
    mutating func texts(_ texts: [String]) { self.array { json in for text in texts { json.string(text) } } }
}

extension LooseObject {
    func texts(_ name: String) -> [String]? { self[name].flatMap { JSONType<String>.text.list().read(proven: $0) } }

    /// As programs write it in the languages they are made in.
    func flag(_ name: String) -> Bool {
        let text = self[name].map { String(decoding: $0, as: UTF8.self).lowercased().filter { $0 != "\"" } }
        return text == "true" || text == "1"
    }
}

extension RongCloudForm {
    /// A body that is JSON.
    static func object(_ body: [UInt8]) throws(RongCloudProblem) -> LooseObject {
        guard let object = LooseObject(body) else { throw .wrong("the body must be one JSON object") }
        return object
    }
}
