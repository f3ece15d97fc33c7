internal import Arguments
internal import Vocabulary

extension SocketAddress: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "ADDR:PORT" }
    package static var expectation: String { "an address and a port such as 127.0.0.1:8080 or [::1]:8080" }
    package var argumentDescription: String { self.description }
}

extension IPNetwork: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "NETWORK" }
    package static var expectation: String { "an address or a network such as 10.0.0.0/8" }
    package var argumentDescription: String { self.description }
}

extension IPAddress: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "IP" }
    package static var expectation: String { "an address such as 198.51.100.7 or 2001:db8::7" }
    package var argumentDescription: String { self.description }
}

extension UserID: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "USER" }
    package static var expectation: String { "the id of a user" }
    package var argumentDescription: String { self.text }
}
