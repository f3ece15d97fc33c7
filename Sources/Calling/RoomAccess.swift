internal import Hashing
internal import Vocabulary

/// Who comes into a room.
package enum RoomRule: Hashable, Sendable {
    case open
    case password(RoomPassword)
    /// Who was admitted.
    case invitation
}

/// A room's password, of which only a salted hash is kept. It lives as long as its room does, so a fast hash is enough;
/// how often it is guessed is limited elsewhere.
package struct RoomPassword: Hashable, Sendable {
    private let salt: [UInt8]
    private let hash: [UInt8]

    package static let maximumBytes = 128

    /// - Parameter salt: random bytes, other ones for each password.
    package init(_ text: String, salt: [UInt8]) {
        self.salt = salt
        self.hash = Self.hash(text, salt)
    }

    package func matches(_ text: String) -> Bool { ConstantTime.areEqual(self.hash, Self.hash(text, self.salt)) }

    private static func hash(_ text: String, _ salt: [UInt8]) -> [UInt8] {
        Digest.sha256.hash(salt + Array(text.utf8))
    }
}

/// Who may come into a room, who was admitted, and who asked to be.
struct RoomAccess: Sendable {
    var rule: RoomRule
    private var admitted: Set<UserID> = []
    private var knocks: [UserID: Instant] = [:]
    private let settings: RoomSettings

    init(_ rule: RoomRule = .open, settings: RoomSettings) {
        self.rule = rule
        self.settings = settings
    }

    /// Lets a user in, or says why not.
    func check(_ user: UserID, showing password: String?) throws(RoomRefusal) {
        guard !self.admitted.contains(user) else { return }
        switch self.rule {
        case .open: return
        case .invitation: throw .invitationRequired
        case .password(let expected):
            guard let password else { throw .passwordRequired }
            guard expected.matches(password) else { throw .wrongPassword }
        }
    }

    /// Whether a password that this user shows is looked at.
    func asksPassword(of user: UserID) -> Bool {
        guard case .password = self.rule else { return false }
        return !self.admitted.contains(user)
    }

    /// From now on this user comes in without being asked. True when they had knocked.
    mutating func admit(_ user: UserID) throws(RoomRefusal) -> Bool {
        let hasKnocked = self.knocks.removeValue(forKey: user) != nil
        guard self.rule != .open, !self.admitted.contains(user) else { return hasKnocked }
        guard self.admitted.count < self.settings.maximumAdmitted else { throw .tooManyAdmitted }
        self.admitted.insert(user)
        return hasKnocked
    }

    mutating func removed(_ user: UserID) { self.admitted.remove(user) }

    /// A user asks to be admitted. False when they are already.
    mutating func knocked(_ user: UserID, at now: Instant) throws(RoomRefusal) -> Bool {
        guard self.rule != .open else { throw .isOpen }
        guard !self.admitted.contains(user) else { return false }
        if let last = self.knocks[user], now < last + self.settings.knockInterval {
            throw .knockedBefore(retryAfter: now.duration(to: last + self.settings.knockInterval))
        }
        if self.knocks[user] == nil { try self.makePlace(at: now) }
        self.knocks[user] = now
        return true
    }

    private mutating func makePlace(at now: Instant) throws(RoomRefusal) {
        guard self.knocks.count >= self.settings.maximumKnocks else { return }
        self.knocks = self.knocks.filter { now < $0.value + self.settings.knockInterval }
        guard self.knocks.count >= self.settings.maximumKnocks else { return }
        throw .knockedBefore(retryAfter: self.settings.knockInterval)
    }
}
