#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The folder in which a service keeps everything: only its own user may look into it.
package struct DataDirectory: Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(_ path: String) { self.path = path }

    package var description: String { self.path }

    package static let database = "parley.db"
    package static let iceServers = "ice-servers.json"

    package func path(of file: String) -> String { "\(self.path)/\(file)" }

    /// Where a service keeps things when nobody says where: as the XDG base directories have it.
    package static func usual(environment: [String: String]) -> DataDirectory {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return DataDirectory("\(data)/parley") }
        if let home = environment["HOME"], home.hasPrefix("/") { return DataDirectory("\(home)/.local/share/parley") }
        return DataDirectory("/var/lib/parley")
    }

    /// Makes the folder, and those above it, where they are missing.
    package func create() throws(DataDirectoryError) {
        var path = self.path.hasPrefix("/") ? "" : "."
        for part in self.path.split(separator: "/") {
            path += "/\(part)"
            guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
            throw DataDirectoryError(path: path, reason: unsafe String(cString: strerror(errno)))
        }
        guard unsafe access(self.path, R_OK | W_OK | X_OK) == 0 else {
            throw DataDirectoryError(path: self.path, reason: unsafe String(cString: strerror(errno)))
        }
    }
}

package struct DataDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "the data directory \(self.path): \(self.reason); choose another with --data" }
}
