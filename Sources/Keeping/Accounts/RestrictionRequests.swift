package import Vocabulary

/// In the place of what was said about this user; nothing left to say forgets it.
package struct SetRestriction: StoreRequest {
    package let restriction: Restriction

    package static let access = StoreAccess.writes

    package init(_ restriction: Restriction) { self.restriction = restriction }

    package func perform(on tables: some Tables) throws(StoreError) {
        guard self.restriction.notBefore != nil || self.restriction.bannedUntil != nil else {
            return try tables.removeRestriction(of: self.restriction.user)
        }
        try tables.put(self.restriction)
    }
}

package struct RevokeToken: StoreRequest {
    package let token: RevokedToken

    package static let access = StoreAccess.writes

    package init(_ token: RevokedToken) { self.token = token }

    package func perform(on tables: some Tables) throws(StoreError) { try tables.put(self.token) }
}

/// Everything that still matters at `now`. What does not is forgotten: call it now and then.
package struct RecallRestrictions: StoreRequest {
    package let now: WallTime
    /// Every token issued before has ended by now.
    package let tokensSince: WallTime

    package static let access = StoreAccess.writes

    package init(at now: WallTime, tokensSince: WallTime) {
        self.now = now
        self.tokensSince = tokensSince
    }

    package func perform(on tables: some Tables) throws(StoreError) -> ([Restriction], [RevokedToken]) {
        try tables.removeRevokedTokens(expiredBy: self.now)
        try tables.removeRefreshFamilies(expiredBy: self.now)
        var restrictions: [Restriction] = []
        for restriction in try tables.restrictions() {
            if restriction.matters(at: self.now, tokensSince: self.tokensSince) {
                restrictions.append(restriction)
            } else {
                try tables.removeRestriction(of: restriction.user)
            }
        }
        return (restrictions, try tables.revokedTokens())
    }
}
