internal import System
package import Vocabulary

/// The store of a single machine: one SQLite file in the data directory.
package final class SQLiteStore: RefreshTokenStore, RestrictionStore, CallStore {
    let database: Database
    /// Messages that were asked for since the search index was last brought on.
    let unindexed = Locked(0)

    /// - Parameter path: `:memory:` for one that is gone with the process.
    package init(
        path: String, durability: StoreDurability = .full, largestGroup: Int = 512
    ) throws(StoreError) {
        self.database = try Database(
            path: path, migrations: Migration.all, durability: durability, largestGroup: largestGroup)
    }

    /// Waits until all that was asked before is safe. Never call it from a loop.
    package func close() { self.database.close() }

    package var statistics: StoreCounts { self.database.statistics }
}

extension SQLiteStore {
    package func add(_ user: StoredUser, _ token: LongLivedToken?, _ answer: @escaping Answer<AddedUser>) {
        self.database.send(UserQueries.Add(user: user, token: token), answer)
    }

    package func user(_ id: UserID, _ answer: @escaping Answer<StoredUser?>) {
        self.database.send(UserQueries.ByID(id: id), answer)
    }

    package func user(named name: UserName, _ answer: @escaping Answer<StoredUser?>) {
        self.database.send(UserQueries.ByName(name: name), answer)
    }

    package func user(withTokenHash hash: [UInt8], at now: WallTime, _ answer: @escaping Answer<StoredUser?>) {
        self.database.send(UserQueries.ByToken(hash: hash, now: now), answer)
    }

    package func users(after name: String, limit: Int, _ answer: @escaping Answer<[StoredUser]>) {
        self.database.send(UserQueries.Page(after: name, limit: limit), answer)
    }

    package func longLivedToken(of id: UserID, _ answer: @escaping Answer<LongLivedToken?>) {
        self.database.send(UserQueries.Token(id: id), answer)
    }

    package func setPasswordHash(_ hash: String, of id: UserID, _ answer: @escaping Answer<Bool>) {
        self.database.send(UserQueries.SetPasswordHash(id: id, hash: hash), answer)
    }

    package func setLongLivedToken(_ token: LongLivedToken, of id: UserID, _ answer: @escaping Answer<Bool>) {
        self.database.send(UserQueries.SetToken(id: id, token: token), answer)
    }
}

extension SQLiteStore {
    package func begin(_ family: RefreshFamily, at now: WallTime, _ answer: @escaping Answer<Void>) {
        self.database.send(RefreshQueries.Begin(family: family, now: now), answer)
    }

    package func present(_ presentation: RefreshPresentation, _ answer: @escaping Answer<RefreshOutcome>) {
        self.database.send(RefreshQueries.Present(presentation: presentation), answer)
    }

    package func endFamily(_ id: RandomToken, _ answer: @escaping Answer<UserID?>) {
        self.database.send(RefreshQueries.End(id: id), answer)
    }

    package func endFamilies(of user: UserID, _ answer: @escaping Answer<Int>) {
        self.database.send(RefreshQueries.EndAll(user: user), answer)
    }
}

extension SQLiteStore {
    package func set(_ restriction: Restriction, _ answer: @escaping Answer<Void>) {
        self.database.send(RestrictionQueries.Set(restriction: restriction), answer)
    }

    package func revoke(_ token: RevokedToken, _ answer: @escaping Answer<Void>) {
        self.database.send(RestrictionQueries.Revoke(token: token), answer)
    }

    package func restrictions(
        at now: WallTime, tokensSince: WallTime, _ answer: @escaping Answer<([Restriction], [RevokedToken])>
    ) {
        self.database.send(RestrictionQueries.All(now: now, tokensSince: tokensSince), answer)
    }
}

extension SQLiteStore {
    package func record(_ call: StoredCall, _ answer: @escaping Answer<Void>) {
        self.database.send(CallQueries.Record(call: call), answer)
    }

    package func calls(
        of user: UserID, before start: WallTime, limit: Int, _ answer: @escaping Answer<[StoredCall]>
    ) {
        self.database.send(CallQueries.Recent(user: user, before: start, limit: limit), answer)
    }

    package func forgetCalls(endedBefore end: WallTime, _ answer: @escaping Answer<Int>) {
        self.database.send(CallQueries.Forget(endedBefore: end), answer)
    }
}
