/// How Apple's devices are woken: by the Apple Push Notification service, with a token that a key signs.
package struct APNsSettings: Hashable, Sendable {
    /// The `.p8` file, which holds a private key.
    package let key: [UInt8]
    package let keyID: String
    package let team: String
    /// The app that is woken, by its bundle identifier.
    package let topic: String
    /// Where pushes go for apps from the store, and for those that are being developed.
    package var production = Self.usualProduction
    package var development = Self.usualDevelopment

    package static let usualProduction = "https://api.push.apple.com"
    package static let usualDevelopment = "https://api.sandbox.push.apple.com"

    package init(key: [UInt8], keyID: String, team: String, topic: String) {
        self.key = key
        self.keyID = keyID
        self.team = team
        self.topic = topic
    }

    /// A bundle identifier, as it stands in a header field.
    package static func isTopic(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: ".")
                    || $0 == UInt8(ascii: "-")
            }
    }
}
