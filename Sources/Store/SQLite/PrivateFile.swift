#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file that only its own user may look into.
enum PrivateFile {
    /// Makes it where it is missing. SQLite gives its side files the rights of the main one, so this is enough.
    static func make(_ path: String) throws(StoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw self.error(path) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw self.error(path) }
    }

    private static func error(_ path: String) -> StoreError {
        StoreError(.forbidden, file: path, detail: unsafe String(cString: strerror(errno)))
    }
}
