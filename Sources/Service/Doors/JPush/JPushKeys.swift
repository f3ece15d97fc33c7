internal import Bytes
internal import Hashing

/// Which programs on other servers may push: each has an app key and a master secret, which open nothing else.
package struct JPushKeys: Hashable, Sendable {
    private let secrets: [String: String]
    /// Of groups of programs, which are known by `group-` and a key.
    private let groupSecrets: [String: String]

    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    static let digits = 24
    private static let maximumKeys = 100

    private static let groupPrefix = "group-"

    package static let none = JPushKeys(secrets: [:])

    private init(secrets: [String: String]) {
        self.secrets = secrets
        self.groupSecrets = [:]
    }

    /// - Parameter text: `APPKEY:MASTERSECRET` or `group-GROUPKEY:GROUPSECRET` on each line, 24 hexadecimal digits each;
    ///   lines after `#` are remarks.
    package init(_ text: String) throws(Fault) {
        var secrets: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
            let bare =
                parts.first.map { $0.hasPrefix(Self.groupPrefix) ? String($0.dropFirst(Self.groupPrefix.count)) : $0 }
                ?? ""
            guard parts.count == 2, [bare, parts[1]].allSatisfy(Self.isLegal) else {
                throw Fault(description: "each line must be APPKEY:MASTERSECRET, 24 hexadecimal digits each")
            }
            guard bare != parts[1], Set(parts[1]).count >= 6 else {
                throw Fault(description: "the master secret of \(parts[0]) can be guessed")
            }
            guard secrets.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw Fault(description: "the app key \(parts[0]) is there twice")
            }
        }
        self.secrets = secrets.filter { !$0.key.hasPrefix(Self.groupPrefix) }
        self.groupSecrets = secrets.filter { $0.key.hasPrefix(Self.groupPrefix) }
        guard (1...Self.maximumKeys).contains(self.secrets.count), self.groupSecrets.count <= Self.maximumKeys else {
            throw Fault(description: "there must be 1 to \(Self.maximumKeys) app keys, and no more groups")
        }
    }

    var isEmpty: Bool { self.secrets.isEmpty }

    /// Those of groups alone.
    var groups: JPushKeys { JPushKeys(secrets: self.groupSecrets) }

    /// In whose name a group pushes: all app keys reach the same devices, and one push is enough.
    var firstKey: String { self.secrets.keys.min() ?? "" }

    func has(_ key: String) -> Bool { self.secrets[key] != nil }

    private static func isLegal(_ text: String) -> Bool {
        text.utf8.count == self.digits
            && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// The app key of a request that has its secret.
    func key(of authorization: String?, _ part: JPushProblem.Part) -> Result<String, JPushProblem> {
        guard let authorization, let (key, secret) = Self.credentials(authorization) else {
            return .failure(.noCredentials(part))
        }
        guard let right = self.secrets[key] else { return .failure(.unknownKey(part)) }
        guard ConstantTime.areEqual(Array(right.utf8), Array(secret.utf8)) else { return .failure(.noAccess(part)) }
        return .success(key)
    }

    /// As RFC 7617 has them.
    static func credentials(_ field: String) -> (key: String, secret: String)? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let bytes = try? Base64.decode(String(parts[1]), as: .standard),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (
            String(decoding: bytes[..<colon], as: UTF8.self), String(decoding: bytes[(colon + 1)...], as: UTF8.self)
        )
    }
}
