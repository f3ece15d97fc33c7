package import Keeping
package import Vocabulary

// MARK: - Refresh tokens

private enum RefreshColumn: Int, Column { case id, user, currentHash, previousHash, used, expiry }

extension RefreshFamily {
    fileprivate init(_ row: Row<RefreshColumn>) throws(StoreError) {
        self.init(
            id: try row.required(.id) { RandomToken($0) }, user: try row.required(.user) { UserID($0) },
            current: row.blob(.currentHash), previous: row.isNull(.previousHash) ? nil : row.blob(.previousHash),
            expiry: row.requiredTime(.expiry))
    }

    fileprivate func value(of column: RefreshColumn, usedAt now: WallTime) -> SQLValue {
        switch column {
        case .id: .text(self.id.text)
        case .user: .user(self.user)
        case .currentHash: .blob(self.current)
        case .previousHash: .blob(self.previous)
        case .used: .time(now)
        case .expiry: .time(self.expiry)
        }
    }
}

extension SQLTables {
    private static let families = "SELECT \(RefreshColumn.list()) FROM refresh_families"
    private static let familyByID = "\(families) WHERE id = ?"
    private static let familiesOfUser = "\(families) WHERE user = ? ORDER BY used DESC"
    private static let insertFamily = "INSERT INTO refresh_families \(RefreshColumn.insertion)"
    private static let updateFamily =
        "UPDATE refresh_families SET (\(RefreshColumn.list())) = (\(RefreshColumn.places)) WHERE id = ?1"

    package func refreshFamily(_ id: RandomToken) throws(StoreError) -> RefreshFamily? {
        try self.connection.first(Self.familyByID, [.text(id.text)], read: RefreshFamily.init)
    }

    package func refreshFamilies(of user: UserID) throws(StoreError) -> [RefreshFamily] {
        try self.connection.all(Self.familiesOfUser, [.user(user)], read: RefreshFamily.init)
    }

    package func refreshFamilyUses(of user: UserID) throws(StoreError) -> [RefreshFamily.Use] {
        try self.connection.all(Self.familiesOfUser, [.user(user)]) { row throws(StoreError) in
            RefreshFamily.Use(
                family: try row.required(RefreshColumn.id) { RandomToken($0) }, lastUsed: row.requiredTime(.used),
                expiry: row.requiredTime(.expiry))
        }
    }

    package func insert(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError) {
        try self.connection.run(Self.insertFamily) { family.value(of: $0, usedAt: now) }
    }

    package func update(_ family: RefreshFamily, usedAt now: WallTime) throws(StoreError) {
        try self.connection.run(Self.updateFamily) { family.value(of: $0, usedAt: now) }
    }

    package func removeRefreshFamily(_ id: RandomToken) throws(StoreError) {
        try self.connection.run("DELETE FROM refresh_families WHERE id = ?", [.text(id.text)])
        try self.removePushDevices("family = ?", [.text(id.text)])
    }

    package func removeRefreshFamilies(expiredBy now: WallTime) throws(StoreError) {
        try self.connection.run("DELETE FROM refresh_families WHERE expiry <= ?", [.time(now)])
        // Nothing is in an empty list, not even what is not known.
        try self.removePushDevices("family IS NOT NULL AND family NOT IN (SELECT id FROM refresh_families)", [])
    }
}

// MARK: - Who and what is held back

private enum RestrictionColumn: Int, Column { case user, notBefore, bannedUntil }
private enum RevokedColumn: Int, Column { case id, expiry }

extension SQLTables {
    private static let allRestrictions = "SELECT \(RestrictionColumn.list()) FROM restrictions"
    private static let putRestriction = "INSERT INTO restrictions \(RestrictionColumn.replacement(of: .user))"
    private static let allRevoked = "SELECT \(RevokedColumn.list()) FROM revoked_tokens"
    private static let putRevoked = "INSERT INTO revoked_tokens \(RevokedColumn.insertion) ON CONFLICT DO NOTHING"

    package func restrictions() throws(StoreError) -> [Restriction] {
        try self.connection.all(Self.allRestrictions) { (row: Row<RestrictionColumn>) throws(StoreError) in
            Restriction(
                user: try row.required(.user) { UserID($0) }, notBefore: row.time(.notBefore),
                bannedUntil: row.time(.bannedUntil))
        }
    }

    package func put(_ restriction: Restriction) throws(StoreError) {
        try self.connection.run(Self.putRestriction) { (column: RestrictionColumn) in
            switch column {
            case .user: .user(restriction.user)
            case .notBefore: .time(restriction.notBefore)
            case .bannedUntil: .time(restriction.bannedUntil)
            }
        }
    }

    package func removeRestriction(of user: UserID) throws(StoreError) {
        try self.connection.run("DELETE FROM restrictions WHERE user = ?", [.user(user)])
    }

    package func revokedTokens() throws(StoreError) -> [RevokedToken] {
        try self.connection.all(Self.allRevoked) { (row: Row<RevokedColumn>) throws(StoreError) in
            RevokedToken(id: try row.required(.id) { $0 }, expiry: row.requiredTime(.expiry))
        }
    }

    package func put(_ token: RevokedToken) throws(StoreError) {
        try self.connection.run(Self.putRevoked, [.text(token.id), .time(token.expiry)])
    }

    package func removeRevokedTokens(expiredBy now: WallTime) throws(StoreError) {
        try self.connection.run("DELETE FROM revoked_tokens WHERE expiry <= ?", [.time(now)])
    }
}

// MARK: - Calls

private enum CallColumn: Int, Column { case id, caller, callee, room, kind, started, answered, ended, outcome }

extension StoredCall {
    fileprivate init(_ row: Row<CallColumn>) throws(StoreError) {
        self.init(
            id: try row.required(.id) { CallID($0) }, caller: try row.required(.caller) { UserID($0) },
            callee: row.text(.callee).flatMap { UserID($0) }, room: row.text(.room).flatMap { RoomName($0) },
            kind: row.text(.kind) ?? "", started: row.requiredTime(.started), answered: row.time(.answered),
            ended: row.requiredTime(.ended), outcome: row.text(.outcome) ?? "")
    }

    fileprivate func value(of column: CallColumn) -> SQLValue {
        switch column {
        case .id: .text(self.id.text)
        case .caller: .user(self.caller)
        case .callee: .user(self.callee)
        case .room: .text(self.room?.text)
        case .kind: .text(self.kind)
        case .started: .time(self.started)
        case .answered: .time(self.answered)
        case .ended: .time(self.ended)
        case .outcome: .text(self.outcome)
        }
    }
}

extension SQLTables {
    private static let putCall = "INSERT INTO calls \(CallColumn.insertion) ON CONFLICT DO NOTHING"
    /// Each half walks down its own index; one condition with OR would sort the whole history.
    private static let callsOfUser = """
        SELECT * FROM (\(callsBy("caller"))) AS made UNION SELECT * FROM (\(callsBy("callee"))) AS got
        ORDER BY started DESC LIMIT ?3
        """
    static let removeOldCalls = "DELETE FROM calls WHERE ended < ?"

    private static func callsBy(_ role: String) -> String {
        "SELECT \(CallColumn.list()) FROM calls WHERE \(role) = ?1 AND started < ?2 ORDER BY started DESC LIMIT ?3"
    }

    package func put(_ call: StoredCall) throws(StoreError) { try self.connection.run(Self.putCall, call.value(of:)) }

    package func calls(of user: UserID, startedBefore start: WallTime, limit: Int) throws(StoreError) -> [StoredCall] {
        try self.connection.all(Self.callsOfUser, [.user(user), .time(start), .count(limit)], read: StoredCall.init)
    }

    package func callCount(endedBefore end: WallTime) throws(StoreError) -> Int {
        Int(try self.connection.number("SELECT count(*) FROM calls WHERE ended < ?", [.time(end)]) ?? 0)
    }

    package func removeCalls(endedBefore end: WallTime) throws(StoreError) {
        try self.connection.run(Self.removeOldCalls, [.time(end)])
    }
}

// MARK: - Calls under way

private enum UnderWayColumn: Int, Column {
    case id, caller
    case callerSession = 2
    case callee
    case calleeSession = 4
    case kind, started, answered, node
}

extension CallUnderWay {
    fileprivate init(_ row: Row<UnderWayColumn>) throws(StoreError) {
        self.init(
            id: try row.required(.id) { CallID($0) }, caller: try row.required(.caller) { UserID($0) },
            on: try row.required(.callerSession) { SessionID($0) }, callee: try row.required(.callee) { UserID($0) },
            on: try row.required(.calleeSession) { SessionID($0) }, kind: row.text(.kind) ?? "",
            started: row.requiredTime(.started), answered: row.requiredTime(.answered))
        self.node = row.text(.node)
    }

    fileprivate func value(of column: UnderWayColumn) -> SQLValue {
        switch column {
        case .id: .text(self.id.text)
        case .caller: .user(self.caller)
        case .callerSession: .text(self.callerSession.text)
        case .callee: .user(self.callee)
        case .calleeSession: .text(self.calleeSession.text)
        case .kind: .text(self.kind)
        case .started: .time(self.started)
        case .answered: .time(self.answered)
        case .node: .text(self.node)
        }
    }
}

extension SQLTables {
    private static let putUnderWay =
        "INSERT INTO calls_under_way \(UnderWayColumn.insertion) ON CONFLICT DO NOTHING"
    private static let allUnderWay = "SELECT \(UnderWayColumn.list()) FROM calls_under_way"

    package func put(_ call: CallUnderWay) throws(StoreError) {
        try self.connection.run(Self.putUnderWay, call.value(of:))
    }

    package func callsUnderWay() throws(StoreError) -> [CallUnderWay] {
        try self.connection.all(Self.allUnderWay, read: CallUnderWay.init)
    }

    package func removeCallUnderWay(_ id: CallID) throws(StoreError) {
        try self.connection.run("DELETE FROM calls_under_way WHERE id = ?", [.text(id.text)])
    }
}
