/// Which programs on other servers may come in: each has an app key and a secret, which open nothing else.
package struct RongCloudKeys: Hashable, Sendable {
    private let secrets: [String: String]
    /// With which callbacks are signed.
    let first: String

    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    private static let maximumKeys = 100
    private static let keyLengths = 1...64
    /// Those that RongCloud gives out have about 14 letters and digits.
    private static let secretLengths = 10...128

    package static let none = RongCloudKeys(secrets: [:], first: "")

    private init(secrets: [String: String], first: String) {
        self.secrets = secrets
        self.first = first
    }

    /// - Parameter text: `APPKEY:SECRET` on each line, letters and digits; lines after `#` are remarks.
    package init(_ text: String) throws(Fault) {
        var (secrets, first) = ([String: String](), String?.none)
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map { String($0) }
            guard parts.count == 2, Self.isLegal(parts[0], Self.keyLengths), Self.isLegal(parts[1], Self.secretLengths)
            else {
                throw Fault(
                    description: "each line must be APPKEY:SECRET, letters and digits, at least 10 of the secret")
            }
            guard parts[0] != parts[1], Set(parts[1]).count >= 6 else {
                throw Fault(description: "the secret of \(parts[0]) can be guessed")
            }
            guard secrets.updateValue(parts[1], forKey: parts[0]) == nil else {
                throw Fault(description: "the app key \(parts[0]) is there twice")
            }
            first = first ?? parts[0]
        }
        guard (1...Self.maximumKeys).contains(secrets.count) else {
            throw Fault(description: "there must be 1 to \(Self.maximumKeys) app keys")
        }
        self.secrets = secrets
        self.first = first ?? ""
    }

    var isEmpty: Bool { self.secrets.isEmpty }

    func secret(of key: String) -> String? { self.secrets[key] }

    private static func isLegal(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    }
}
