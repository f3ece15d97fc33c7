internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// Who may say nothing in any room or any group for a while, and which groups are silent.
struct RongCloudSilences {
    private let visit: RongCloudVisit
    private static let users = 1...20
    private static let minutes = 0...43_200
    static let maximum = 10_000

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func add(to book: String, _ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        guard let minutes = try form.number("minute", in: Self.minutes) else { throw .missing("minute") }
        let end = RongCloudBlocks.time(minutes, after: self.visit.chat.now)
        let records = users.map { self.visit.record(book, $0.text, "\(end.milliseconds)", of: $0) }
        self.visit.write(records, maximum: Self.maximum)
    }

    func remove(from book: String, _ form: RongCloudForm) throws(RongCloudProblem) {
        self.visit.write(removing: try form.users("userId", Self.users).map { DoorRecord.Place(book, $0.text) })
    }

    func list(_ book: String) {
        let now = self.visit.chat.now
        self.visit.list(book, limit: Self.maximum) { [visit] records in
            let open = records.compactMap { record in record.end.map { (record.place.name, $0) } }.filter { $0.1 > now }
            visit.answer { json in
                json.array("users", of: open) { json, silence in
                    json.fields(("userId", silence.0), ("time", BeijingTime(silence.1).text))
                }
            }
        }
    }

    /// Of those that are asked for, or of all that are silent.
    func listGroups(_ form: RongCloudForm) throws(RongCloudProblem) {
        let asked = form.values(of: "groupId")
        guard asked.count <= Self.users.upperBound else { throw .illegal("groupId", "at most 20") }
        self.visit.list(RongCloudBook.silentGroups, limit: Self.maximum) { [visit] records in
            let silent = Set(records.map(\.shown))
            visit.answer { json in
                json.array("groupinfo", of: asked.isEmpty ? silent.sorted() : asked) { json, group in
                    json.fields(("groupId", group)) { $0.field("stat", silent.contains(group) ? 1 : 0) }
                }
            }
        }
    }
}

extension DoorRecord {
    /// Until when it counts, where that is what it says.
    var end: WallTime? { Int64(self.value).map { WallTime(milliseconds: $0) } }
}

/// Whether people may speak in groups and rooms of programs. What programs say is not asked about.
final class RongCloudGate: ChatGate {
    private let chat: ChatService

    init(_ chat: ChatService) { self.chat = chat }

    func judge(_ request: ChangeRequest, _ verdict: @escaping (RequestError?) -> Void) {
        guard !request.isPublished, case .id(let id) = request.address,
            let (place, kind) = RongCloudPlace.base(of: id)
        else { return verdict(nil) }
        let places = Self.places(place, kind, request.actor)
        let now = self.chat.now
        self.chat.fetch(FindDoorRecords(places)) { result in
            switch result {
            case .failure(let error): verdict(error)
            case .success(let records): verdict(Self.refusal(records, at: now))
            }
        }
    }

    private static func places(
        _ place: ConversationID, _ kind: RongCloudTarget.Kind, _ user: UserID
    ) -> [DoorRecord.Place] {
        let voice = DoorRecord.Place(RongCloudBook.voices(in: place), user.text)
        let name = RongCloudPlace.shortName(of: place)
        guard kind == .room else {
            return [
                .init(RongCloudBook.silencedInGroups, user.text), .init(RongCloudBook.silentGroups, name), voice,
            ]
        }
        return [
            .init(RongCloudBook.silencedInRooms, user.text), .init(RongCloudBook.silentRooms, name),
            .init(RongCloudBook.stoppedRooms, name), voice,
        ]
    }

    static func refusal(_ records: [DoorRecord], at now: WallTime) -> RequestError? {
        let silenced = [RongCloudBook.silencedInGroups, RongCloudBook.silencedInRooms]
        if let end = records.first(where: { silenced.contains($0.place.book) })?.end, end > now {
            return RequestError(.silenced, "you may only listen until \(end.milliseconds) ms since 1970")
        }
        let books = Set(records.map(\.place.book))
        let isVoice = books.contains { $0.hasPrefix(RongCloudBook.voices) }
        if books.contains(RongCloudBook.stoppedRooms) {
            return RequestError(.silenced, "nothing is passed on here just now")
        }
        guard !isVoice, !books.isDisjoint(with: [RongCloudBook.silentGroups, RongCloudBook.silentRooms]) else {
            return nil
        }
        return RequestError(.silenced, "nobody speaks here just now")
    }
}
