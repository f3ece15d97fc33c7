/// A message that is said automatically in the chat of an order, once for each thing that leads to it.
package struct OrderReply: Hashable, Sendable {
    /// What leads to it.
    package enum Trigger: Hashable, Sendable {
        /// The shop's server told an event of this type.
        case event(String)
        /// The passenger says the first word in an order.
        case firstWord
        /// A message of a kind that has no number among those of apps.
        case unknownKind

        package var word: String {
            switch self {
            case .event(let type): type
            case .firstWord: "first"
            case .unknownKind: "unknown"
            }
        }
    }

    /// As whom it is said.
    package enum Voice: String, Hashable, Sendable, CaseIterable {
        /// The app itself, to its user.
        case local
        /// The driver's phone, for the driver.
        case driver
        case system
        /// A hint that a newer app would show more.
        case upgrade
    }

    package let trigger: Trigger
    package let voice: Voice
    package let text: String

    package static let maximumTextLength = 1000

    /// - Parameter text: `WHEN:VOICE:TEXT`; `WHEN` is the type of an event, or `first` or `unknown`.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 3, (1...64).contains(parts[0].utf8.count), let voice = Voice(rawValue: parts[1]),
            (1...Self.maximumTextLength).contains(parts[2].count), parts[2].utf8.count <= 4 * Self.maximumTextLength
        else { return nil }
        self.trigger =
            switch parts[0] {
            case "first": .firstWord
            case "unknown": .unknownKind
            default: .event(parts[0])
            }
        self.voice = voice
        self.text = parts[2]
    }
}
