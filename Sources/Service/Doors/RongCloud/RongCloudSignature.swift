internal import Bytes
internal import Hashing
package import Vocabulary
package import Web

/// What a signed request shows: which program asks, and that it knows the secret.
package struct RongCloudSignature: Hashable {
    let key: String
    let nonce: String
    /// As it was signed.
    let timestamp: String
    let signature: String
    let time: WallTime

    static let maximumNonceBytes = 128
    /// How far the other clock may be from ours.
    static let window = Duration.seconds(300)
    /// From here on a number of seconds would lie thousands of years ahead: it is milliseconds.
    private static let leastMilliseconds: Int64 = 100_000_000_000

    package init(_ fields: HTTPFields) throws(RongCloudProblem) {
        self.key = try Self.field("App-Key", fields)
        self.nonce = try Self.field("Nonce", fields)
        self.timestamp = try Self.field("Timestamp", fields)
        self.signature = try Self.field("Signature", fields)
        guard self.nonce.utf8.count <= Self.maximumNonceBytes else {
            throw .notSigned("Nonce has more than \(Self.maximumNonceBytes) bytes")
        }
        guard let time = Self.time(self.timestamp) else {
            throw .notSigned("Timestamp must be seconds or milliseconds since 1970")
        }
        self.time = time
    }

    private static func field(_ name: String, _ fields: HTTPFields) throws(RongCloudProblem) -> String {
        for name in [name, "RC-\(name)"] {
            if let name = HTTPFieldName(name), let value = fields[name], !value.isEmpty { return value }
        }
        throw .notSigned("the request has no \(name)")
    }

    private static func time(_ text: String) -> WallTime? {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }),
            let number = Int64(text)
        else { return nil }
        return number >= self.leastMilliseconds ? WallTime(milliseconds: number) : WallTime(seconds: number)
    }

    static func sign(secret: String, nonce: String, timestamp: String) -> String {
        Hex.encode(Digest.sha1.hash(secret + nonce + timestamp))
    }

    package func isSigned(with secret: String) -> Bool {
        let right = Self.sign(secret: secret, nonce: self.nonce, timestamp: self.timestamp)
        return ConstantTime.areEqual(right, self.signature.lowercased())
    }

    package func checkAge(at now: WallTime) throws(RongCloudProblem) {
        let distance = abs(now.milliseconds - self.time.milliseconds)
        guard distance <= Self.window.components.seconds * 1000 else {
            throw .notSigned("Timestamp is more than \(Self.window.components.seconds) s from this server's clock")
        }
    }
}

/// Which signed requests were there before: each counts once. One is remembered for as long as its time would be believed.
package struct RongCloudReplayGuard {
    /// Hashes whose key nobody outside knows, by the minute in which they are forgotten.
    private var seen: [Int64: Set<Int>] = [:]
    private var count = 0
    private let maximum: Int

    package enum Verdict: Hashable { case fresh, replayed, full }

    package init(maximum: Int = 1_000_000) { self.maximum = maximum }

    package mutating func take(_ signature: RongCloudSignature, at now: WallTime) -> Verdict {
        self.forget(at: now)
        let end = Self.minute(signature.time + RongCloudSignature.window)
        let hash = [signature.key, signature.nonce, signature.timestamp].hashValue
        if self.seen[end]?.contains(hash) == true { return .replayed }
        guard self.count < self.maximum else { return .full }
        self.seen[end, default: []].insert(hash)
        self.count += 1
        return .fresh
    }

    private mutating func forget(at now: WallTime) {
        let minute = Self.minute(now)
        for end in self.seen.keys where end < minute { self.count -= self.seen.removeValue(forKey: end)?.count ?? 0 }
    }

    private static func minute(_ time: WallTime) -> Int64 { time.seconds / 60 }
}
