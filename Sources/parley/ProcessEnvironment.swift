#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the system hands to the program: its variables, and files by name.
enum ProcessEnvironment {
    static let variables: [String: String] = {
        var variables: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let parts = unsafe String(cString: text).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            unsafe entry += 1
        }
        return variables
    }()

    struct Unreadable: Error, CustomStringConvertible {
        let description: String

        init(errno code: Int32) {
            self.description = unsafe String(cString: strerror(code))
        }

        init(_ description: String) {
            self.description = description
        }
    }

    /// A configuration is a page or two; what is much larger is something else.
    private static let largest = 1 << 20

    @Sendable static func readFile(_ path: String) throws -> String {
        guard let file = unsafe fopen(path, "re") else { throw Unreadable(errno: errno) }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: self.largest + 1)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        guard unsafe ferror(file) == 0 else { throw Unreadable(errno: errno) }
        guard count <= self.largest else { throw Unreadable("it is larger than 1 MiB") }
        guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else {
            throw Unreadable("it is not UTF-8")
        }
        return text
    }
}
