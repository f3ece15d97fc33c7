package import Keeping
internal import SQLTables

/// A copy of a store that may be in use: as it was at one moment, whole, and looked through.
package enum StoreBackup {
    /// - Parameter target: an empty file, or none. Only its own user may look into it.
    package static func make(of path: String, to target: String) throws(StoreError) {
        let connection = try Connection(path: path)
        try PrivateFile.make(target)
        // One transaction reads it all, so whoever writes meanwhile is not in it, and does not wait either.
        try connection.run("VACUUM INTO ?", [.text(target)])
        let copy = try Connection(path: target)
        let findings = try copy.all("PRAGMA integrity_check") { $0.text(0) ?? "" }
        guard findings == ["ok"] else {
            throw StoreError(.damaged, database: target, detail: findings.first ?? "no findings")
        }
    }
}
