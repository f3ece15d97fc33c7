package import Vocabulary

/// Two people, in whichever order they were named.
package struct UserPair: Hashable, Sendable {
    package let low: UserID
    package let high: UserID

    package init(_ one: UserID, _ other: UserID) {
        let isOrdered = one.text < other.text
        self.low = isOrdered ? one : other
        self.high = isOrdered ? other : one
    }
}
