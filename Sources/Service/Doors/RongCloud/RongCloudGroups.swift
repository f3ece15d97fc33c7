internal import Conversing
internal import JSON
internal import Keeping
internal import Operations
internal import Switchboard
internal import Vocabulary

/// `/group/…`: who is in which group. The server leads them, and their members may do what members of other groups may.
struct RongCloudGroups {
    private let visit: RongCloudVisit

    private static let members = 1...1000
    private static let maximumListed = 10_000
    private static let maximumSynced = 1000

    init(_ visit: RongCloudVisit) { self.visit = visit }

    private var chat: ChatService { self.visit.chat }

    // MARK: - Coming and going

    /// One that is there already gets more members, and its name where one is said.
    func create(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.members)
        let name = try form.required("groupId")
        let title = try RongCloudUsers.title(form["groupName"], "groupName")
        self.open(name, try RongCloudPlace.group(name, "groupId"), title, with: users) { self.visit.answer() }
    }

    private func open(
        _ name: String, _ place: ConversationID, _ title: DisplayName?, with users: [UserID],
        _ then: @escaping () -> Void
    ) {
        self.find(place) { found in
            if let standing = found.standing {
                return self.rename(standing, title) { self.invite(users, into: standing.id, then) }
            }
            var creation = CreationRequest(
                found.id, .group, title: title ?? DisplayName(name), by: RongCloudPlace.server, with: users,
                at: self.chat.now)
            creation.subject = RongCloudPlace.subject(of: name, in: found.id)
            self.chat.create(creation, isByServer: true) { result in
                // Another request may have begun it meanwhile.
                if case .failure(let error) = result, error.code == .conflict {
                    return self.invite(users, into: found.id, then)
                }
                self.visit.unlessRefused(result) { _ in then() }
            }
        }
    }

    private struct Named {
        let name: String
        let place: ConversationID
        let title: DisplayName?
    }

    /// `group[10001]=name`: in which groups a user is, and in no other of the program's.
    func sync(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let members = form.members(of: "group")
        guard members.count <= Self.maximumSynced else { throw .illegal("group", "at most \(Self.maximumSynced)") }
        var groups: [Named] = []
        for (name, title) in members {
            let place = try RongCloudPlace.group(name, "group")
            groups.append(Named(name: name, place: place, title: try RongCloudUsers.title(title, "groupName")))
        }
        let request = ListConversationsNamed(RongCloudPlace.groupPrefixes, of: user, limit: Self.maximumListed)
        self.visit.fetch(request) { [groups] rows in
            let others = rows.filter { row in
                !groups.contains { RongCloudPlace.isSuccessor(row.id, of: $0.place) }
            }
            self.leave(others.map(\.id)[...], user) { self.enter(groups[...], user) }
        }
    }

    private func leave(_ places: ArraySlice<ConversationID>, _ user: UserID, _ then: @escaping () -> Void) {
        guard let id = places.first else { return then() }
        self.chat.change(ChangeRequest(.id(id), .leave, by: user, at: self.chat.now), isByServer: true) { _ in
            self.leave(places.dropFirst(), user, then)
        }
    }

    private func enter(_ groups: ArraySlice<Named>, _ user: UserID) {
        guard let group = groups.first else { return self.visit.answer() }
        self.open(group.name, group.place, group.title, with: [user]) { self.enter(groups.dropFirst(), user) }
    }

    private func invite(_ users: [UserID], into id: ConversationID, _ then: @escaping () -> Void) {
        self.change(.invite(users), in: id) { result in
            // They are in it already.
            if case .failure(let error) = result, error.code == .conflict { return then() }
            self.visit.unlessRefused(result) { _ in then() }
        }
    }

    /// Who is not in it has nothing to leave.
    func quit(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.members)
        self.withStanding(form) { standing in self.leave(users[...], standing.id) }
    }

    private func leave(_ users: ArraySlice<UserID>, _ id: ConversationID) {
        guard let user = users.first else { return self.visit.answer() }
        let change = ChangeRequest(.id(id), .leave, by: user, at: self.chat.now)
        self.chat.change(change, isByServer: true) { result in
            if case .failure(let error) = result, error.code != .notMember {
                return self.visit.refuse(RongCloudProblem(error))
            }
            self.leave(users.dropFirst(), id)
        }
    }

    func dismiss(_ form: RongCloudForm) throws(RongCloudProblem) {
        _ = try form.user("userId")
        self.withStanding(form) { standing in
            self.change(.dissolve, in: standing.id) { self.visit.unlessRefused($0) { _ in self.visit.answer() } }
        }
    }

    func refresh(_ form: RongCloudForm) throws(RongCloudProblem) {
        let title = try RongCloudUsers.title(try form.required("groupName"), "groupName")
        self.withStanding(form) { standing in self.rename(standing, title) { self.visit.answer() } }
    }

    private func rename(_ row: ConversationRow, _ title: DisplayName?, _ then: @escaping () -> Void) {
        guard let title, title != row.title else { return then() }
        self.change(.rename(title), in: row.id) { self.visit.unlessRefused($0) { _ in then() } }
    }

    // MARK: - Questions

    func listMembers(_ form: RongCloudForm) throws(RongCloudProblem) {
        let place = try RongCloudPlace.group(try form.required("groupId"), "groupId")
        self.find(place) { found in
            guard let standing = found.standing else { return Self.answer([], self.visit) }
            RongCloudMembers(self.visit).collect(in: standing.id) { Self.answer($0, self.visit) }
        }
    }

    private static func answer(_ users: [UserID], _ visit: RongCloudVisit) {
        visit.answer { json in
            json.array("users", of: users) { json, user in
                json.object { $0.field("id", user.text) }
            }
        }
    }

    func listGroups(_ form: RongCloudForm) throws(RongCloudProblem) {
        let request = ListConversationsNamed(
            RongCloudPlace.groupPrefixes, of: try form.user("userId"), limit: Self.maximumListed)
        self.visit.fetch(request) { [visit] rows in
            visit.answer { json in
                json.array("groups", of: rows) { json, row in
                    json.fields(("id", RongCloudPlace.name(of: row)), ("name", row.title?.text ?? ""))
                }
            }
        }
    }

    // MARK: - What they have in common

    private func find(_ place: ConversationID, _ work: @escaping (FindSuccession.Answer) -> Void) {
        self.visit.fetch(FindSuccession(of: place)) { work($0) }
    }

    /// Where there is no such group nothing has to be done.
    private func withStanding(
        _ form: RongCloudForm, _ work: @escaping (ConversationRow) -> Void
    ) {
        self.visit.attempt { () throws(RongCloudProblem) in
            let place = try RongCloudPlace.group(try form.required("groupId"), "groupId")
            self.find(place) { found in
                guard let standing = found.standing else { return self.visit.answer() }
                work(standing)
            }
        }
    }

    private func change(
        _ change: ConversationChange, in id: ConversationID,
        _ done: @escaping (Result<ChangeOutcome, RequestError>) -> Void
    ) {
        let request = ChangeRequest(.id(id), change, by: RongCloudPlace.server, at: self.chat.now)
        self.chat.change(request, isByServer: true, done)
    }
}
