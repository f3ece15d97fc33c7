internal import Client
internal import Reactor
package import S3
package import Vocabulary

/// What lies in a store, for those who look whether all is there. Blocks.
package struct S3Inventory {
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String
    }

    private let settings: S3Settings

    package init(_ settings: S3Settings) { self.settings = settings }

    /// What is not there, or has another size.
    package func findings(among contents: [ContentHash: Int]) throws(Trouble) -> [String] {
        var rest = contents
        var findings: [String] = []
        try self.withStore { store throws(S3Problem) in
            let names = store.client.names
            try store.list(names.startOfAll) { items in
                for item in items {
                    guard let hash = names.hash(of: item.key), let size = rest.removeValue(forKey: hash) else {
                        continue
                    }
                    if size != item.size { findings.append("\(item.key) has \(item.size) bytes instead of \(size)") }
                }
            }
            findings += rest.keys.map { "\(names.key(of: $0)) is missing" }
        }
        return findings.sorted()
    }

    /// Whether it can be used at all.
    func look() throws(Trouble) {
        try self.withStore { store throws(S3Problem) in
            _ = try store.ask(.look(for: store.client.names.startOfAll), attempts: 1)
        }
    }

    private func withStore(_ work: (BlockingS3) throws(S3Problem) -> Void) throws(Trouble) {
        let place = "\(self.settings.address)"
        guard let client = S3Client(self.settings), let group = try? EventLoopGroup(count: 1) else {
            throw Trouble(description: "\(place): no address of a server")
        }
        defer { group.shutDown() }
        do throws(S3Problem) {
            try work(BlockingS3(client: client, loop: group.loops[0]))
        } catch {
            throw Trouble(description: "\(place): \(error)")
        }
    }
}

extension S3Settings {
    /// Whether its endpoint is the address of a server.
    package static func isReachable(_ address: S3Address) -> Bool { ServerURL(address.server) != nil }
}
