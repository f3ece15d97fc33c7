import Arguments
import PostgresLink
import Service

/// Where a store is: a data directory, or a database.
enum StorePlace: Hashable, Sendable, ExpressibleByArgument {
    case directory(DataDirectory)
    case postgres(PostgresAddress)

    init?(argument: String) {
        guard argument.contains("://") else {
            guard !argument.isEmpty else { return nil }
            self = .directory(DataDirectory(argument))
            return
        }
        guard let address = try? PostgresAddress(argument) else { return nil }
        self = .postgres(address)
    }

    static var valueName: String? { "PLACE" }
    static var expectation: String { "a data directory or postgresql://USER@HOST[:PORT][,HOST…]/DATABASE[?sslmode=…]" }
}

extension StorePlace: CustomStringConvertible {
    var description: String {
        switch self {
        case .directory(let directory): directory.path
        case .postgres(let address): "\(address)"
        }
    }
}
