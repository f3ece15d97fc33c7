package import Keeping
internal import PostgresStore
internal import SQLiteStore
package import Vocabulary

/// Which engine keeps everything: the one place that knows it by name.
package enum StoreEngine {
    static func open(
        _ configuration: ServiceConfiguration, _ metrics: StoreMetrics
    ) throws(StoreError) -> any Store {
        var settings = StoreSettings()
        settings.keepsOutbox = configuration.hooks.webhook != nil
        settings.keepsPushes = configuration.push.isOn
        if let address = configuration.store {
            return try PostgresStore(address, settings, durability: configuration.durability, metrics: metrics)
        }
        return try SQLiteStore(
            path: configuration.data.path(of: DataDirectory.database), settings, durability: configuration.durability,
            metrics: metrics)
    }

    /// A copy of a store that may be in use, as it was at one moment.
    static func backUp(_ path: String, to target: String) throws(StoreError) {
        try StoreBackup.make(of: path, to: target)
    }

    /// What is not as it should be in a store that may be in use; nothing when all is well.
    package static func findings(in path: String) throws(StoreError) -> [String] {
        try StoreCheck.findings(in: path)
    }

    /// What has to lie in the folder of files, and how large each is.
    package static func contents(in path: String) throws(StoreError) -> [ContentHash: Int] {
        try StoreCheck.contents(in: path)
    }
}
