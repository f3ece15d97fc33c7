#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A file of few bytes, such as a secret: copied as a whole or not at all, for its own user only.
package enum SmallFile {
    private static let longest = 1 << 20

    /// - Returns: false when there is none.
    @discardableResult
    package static func copy(_ path: String, to target: String) throws(FileTrouble) -> Bool {
        guard let bytes = FileSystem.front(of: path, upTo: self.longest + 1) else {
            guard errno == ENOENT else { throw .last(path) }
            return false
        }
        guard bytes.count <= self.longest else { throw FileTrouble(.damaged, path) }
        let draft = "\(target).new"
        unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last(draft) }
        defer { close(descriptor) }
        let count = unsafe write(descriptor, bytes, bytes.count)
        guard count == bytes.count, fsync(descriptor) == 0, unsafe rename(draft, target) == 0 else {
            throw .last(draft)
        }
        return true
    }

    /// It has its new name, and only that, when this comes back.
    package static func move(_ path: String, to target: String, in folder: String) throws(FileTrouble) {
        let file = FileSystem.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .last(path) }
        defer { close(file) }
        guard fsync(file) == 0, unsafe rename(path, target) == 0 else { throw .last(path) }
        let directory = FileSystem.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw .last(folder) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .last(folder) }
    }
}
