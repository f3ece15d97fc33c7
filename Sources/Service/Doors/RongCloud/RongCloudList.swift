internal import JSON
internal import Keeping
internal import Vocabulary

/// A list of names that programs add to, take from and read.
struct RongCloudList: Sendable {
    enum Names: Sendable { case users, rooms, groups, types }

    /// The field that names them, and what they are.
    let field: String
    let names: Names
    /// At once, and in all.
    let counts: ClosedRange<Int>
    let maximum: Int
    let answer: String
    /// In which book, by the form.
    let book: @Sendable (RongCloudForm) throws(RongCloudProblem) -> String
    /// How each one is answered.
    let write: @Sendable (inout JSONWriter, DoorRecord) -> Void

    init(
        _ field: String, _ names: Names, _ counts: ClosedRange<Int>, maximum: Int = 1000, answer: String,
        in book: @escaping @Sendable (RongCloudForm) throws(RongCloudProblem) -> String,
        _ write: @escaping @Sendable (inout JSONWriter, DoorRecord) -> Void = { $0.string($1.shown) }
    ) {
        (self.field, self.names, self.counts, self.maximum) = (field, names, counts, maximum)
        (self.answer, self.book, self.write) = (answer, book, write)
    }

    func add(_ visit: RongCloudVisit, _ form: RongCloudForm) throws(RongCloudProblem) {
        let book = try self.book(form)
        let records = try self.checked(form).map { name in
            visit.record(book, name.key, name.shown, of: self.names == .users ? UserID(name.key) : nil)
        }
        visit.write(records, maximum: self.maximum)
    }

    func remove(_ visit: RongCloudVisit, _ form: RongCloudForm) throws(RongCloudProblem) {
        let book = try self.book(form)
        visit.write(removing: try self.checked(form).map { DoorRecord.Place(book, $0.key) })
    }

    func query(_ visit: RongCloudVisit, _ form: RongCloudForm) throws(RongCloudProblem) {
        visit.list(try self.book(form), limit: self.maximum) { records in
            visit.answer { json in json.array(self.answer, of: records) { self.write(&$0, $1) } }
        }
    }

    /// What it is known by, and what programs call it.
    private func checked(_ form: RongCloudForm) throws(RongCloudProblem) -> [(key: String, shown: String)] {
        let values = form.values(of: self.field)
        guard !values.isEmpty else { throw .missing(self.field) }
        guard values.count <= self.counts.upperBound else {
            throw .illegal(self.field, "at most \(self.counts.upperBound)")
        }
        var names: [(String, String)] = []
        for value in values { names.append((try self.key(of: value), value)) }
        return names
    }

    private func key(of value: String) throws(RongCloudProblem) -> String {
        switch self.names {
        case .users: return try RongCloudForm.user(value, self.field).text
        case .rooms: return RongCloudPlace.shortName(of: try RongCloudPlace.room(value, self.field))
        case .groups: return RongCloudPlace.shortName(of: try RongCloudPlace.group(value, self.field))
        case .types:
            guard value.utf8.count <= RongCloudMessage.maximumTypeBytes else {
                throw .tooLong(self.field, RongCloudMessage.maximumTypeBytes)
            }
            return value
        }
    }
}

extension DoorRecord {
    /// What programs call it.
    var shown: String { self.value.isEmpty ? self.place.name : self.value }
}

// MARK: - Those there are

extension RongCloudList {
    static let trusted = RongCloudList("whiteUserId", .users, 1...20, answer: "users") {
        form throws(RongCloudProblem) in RongCloudBook.trusted(by: try form.user("userId"))
    }
    /// Who speaks where a group is silent.
    static let groupVoices = RongCloudList("userId", .users, 1...20, answer: "userIds") {
        form throws(RongCloudProblem) in
        RongCloudBook.voices(in: try RongCloudPlace.group(try form.required("groupId"), "groupId"))
    }
    static let roomVoices = RongCloudList("userId", .users, 1...20, answer: "userIds") {
        form throws(RongCloudProblem) in
        RongCloudBook.voices(in: try RongCloudPlace.room(try form.required("chatroomId"), "chatroomId"))
    }
    static let favoured = RongCloudList("userId", .users, 1...5, maximum: 5, answer: "users") {
        form throws(RongCloudProblem) in
        RongCloudBook.favoured(in: try RongCloudPlace.room(try form.required("chatroomId"), "chatroomId"))
    }
    static let silentRooms = RongCloudList("chatroomId", .rooms, 1...20, answer: "chatroomIds") { _ in
        RongCloudBook.silentRooms
    }
    static let stoppedRooms = RongCloudList("chatroomId", .rooms, 1...20, answer: "chatroomIds") { _ in
        RongCloudBook.stoppedRooms
    }
    static let keptRooms = RongCloudList("chatroomId", .rooms, 1...20, answer: "chatroomIds") { _ in
        RongCloudBook.keptRooms
    }
    static let lesserTypes = RongCloudList("objectName", .types, 1...20, maximum: 20, answer: "objectNames") { _ in
        RongCloudBook.lesserTypes
    }
    static let favouredTypes = RongCloudList("objectnames", .types, 1...20, maximum: 20, answer: "whitlistMsgType") {
        _ in RongCloudBook.favouredTypes
    }
    static let silentGroups = RongCloudList("groupId", .groups, 1...20, answer: "groupinfo") { _ in
        RongCloudBook.silentGroups
    }
}
