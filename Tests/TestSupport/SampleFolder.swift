#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A folder whose files are read as they are.
package struct SampleFolder {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// What the fuzzer of that name begins with.
    package static func corpus(_ target: String) -> SampleFolder {
        SampleFolder(#filePath.replacing("TestSupport/SampleFolder.swift", with: "Fuzz/corpus/\(target)"))
    }

    /// Everything that lies in it, in alphabetical order.
    package var names: [String] {
        guard let directory = opendir(self.path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package func read(_ name: String) throws -> [UInt8] { try Self.contents(of: "\(self.path)/\(name)") }

    package static func contents(of path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw TemporaryFolder.Failure(subject: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
        return bytes
    }
}
