internal import Identity
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary

/// Who may not come in, and who does not want to hear from whom.
struct RongCloudBlocks {
    private let visit: RongCloudVisit

    private static let users = 1...20
    private static let minutes = 0...43_200
    private static let pageSizes = 1...1000
    /// For good, as far as anybody counts.
    static let forever = Duration.seconds(100 * 365 * 86_400)

    init(_ visit: RongCloudVisit) { self.visit = visit }

    static func time(_ minutes: Int, after now: WallTime) -> WallTime {
        now + (minutes == 0 ? self.forever : .seconds(minutes * 60))
    }

    // MARK: - Coming in

    func block(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        guard let minutes = try form.number("minute", in: Self.minutes) else { throw .missing("minute") }
        let (accounts, end) = (self.visit.dependencies.accounts, Self.time(minutes, after: self.visit.chat.now))
        self.each(users) { user async throws(IdentityRefusal) in try await accounts.ban(user, until: end) }
    }

    func unblock(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (users, accounts) = (try form.users("userId", Self.users), self.visit.dependencies.accounts)
        self.each(users) { user async throws(IdentityRefusal) in try await accounts.unban(user) }
    }

    func listBlocked(_ form: RongCloudForm) {
        let bans = self.visit.dependencies.accounts.bans
        self.visit.answer { json in
            json.array("users", of: bans) { json, ban in
                json.fields(("userId", ban.user.text), ("blockEndTime", BeijingTime(ban.end).text))
            }
        }
    }

    /// Tokens that were handed out before a time end, and the sockets that came in with them.
    func expireTokens(_ form: RongCloudForm) throws(RongCloudProblem) {
        let users = try form.users("userId", Self.users)
        guard let text = form["time"] else { throw .missing("time") }
        guard text.utf8.count <= 15, let number = Int64(text), number >= 0 else {
            throw .illegal("time", "milliseconds since 1970")
        }
        let (accounts, time) = (self.visit.dependencies.accounts, WallTime(milliseconds: number))
        self.each(users) { user async throws(IdentityRefusal) in
            try await accounts.revokeAll(of: user, issuedUpTo: time)
        }
    }

    private func each(_ users: [UserID], _ work: @escaping @Sendable (UserID) async throws(IdentityRefusal) -> Void) {
        self.visit.await { () async throws(IdentityRefusal) in
            for user in users { try await work(user) }
        } _: { [visit] in
            visit.answer()
        }
    }

    // MARK: - Hearing

    func setBlocked(_ isBlocked: Bool, _ form: RongCloudForm) throws(RongCloudProblem) {
        let (user, others) = (try form.user("userId"), try form.users("blackUserId", Self.users))
        self.set(isBlocked, others[...], by: user)
    }

    private func set(_ isBlocked: Bool, _ others: ArraySlice<UserID>, by user: UserID) {
        guard let other = others.first else { return self.visit.answer() }
        self.visit.chat.setBlocked(isBlocked, other, by: user) { result in
            self.visit.unlessRefused(result) { self.set(isBlocked, others.dropFirst(), by: user) }
        }
    }

    /// All of them, or page by page where that is asked for.
    func listBlacklist(_ form: RongCloudForm) throws(RongCloudProblem) {
        let user = try form.user("userId")
        let size = try form.number("size", in: Self.pageSizes)
        let after = form["pageToken"] ?? ""
        self.visit.fetch(ListBlocked(by: user)) { [visit] found in
            let users = found.map(\.text).sorted().filter { $0 > after }
            let page = users.prefix(size ?? users.count)
            visit.answer { json in
                json.array("users", of: Array(page)) { $0.string($1) }
                if size != nil { json.field("next", page.count < users.count ? page.last ?? "" : "") }
            }
        }
    }
}
