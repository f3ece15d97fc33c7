package import System
internal import Vocabulary

/// The folder in which a service keeps everything: only its own user may look into it.
package struct DataDirectory: Hashable, Sendable, CustomStringConvertible {
    package let path: String

    package init(_ path: String) { self.path = path }

    package var description: String { self.path }

    package static let database = "parley.db"
    package static let iceServers = "ice-servers.json"

    package func path(of file: String) -> String { "\(self.path)/\(file)" }

    /// Whether a service has worked here before.
    var hasDatabase: Bool { FileStatus(of: self.path(of: Self.database)).map { $0.size > 0 } ?? false }

    /// Where a service keeps things when no place is given: as the XDG base directories have it.
    package static func usual(environment: [String: String]) -> DataDirectory {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return DataDirectory("\(data)/parley") }
        if let home = environment["HOME"], home.hasPrefix("/") { return DataDirectory("\(home)/.local/share/parley") }
        return DataDirectory("/var/lib/parley")
    }

    /// Makes the folder, and those above it, where they are missing.
    package func create() throws(DataDirectoryError) {
        if let status = FileStatus(of: self.path), status.kind != .directory {
            throw DataDirectoryError(path: self.path, .notDirectory)
        }
        do throws(SystemError) {
            try FileSystem.makeDirectories(self.path)
            try FileSystem.demand(.all, self.path)
        } catch {
            throw DataDirectoryError(path: error.path, .system(error.errno))
        }
    }

    /// By which this directory is known among those that share a database; drawn at the first start.
    func node() throws(DataDirectoryError) -> String {
        do throws(SystemError) {
            let path = self.path(of: "node")
            if FileSystem.exists(path) {
                let text = String(decoding: try FileHandle(path, for: .reading).contents(maximum: 64), as: UTF8.self)
                if let name = RandomToken(text.split(separator: "\n").first.map { String($0) } ?? "") {
                    return name.text
                }
            }
            var random = SystemRandomNumberGenerator()
            let name = RandomToken(using: &random)
            var draft = try FileReplacement(of: path, .owner)
            try draft.file.write(Array("\(name.text)\n".utf8).span)
            try draft.commit(isDurable: true)
            return name.text
        } catch {
            throw DataDirectoryError(path: error.path, .system(error.errno))
        }
    }

    /// Keeps other servers out: two would each believe that they alone write. It is given back when the program ends, however
    /// that happens.
    func lock() throws(DataDirectoryError) -> FileHandle {
        do throws(SystemError) {
            let file = try FileHandle(self.path(of: "lock"), for: .locking)
            if try file.lock() { return file }
        } catch {
            throw DataDirectoryError(path: error.path, .system(error.errno))
        }
        throw DataDirectoryError(path: self.path, .inUse)
    }
}

package struct DataDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        case system(Errno)
        case inUse
        case notDirectory
    }

    package let path: String
    package let reason: Reason

    init(path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    package var description: String {
        switch self.reason {
        case .system(let errno): "the data directory \(self.path): \(errno); choose another with --data"
        case .notDirectory: "\(self.path) is a file, not a directory; choose another with --data"
        case .inUse:
            "another parley serve is using the data directory \(self.path); stop that one, or choose another with --data"
        }
    }
}
