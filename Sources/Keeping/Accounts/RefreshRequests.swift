package import Vocabulary

/// A user signed in. Their oldest families end when there are too many.
package struct BeginRefreshFamily: StoreRequest {
    package let family: RefreshFamily
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(_ family: RefreshFamily, at now: WallTime) {
        self.family = family
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) {
        let known = try tables.refreshFamilies(of: self.family.user)
        let room = tables.settings.maximumRefreshFamilies - 1
        for family in RefreshFamily.ending(known, room: room, at: self.now) {
            try tables.removeRefreshFamily(family.id)
        }
        try tables.insert(self.family, usedAt: self.now)
    }
}

/// A client shows a refresh token and wants the next one.
package struct RefreshPresentation: Hashable, StoreRequest {
    package let family: RandomToken
    package let hash: [UInt8]
    package let nextHash: [UInt8]
    package let nextExpiry: WallTime
    package let now: WallTime

    package static let access = StoreAccess.writes

    package init(family: RandomToken, hash: [UInt8], nextHash: [UInt8], nextExpiry: WallTime, now: WallTime) {
        self.family = family
        self.hash = hash
        self.nextHash = nextHash
        self.nextExpiry = nextExpiry
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> RefreshOutcome {
        guard let family = try tables.refreshFamily(self.family) else { return .unknown }
        switch family.presented(self.hash, next: self.nextHash, expiry: self.nextExpiry, at: self.now) {
        case .follow(let next):
            try tables.update(next, usedAt: self.now)
            return .followed(family.user, try tables.user(family.user)?.livingAccount)
        case .expired:
            try tables.removeRefreshFamily(family.id)
            return .expired
        case .reused:
            try tables.removeRefreshFamily(family.id)
            return .reused(family.user)
        }
    }
}

package enum RefreshOutcome: Hashable, Sendable {
    /// Nil when the user has no account of ours.
    case followed(UserID, StoredUser?)
    case unknown
    case expired
    /// The family has ended now.
    case reused(UserID)
}

/// All devices of a user that are signed in.
package struct ListRefreshFamilies: StoreRequest {
    package let user: UserID
    package let now: WallTime

    package static let access = StoreAccess.reads

    package init(of user: UserID, at now: WallTime) {
        self.user = user
        self.now = now
    }

    package func perform(on tables: some Tables) throws(StoreError) -> [RefreshFamily.Use] {
        try tables.refreshFamilyUses(of: self.user).filter { $0.expiry > self.now }
    }
}

/// Answers which families ended.
package enum EndRefreshFamilies: StoreRequest {
    /// The one whose token is shown; half of a token is not enough.
    case shown(RandomToken, hash: [UInt8])
    /// One of the user's own.
    case one(RandomToken, of: UserID)
    case all(of: UserID)

    package static let access = StoreAccess.writes

    package func perform(on tables: some Tables) throws(StoreError) -> [RandomToken] {
        let ending: [RefreshFamily]
        switch self {
        case .shown(let id, let hash):
            ending = [try tables.refreshFamily(id)].compactMap { $0 }.filter {
                [$0.current, $0.previous].contains(hash)
            }
        case .one(let id, let user):
            ending = [try tables.refreshFamily(id)].compactMap { $0 }.filter { $0.user == user }
        case .all(let user): ending = try tables.refreshFamilies(of: user)
        }
        for family in ending { try tables.removeRefreshFamily(family.id) }
        return ending.map(\.id)
    }
}
