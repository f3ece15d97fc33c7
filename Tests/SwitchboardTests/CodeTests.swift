import Operations
import Switchboard
import Testing
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The codes of errors")
struct CodeTests {
    /// Everything between backquotes in the paragraph that lists them.
    private static func documented() throws -> Set<String> {
        let document = try text(
            of: #filePath.replacing("Tests/SwitchboardTests/CodeTests.swift", with: "docs/protocol.md"))
        let list = try #require(document.split(separator: "\n## ").first { $0.hasPrefix("Codes\n") })
        return Set(list.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    private static func text(of path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    @Test("are those that the protocol lists, and no others")
    func closedList() throws {
        #expect(try Self.documented() == Set(RequestError.Code.allCases.map(\.rawValue)))
    }
}
