#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder that is gone with the test, with all that is in it by then.
package final class TemporaryFolder {
    package let path: String

    package struct Failure: Error {
        package let subject: String
        package let code = errno
    }

    package init() throws {
        var template = Array("/tmp/parley-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(subject: "a folder") }
        self.path = String(cString: made)
    }

    deinit { Self.removeAll(of: self.path) }

    /// A link goes, and not what it leads to.
    private static func removeAll(of path: String) {
        guard remove(path) != 0 else { return }
        for name in SampleFolder(path).names { self.removeAll(of: "\(path)/\(name)") }
        remove(path)
    }

    /// Where a file of that name is, or will be.
    package func place(_ name: String) -> String { "\(self.path)/\(name)" }

    package func folder(_ name: String) throws {
        guard mkdir(self.place(name), 0o700) == 0 else { throw Failure(subject: name) }
    }

    package func link(_ name: String, to target: String) throws {
        guard symlink(target, self.place(name)) == 0 else { throw Failure(subject: name) }
    }

    /// Writes a file, or over it; says where it is.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = self.place(name)
        guard let file = fopen(path, "w") else { throw Failure(subject: name) }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw Failure(subject: name) }
        return path
    }

    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try self.write(name, Array(text.utf8)) }

    package func read(_ name: String) throws -> [UInt8] { try SampleFolder(self.path).read(name) }

    /// Everything that lies in it, in alphabetical order.
    package var names: [String] { SampleFolder(self.path).names }
}
