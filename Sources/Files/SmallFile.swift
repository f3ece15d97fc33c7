internal import System

/// A file of few bytes, such as a secret: copied as a whole or not at all, for its own user only.
package enum SmallFile {
    private static let maximumBytes = 1 << 20

    /// - Returns: false when there is none.
    @discardableResult
    package static func copy(_ path: String, to target: String) throws(FileTrouble) -> Bool {
        guard let bytes = try self.contents(of: path) else { return false }
        guard bytes.count <= self.maximumBytes else { throw FileTrouble(.damaged, path) }
        try FileTrouble.catching { () throws(SystemError) in try FileReplacement.write(bytes, to: target, .owner) }
        return true
    }

    private static func contents(of path: String) throws(FileTrouble) -> [UInt8]? {
        do throws(SystemError) {
            return try FileHandle(path, for: .reading).contents(maximum: self.maximumBytes + 1)
        } catch {
            guard error.isMissing else { throw FileTrouble(error) }
            return nil
        }
    }

    /// It has its new name, and only that, when this comes back.
    package static func move(_ path: String, to target: String) throws(FileTrouble) {
        try FileTrouble.catching { () throws(SystemError) in try FileSystem.moveDurably(path, to: target) }
    }
}
