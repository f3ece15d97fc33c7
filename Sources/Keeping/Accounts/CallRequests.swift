package import Vocabulary

/// Two talk, and shall talk on when the server is started anew. Keeping one call twice changes nothing.
package struct KeepCall: StoreRequest {
    package let call: CallUnderWay

    package static let access = StoreAccess.writes

    package init(_ call: CallUnderWay) { self.call = call }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.put(self.call) }
}

/// Those that nobody has recorded the end of, and that no other node looks after.
package struct ListCallsUnderWay: StoreRequest {
    package let node: String?

    package static let access = StoreAccess.reads

    package init(of node: String? = nil) { self.node = node }

    package func perform(on tables: some Tables) throws(StoreError) -> [CallUnderWay] {
        try tables.callsUnderWay().filter { $0.node == nil || $0.node == self.node }
    }
}

/// The call is under way no longer. Recording one call twice changes nothing.
package struct RecordCall: StoreRequest {
    package let call: StoredCall

    package static let access = StoreAccess.writes

    package init(_ call: StoredCall) { self.call = call }

    package func perform(on tables: some Tables) throws(StoreError) {
        try tables.put(self.call)
        try tables.removeCallUnderWay(self.call.id)
    }
}

/// The last ones of a user, the newest first, begun before `start`.
package struct ListCalls: StoreRequest {
    package let user: UserID
    package let start: WallTime
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(of user: UserID, before start: WallTime, limit: Int) {
        self.user = user
        self.start = start
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [StoredCall] {
        try tables.calls(of: self.user, startedBefore: self.start, limit: max(self.limit, 0))
    }
}

/// Answers how many there were.
package struct ForgetCalls: StoreRequest {
    package let end: WallTime

    package static let access = StoreAccess.writes

    package init(endedBefore end: WallTime) { self.end = end }

    package func perform(on tables: some Tables) throws(StoreError) -> Int {
        let count = try tables.callCount(endedBefore: self.end)
        if count > 0 { try tables.removeCalls(endedBefore: self.end) }
        return count
    }
}
