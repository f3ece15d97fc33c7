internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// `/v3/message/…/query`: what was said, whoever said it, in the words of programs.
struct RongCloudPast {
    private let visit: RongCloudVisit
    private static let pageSizes = 1...100

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private struct Question {
        let user: UserID
        let target: String
        let start: Int64
        let end: Int64
        let size: Int
        let includesStart: Bool

        init(_ body: [UInt8]) throws(RongCloudProblem) {
            guard let object = LooseObject(body) else { throw .wrong("the body must be one JSON object") }
            guard let user = object.text("userId") else { throw .missing("userId") }
            guard let target = object.text("targetId") else { throw .missing("targetId") }
            self.user = try RongCloudForm.user(user, "userId")
            self.target = target
            self.start = try Self.number(object, "startTime") ?? 0
            self.end = try Self.number(object, "endTime") ?? .max
            let size = try Self.number(object, "pageSize") ?? 50
            guard RongCloudPast.pageSizes.contains(Int(clamping: size)) else {
                throw .illegal("pageSize", "a number from 1 to \(RongCloudPast.pageSizes.upperBound)")
            }
            self.size = Int(size)
            guard self.start <= self.end else { throw .illegal("startTime", "before 'endTime'") }
            let flag = object["includeStart"].map { String(decoding: $0, as: UTF8.self) } ?? "false"
            self.includesStart = ["true", "\"true\"", "1", "\"1\""].contains(flag)
        }

        /// As a number, or as a text of one.
        private static func number(_ object: LooseObject, _ name: String) throws(RongCloudProblem) -> Int64? {
            guard let json = object[name] else { return nil }
            let text = String(decoding: json, as: UTF8.self).filter { $0 != "\"" }
            guard let number = Int64(text), number >= 0 else { throw .illegal(name, "a number from 0 on") }
            return number
        }

        func holds(_ entry: Entry) -> Bool {
            let time = entry.time.milliseconds
            return time <= self.end && (self.includesStart ? time >= self.start : time > self.start)
        }
    }

    func query(_ kind: RongCloudTarget.Kind, _ body: [UInt8]) throws(RongCloudProblem) {
        let question = try Question(body)
        switch kind {
        case .direct:
            let other = try RongCloudForm.user(question.target, "targetId")
            self.visit.fetch(FindDirect(UserPair(question.user, other))) { self.read($0, question) }
        case .group, .discussion, .room, .system:
            let place =
                try kind == .room
                ? RongCloudPlace.room(question.target, "targetId") : RongCloudPlace.group(question.target, "targetId")
            self.visit.fetch(FindSuccession(of: place)) { self.read($0.standing?.id, question) }
        }
    }

    /// What the user may see of it, from its end on; as many pages as hold what lies between the times.
    private func read(_ id: ConversationID?, _ question: Question) {
        guard let id else { return self.answer([], question) }
        self.read(id, before: nil, question, [])
    }

    private static let page = 200
    /// So far back one question looks.
    private static let maximumRead = 10_000

    private func read(
        _ id: ConversationID, before number: UInt64?, _ question: Question, _ read: [EntryPage.Item], _ count: Int = 0
    ) {
        let request = HistoryRequest(id, for: question.user, .before(number), limit: Self.page)
        self.visit.chat.ask(request, isPatient: true) { result in
            if case .failure(let error) = result, error.code == .notMember { return self.answer([], question) }
            self.visit.unlessRefused(result) { page in
                let found = page.items.filter { $0.entry.isToldToPrograms && question.holds($0.entry) }
                // The earliest ones are wanted first.
                let read = Array((found + read).prefix(question.size))
                guard page.hasMore, let first = page.items.first?.entry, count < Self.maximumRead,
                    first.time.milliseconds >= question.start
                else { return self.answer(read, question) }
                self.read(id, before: first.number, question, read, count + page.items.count)
            }
        }
    }

    private func answer(_ items: [EntryPage.Item], _ question: Question) {
        let books = items.filter { $0.entry.isExpandable }.map { item in
            RongCloudBook.expansion(of: EntryKey(item.key, item.entry.number))
        }
        guard !books.isEmpty else { return self.answer(items, [:], question) }
        self.visit.fetch(ListDoorRecords(in: books, limit: RongCloudExpansion.maximum)) { records in
            self.answer(items, Dictionary(grouping: records, by: \.place.book), question)
        }
    }

    private func answer(_ items: [EntryPage.Item], _ expansions: [String: [DoorRecord]], _ question: Question) {
        self.visit.answer { json in
            json.array("data", of: items) { json, item in
                let key = EntryKey(item.key, item.entry.number)
                json.object { json in
                    json.field("targetId", question.target)
                    json.published(item.entry, key)
                    guard item.entry.isExpandable else { return }
                    json.object("expansion") { json in
                        for record in expansions[RongCloudBook.expansion(of: key)] ?? [] {
                            json.field(record.place.name, record.value)
                        }
                    }
                }
            }
        }
    }
}

extension Entry {
    /// A message of which something is left.
    var isToldToPrograms: Bool {
        self.sort == .message && !self.isRecalled && self.body != nil && self.isPersisted
    }
}

extension JSONWriter {
    /// A message as programs know it.
    mutating func published(_ entry: Entry, _ key: EntryKey) {
        let words = RongCloudWords(entry)
        self.field("fromUserId", entry.sender.text)
        self.field("messageUID", RongCloudMessageUID(key).text)
        self.field("msgTime", entry.time.milliseconds)
        self.field("objectName", words.type)
        self.field("content", words.content)
        if let extra = words.extraContent { self.field("extraContent", extra) }
    }
}
