/// The store could not do what it was asked for.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// It is no database of ours, or was damaged.
        case damaged
        /// It was written by a newer version of this program.
        case tooNew(version: Int)
        /// A rule of the tables would be broken, say a name be given twice.
        case constraint
        /// The disk is full.
        case full
        /// Another process holds the database.
        case busy
        /// It cannot be opened or written: rights, or a read-only disk.
        case forbidden
        /// The disk failed.
        case inputOutput
        /// More requests wait than may wait; try again later.
        case overloaded
        /// The store was closed.
        case closed
        /// Its server does not answer.
        case unreachable
        case other(code: Int32)
    }

    package let reason: Reason
    /// Which one: a path, or an address without its password.
    package let database: String
    /// What the engine said; never holds anything of the request's values.
    package let detail: String

    package init(_ reason: Reason, database: String, detail: String) {
        self.reason = reason
        self.database = database
        self.detail = detail
    }

    package var description: String {
        let name = self.database
        return switch self.reason {
        case .damaged:
            "\(name) is no sound database (\(self.detail)); start from a backup, or save what sqlite3 can .recover"
        case .tooNew(let version): "\(name) has version \(version), which is newer than this program; update it"
        case .busy: "\(name) is in use by another program"
        case .full: "no room is left on the disk of \(name)"
        case .overloaded: "too many requests wait for \(name)"
        case .closed: "\(name) is closed"
        case .unreachable: "\(name) cannot be reached: \(self.detail)"
        case .forbidden, .inputOutput, .constraint, .other: "\(name): \(self.detail)"
        }
    }
}
