/// The ways to sign in that an operator leaves open. A password that somebody has opens the server always.
package struct SignInMethods: OptionSet, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A new user without a password.
    package static let anonymous = SignInMethods(rawValue: 1)
    /// A new user with one.
    package static let register = SignInMethods(rawValue: 2)
    /// Tokens that applications ask for or sign.
    package static let applications = SignInMethods(rawValue: 4)

    package static let all: SignInMethods = [.anonymous, .register, .applications]
    package static let none: SignInMethods = []

    private static let names: [(name: String, method: SignInMethods)] = [
        ("anonymous", .anonymous), ("register", .register), ("applications", .applications),
    ]

    /// - Parameter text: names with commas between them, `all` or `none`.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        default:
            self = .none
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
                self.insert(known.method)
            }
        }
    }

    package var text: String {
        if self == .all { return "all" }
        let open = Self.names.filter { self.contains($0.method) }.map(\.name)
        return open.isEmpty ? "none" : open.joined(separator: ",")
    }
}
