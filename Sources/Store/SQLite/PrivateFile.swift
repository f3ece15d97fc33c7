#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file that only its own user may look into.
enum PrivateFile {
    /// Makes it where it is missing. SQLite gives its side files the rights of the main one, so this is enough.
    ///
    /// One that is there is not opened: to close it again would let go of the locks that other connections of this
    /// process hold on it (POSIX, `fcntl`), and the next program to look in would take itself for the only one, fold up
    /// the log of what was written, and throw it away.
    static func make(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw self.error(path)
        }
        guard unsafe chmod(path, 0o600) == 0 else { throw self.error(path) }
    }

    private static func error(_ path: String) -> StoreError {
        StoreError(.forbidden, file: path, detail: unsafe String(cString: strerror(errno)))
    }
}
