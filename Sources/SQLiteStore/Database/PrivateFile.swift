internal import Keeping
internal import System

/// A file that only its own user may look into.
enum PrivateFile {
    /// Makes it where it is missing. SQLite gives its side files the rights of the main one, so this is enough.
    ///
    /// One that is there is not opened: to close it again would let go of the locks that other connections of this
    /// process hold on it (POSIX, `fcntl`), and the next program to look in would take itself for the only one, fold up
    /// the log of what was written, and throw it away.
    static func make(_ path: String) throws(StoreError) {
        do throws(SystemError) {
            if !FileSystem.exists(path) { try self.create(path) }
            try FileSystem.makePrivate(path)
        } catch {
            throw StoreError(.forbidden, database: path, detail: "\(error.errno)")
        }
    }

    private static func create(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try FileHandle(path, for: .creating(.owner))
        } catch {
            guard error.errno == .fileExists else { throw error }
        }
    }
}
