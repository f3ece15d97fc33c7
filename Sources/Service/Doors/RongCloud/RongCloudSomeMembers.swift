internal import Conversing
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// What is said in a group to some of its members: each of them reads it in a conversation of their own, which is named after
/// the group, since everybody reads what stands in the group itself.
struct RongCloudSomeMembers {
    private let visit: RongCloudVisit

    init(_ visit: RongCloudVisit) { self.visit = visit }

    /// Who is not in the group is passed over.
    func publish(
        _ message: RongCloudMessage, by sender: UserID, _ name: String, _ place: ConversationID, to some: [UserID]
    ) {
        self.visit.fetch(FindSuccession(of: place)) { [visit] found in
            guard let group = found.standing else { return Self.answer(name, nil, visit) }
            RongCloudMembers(visit).collect(in: group.id) { members in
                let receivers = Set(members).intersection(some)
                self.publish(message, by: sender, name, group, to: some.filter(receivers.contains))
            }
        }
    }

    private func publish(
        _ message: RongCloudMessage, by sender: UserID, _ name: String, _ group: ConversationRow, to users: [UserID]
    ) {
        RongCloudPublishing(self.visit).prepare(message, by: sender) { draft in
            self.post(draft, by: sender, name, group, users[...], first: nil)
        }
    }

    private func post(
        _ draft: Draft, by sender: UserID, _ name: String, _ group: ConversationRow, _ users: ArraySlice<UserID>,
        first: String?
    ) {
        guard let user = users.first else { return Self.answer(name, first, self.visit) }
        let id = RongCloudPlace.aside(from: sender, in: group.id, to: user)
        RongCloudPoster(self.visit.chat).post(draft, by: sender, entitled: group.title, in: id, with: user) { result in
            var first = first
            if case .success(let outcome) = result {
                first = first ?? RongCloudMessageUID(EntryKey(outcome.key, outcome.entry.number)).text
            }
            self.post(draft, by: sender, name, group, users.dropFirst(), first: first)
        }
    }

    private static func answer(_ name: String, _ uid: String?, _ visit: RongCloudVisit) {
        visit.answer { json in
            json.array("messageUIDs", of: uid.map { [$0] } ?? []) { $0.fields(("groupId", name), ("messageUID", $1)) }
        }
    }
}
