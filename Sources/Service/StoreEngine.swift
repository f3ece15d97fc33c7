package import Keeping
package import PostgresLink
internal import PostgresStore
internal import SQLiteStore
package import Vocabulary

/// Which engine keeps everything: the one place that knows it by name.
package enum StoreEngine {
    /// - Parameter heard: told how it stands with an engine that is another program.
    static func open(
        _ configuration: ServiceConfiguration, _ metrics: StoreMetrics,
        heard: @escaping @Sendable (StoreEvent) -> Void
    ) throws(StoreError) -> any Store {
        var settings = StoreSettings()
        settings.keepsOutbox = configuration.hooks.webhook != nil
        settings.keepsPushes = configuration.push.isOn
        if let address = configuration.store {
            return try PostgresStore(
                address, settings, durability: configuration.durability, metrics: metrics, heard: heard)
        }
        return try SQLiteStore(
            path: configuration.data.path(of: DataDirectory.database), settings, durability: configuration.durability,
            metrics: metrics)
    }

    /// A copy of a store that may be in use, as it was at one moment.
    static func backUp(_ path: String, to target: String) throws(StoreError) {
        try StoreBackup.make(of: path, to: target)
    }

    /// What is found by looking through a store that may be in use.
    package struct Check: Sendable {
        /// What is not as it should be; nothing when all is well.
        package var findings: [String]
        /// What has to lie in the folder of files, and how large each is.
        package var contents: [ContentHash: Int] = [:]
    }

    /// - Parameter path: of the database file.
    package static func check(_ path: String) throws(StoreError) -> Check {
        var check = Check(findings: try StoreCheck.findings(in: path))
        if check.findings.isEmpty { check.contents = try StoreCheck.contents(in: path) }
        return check
    }

    package static func check(_ address: PostgresAddress) throws(StoreError) -> Check {
        let database = try PostgresCheck(address)
        return Check(findings: try database.findings(), contents: try database.contents())
    }

    /// What has to lie in the folder of files beside a copy of the database.
    static func contents(in path: String) throws(StoreError) -> [ContentHash: Int] {
        try StoreCheck.contents(in: path)
    }
}
