/// Names one installation of an app to Apple's push service, in one of its two environments. Among endpoints it begins with
/// `apns:`, so that it takes the place of none of another kind.
struct APNsToken: Hashable, Sendable {
    enum Environment: String, CaseIterable { case production, development }

    let environment: Environment
    /// Hexadecimal, in lower case.
    let text: String

    private static let lengths = 32...400
    private static let scheme = "apns:"

    /// - Parameter environment: production where nothing is said.
    init(_ text: String, _ environment: String?) throws(PushRefusal) {
        guard let environment = Environment(rawValue: environment ?? Environment.production.rawValue) else {
            throw PushRefusal("the environment must be production or development")
        }
        let text = text.lowercased()
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(Self.isDigit) else {
            throw PushRefusal(
                "the token must have \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) hexadecimal digits")
        }
        self.environment = environment
        self.text = text
    }

    /// Nil for an endpoint of another kind.
    init?(endpoint: String) {
        guard endpoint.hasPrefix(Self.scheme) else { return nil }
        let parts = endpoint.dropFirst(Self.scheme.count).split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let environment = Environment(rawValue: String(parts[0])) else { return nil }
        self.environment = environment
        self.text = String(parts[1])
    }

    var endpoint: String { "\(Self.scheme)\(self.environment.rawValue):\(self.text)" }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) || (97...102).contains(byte) }
}
