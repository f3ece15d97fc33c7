internal import Conversing
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// Who is in a group or a room, without the server.
struct RongCloudMembers {
    private let visit: RongCloudVisit
    private static let page = 500
    private static let maximumListed = 10_000

    init(_ visit: RongCloudVisit) { self.visit = visit }

    func collect(in id: ConversationID, _ done: @escaping ([UserID]) -> Void) { self.collect([], in: id, done) }

    private func collect(_ users: [UserID], in id: ConversationID, _ done: @escaping ([UserID]) -> Void) {
        let request = MemberRequest(id, for: RongCloudPlace.server, after: users.last?.text ?? "", limit: Self.page)
        self.visit.chat.ask(request, isPatient: true) { result in
            self.visit.unlessRefused(result) { members in
                let users = users + members.map(\.user)
                guard members.count == Self.page, users.count < Self.maximumListed else {
                    return done(users.filter { $0 != RongCloudPlace.server })
                }
                self.collect(users, in: id, done)
            }
        }
    }
}
