#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder that is gone with the test, with what was put into it.
package final class TemporaryFolder {
    package let path: String
    private var made: [String] = []

    package struct Failure: Error {
        package let subject: String
        package let code = errno
    }

    package init() throws {
        var template = Array("/tmp/parley-test-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Failure(subject: "a folder") }
        self.path = String(cString: made)
    }

    deinit {
        for path in self.made.reversed() { remove(path) }
        rmdir(self.path)
    }

    /// Where a file of that name is, or will be.
    package func place(_ name: String) -> String { self.remembering(name) }

    private func remembering(_ name: String) -> String {
        let path = "\(self.path)/\(name)"
        if !self.made.contains(path) { self.made.append(path) }
        return path
    }

    package func folder(_ name: String) throws {
        guard mkdir(self.remembering(name), 0o700) == 0 else { throw Failure(subject: name) }
    }

    package func link(_ name: String, to target: String) throws {
        guard symlink(target, self.remembering(name)) == 0 else { throw Failure(subject: name) }
    }

    /// Writes a file, or over it; says where it is.
    @discardableResult
    package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = self.remembering(name)
        guard let file = fopen(path, "w") else { throw Failure(subject: name) }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw Failure(subject: name) }
        return path
    }

    @discardableResult
    package func write(_ name: String, _ text: String) throws -> String { try self.write(name, Array(text.utf8)) }

    package func read(_ name: String) throws -> [UInt8] {
        // Whoever wrote it does not take it away.
        _ = self.remembering(name)
        return try SampleFolder(self.path).read(name)
    }

    /// Everything that lies in it, in alphabetical order.
    package var names: [String] { SampleFolder(self.path).names }
}
