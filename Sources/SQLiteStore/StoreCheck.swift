package import Keeping
internal import SQLTables
package import Vocabulary

/// Looks through a store that may be in use, and says what is not as it should be.
package enum StoreCheck {
    /// Nothing when all is well.
    package static func findings(in path: String) throws(StoreError) -> [String] {
        let connection = try Connection(path: path, isForReading: true)
        let damage = try connection.all("PRAGMA integrity_check(20)") { $0.text(0) ?? "" }.filter { $0 != "ok" }
        // Further questions make no sense then.
        return damage.isEmpty ? try StoreInvariants.findings(in: connection) : damage
    }

    /// What has to lie in the folder of files, and how large each is.
    package static func contents(in path: String) throws(StoreError) -> [ContentHash: Int] {
        try StoreInvariants.contents(in: try Connection(path: path, isForReading: true))
    }
}
