internal import Conversing
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// When each member came into a chat room, which the door remembers for as long as they are there.
final class RongCloudArrivals {
    private let chat: ChatService

    /// Members of one chat room whose coming is told.
    static let maximum = 10_000

    init(_ chat: ChatService) { self.chat = chat }

    func heard(_ outcome: ChangeOutcome) {
        guard let (_, kind) = RongCloudPlace.base(of: outcome.conversation), kind == .room else { return }
        let book = RongCloudBook.arrivals(in: outcome.conversation)
        if outcome.entry.sort == .dissolved { return self.forget(book) }
        let come = outcome.entry.arrivals.filter { $0 != RongCloudPlace.server }.map { user in
            DoorRecord(.init(book, user.text), "", of: user, at: outcome.entry.time)
        }
        let gone = outcome.entry.departure.map { DoorRecord.Place(book, $0.text) }
        guard !come.isEmpty || gone != nil else { return }
        self.chat.fetch(WriteDoorRecords(come, removing: gone.map { [$0] } ?? []), isPatient: true) { _ in }
    }

    private func forget(_ book: String) {
        self.chat.fetch(ListDoorRecords(in: [book], limit: Self.maximum), isPatient: true) { [chat] result in
            guard case .success(let records) = result, !records.isEmpty else { return }
            chat.fetch(WriteDoorRecords(removing: records.map(\.place)), isPatient: true) { _ in }
        }
    }

    /// In the order in which they came or the other one, and by their ids who came at once; last of all those of whom no time is known.
    static func ordered(_ members: [UserID], _ records: [DoorRecord], isLatestFirst: Bool) -> [(UserID, WallTime?)] {
        let times = Dictionary(records.map { ($0.place.name, $0.time) }, uniquingKeysWith: { $1 })
        let known = members.compactMap { user in times[user.text].map { (user, $0) } }.sorted { one, other in
            if one.1 != other.1 { return (one.1 < other.1) != isLatestFirst }
            return one.0.text < other.0.text
        }
        return known + members.filter { times[$0.text] == nil }.map { ($0, nil) }
    }
}
