import System

/// A text of the user's: a configuration, a list of servers.
enum TextFile {
    struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// It is a page or two; what is much larger is something else.
    private static let maximumBytes = 1 << 20

    @Sendable static func read(_ path: String) throws -> String {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileHandle(path, for: .reading).contents(maximum: self.maximumBytes + 1)
        } catch {
            throw Unreadable(description: "\(error.errno)")
        }
        guard bytes.count <= self.maximumBytes else { throw Unreadable(description: "it is larger than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Unreadable(description: "it is not UTF-8")
        }
        return text
    }
}
