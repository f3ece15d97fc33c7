package import RealtimeTree

/// Whose the tree is from now on. What others decided before and have not committed yet is refused.
package struct ClaimTree: StoreRequest {
    package let owner: String

    package static let access = StoreAccess.writes

    package init(_ owner: String) { self.owner = owner }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.setTreeOwner(self.owner) }
}

/// The next rows of the tree, in the order of their paths.
package struct ListTreeRows: StoreRequest {
    package let path: String?
    package let limit: Int

    package static let access = StoreAccess.reads

    package init(after path: String?, limit: Int) {
        self.path = path
        self.limit = limit
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [TreeRow] {
        try tables.treeRows(after: self.path, limit: self.limit)
    }
}

/// All that sessions left to be written when they end, in the order in which it was left.
package struct ListLeftWrites: StoreRequest {
    package static let access = StoreAccess.reads

    package init() {}

    package func perform(on tables: some Tables) throws(StoreError) -> [LeftWrite] { try tables.leftWrites() }
}

/// What was decided over the tree becomes true. False where another one has it by now: nothing was written then.
package struct CommitTree: StoreRequest {
    package let owner: String
    package var changes: [TreeRowChanges] = []
    /// These sessions have nothing left.
    package var endedSessions: [String] = []
    /// Of one session: what it had left at and below these places goes.
    package var withdrawn: [(session: String, path: String)] = []
    package var left: [LeftWrite] = []

    // Fails only where nothing works any more.
    package static let access = StoreAccess.writesWithGroup

    package init(by owner: String) { self.owner = owner }

    package func perform(on tables: some Tables) throws(StoreError) -> Bool {
        guard try tables.treeOwner() == self.owner else { return false }
        for change in self.changes {
            for path in change.cleared { try tables.removeTreeRows(under: path.text) }
            for path in change.removed { try tables.removeTreeRow(path) }
            for row in change.put { try tables.put(row) }
        }
        for (session, path) in self.withdrawn { try tables.removeLeftWrites(of: session, under: path) }
        for write in self.left { try tables.put(write) }
        for session in self.endedSessions { try tables.removeLeftWrites(of: session, under: "") }
        return true
    }
}
