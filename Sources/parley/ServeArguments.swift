internal import Arguments
internal import Service
internal import Vocabulary

/// `--stun`: an address, or `off`.
struct STUNChoice: Hashable, Sendable, ExpressibleByArgument {
    let choice: ServiceConfiguration.STUN

    init?(argument: String) {
        if argument == "off" {
            self.choice = .off
        } else if let address = SocketAddress(argument) {
            self.choice = .at(address)
        } else {
            return nil
        }
    }

    static var valueName: String? { "ADDR:PORT" }
    static var expectation: String { "an address and a port such as 0.0.0.0:3478, or off" }
    var argumentDescription: String { "\(self.choice)" }
}

/// `--app`: a program's name and the secret it signs with.
struct ApplicationKeyArgument: Hashable, Sendable, ExpressibleByArgument {
    let key: ServiceConfiguration.ApplicationKey

    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":"), colon > argument.startIndex else { return nil }
        let secret = argument[argument.index(after: colon)...]
        self.key = ServiceConfiguration.ApplicationKey(id: String(argument[..<colon]), secret: String(secret))
    }

    static var valueName: String? { "ID:SECRET" }
    static var expectation: String { "a name, a colon and a secret of at least 32 bytes" }
    var argumentDescription: String { self.key.id }
}
