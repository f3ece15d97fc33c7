import Testing

@testable import Service

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("The embedded pages")
struct EmbeddedPagesTests {
    /// What is in `Sources/Assets/Web`.
    private func namesOnDisk() throws -> Set<String> {
        let root = #filePath.components(before: "/Tests/")
        let folder = try #require(opendir("\(root)/Sources/Assets/Web"))
        defer { closedir(folder) }
        var names: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.insert(name) }
        }
        return names
    }

    @Test("are all that lie in their folder, once each")
    func everyFile() throws {
        let served = EmbeddedPages.files.map(\.name)
        #expect(Set(served).count == served.count)
        #expect(try Set(served) == self.namesOnDisk())
    }
}

extension String {
    fileprivate func components(before end: String) -> Substring {
        self.firstRange(of: end).map { self[..<$0.lowerBound] } ?? self[...]
    }
}
