internal import BinaryCoding
package import Bytes
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

    package func matches(_ text: String) -> Bool { self.matches(proof: self.proof(text)) }

    /// What a password that is shown becomes: what the room keeps of it, if it is the right one.
    package func proof(_ text: String) -> [UInt8] { Self.hash(text, self.salt) }

    package func matches(proof: [UInt8]) -> Bool { ConstantTime.areEqual(self.hash, proof) }

    private static func hash(_ text: String, _ salt: [UInt8]) -> [UInt8] {
        Digest.sha256.hash(salt + Array(text.utf8))
    }
}

/// Who may come into a room, who was admitted or banned, and who asked to be admitted.
struct RoomAccess: Sendable {
    var rule: RoomRule
    private var admitted: Set<UserID> = []
    private var banned: Set<UserID> = []
    private var knocks: [UserID: Instant] = [:]
    private let shared: Shared<RoomSettings>

    init(_ rule: RoomRule = .open, settings: Shared<RoomSettings>) {
        self.rule = rule
        self.shared = settings
    }

    private var settings: RoomSettings { self.shared.value }

    /// Lets a user in, or says why not.
    ///
    /// - Parameter proof: of the password that is shown.
    func check(_ user: UserID, showing proof: [UInt8]?) throws(RoomRefusal) {
        guard !self.isBanned(user) else { throw .banned }
        guard !self.admitted.contains(user) else { return }
        switch self.rule {
        case .open: return
        case .invitation: throw .invitationRequired
        case .password(let expected):
            guard let proof else { throw .passwordRequired }
            guard expected.matches(proof: proof) else { throw .wrongPassword }
        }
    }

    /// Whether a password that this user shows is looked at.
    func asksPassword(of user: UserID) -> Bool {
        guard case .password = self.rule else { return false }
        return !self.admitted.contains(user)
    }

    func isBanned(_ user: UserID) -> Bool { self.banned.contains(user) }

    /// From now on this user does not come in, whatever they show.
    mutating func ban(_ user: UserID) throws(RoomRefusal) {
        guard self.isBanned(user) || self.banned.count < self.settings.maximumBanned else { throw .tooManyBanned }
        self.banned.insert(user)
        self.removed(user)
        self.knocks[user] = nil
    }

    /// From now on this user comes in without being asked. True when they had knocked.
    mutating func admit(_ user: UserID) throws(RoomRefusal) -> Bool {
        self.banned.remove(user)
        let hasKnocked = self.knocks.removeValue(forKey: user) != nil
        guard self.rule != .open, !self.admitted.contains(user) else { return hasKnocked }
        guard self.admitted.count < self.settings.maximumAdmitted else { throw .tooManyAdmitted }
        self.admitted.insert(user)
        return hasKnocked
    }

    mutating func removed(_ user: UserID) { self.admitted.remove(user) }

    /// A user asks to be admitted. False when they are already.
    mutating func knocked(_ user: UserID, at now: Instant) throws(RoomRefusal) -> Bool {
        guard !self.isBanned(user) else { throw .banned }
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

// MARK: - Over nodes

extension RoomPassword: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        bytes.put(self.salt)
        bytes.put(self.hash)
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        self.salt = try bytes.take()
        self.hash = try bytes.take()
    }
}

extension RoomRule: BinaryCoded {
    package func encode(into bytes: inout ByteWriter) {
        switch self {
        case .open: bytes.put(0 as UInt8)
        case .password(let password):
            bytes.put(1 as UInt8)
            bytes.put(password)
        case .invitation: bytes.put(2 as UInt8)
        }
    }

    package init(from bytes: inout ByteReader) throws(ByteError) {
        switch try bytes.take(UInt8.self) {
        case 0: self = .open
        case 1: self = .password(try bytes.take())
        case 2: self = .invitation
        case let other: throw ByteError(.unexpected(other), at: bytes.offset - 1)
        }
    }
}

extension RoomAccess {
    func encode(into bytes: inout ByteWriter) {
        bytes.put(self.rule)
        bytes.put(self.admitted)
        bytes.put(self.banned)
        bytes.put(self.knocks)
    }

    init(from bytes: inout ByteReader, settings: Shared<RoomSettings>) throws(ByteError) {
        self.init(try bytes.take(), settings: settings)
        self.admitted = try bytes.take()
        self.banned = try bytes.take()
        self.knocks = try bytes.take()
    }
}
