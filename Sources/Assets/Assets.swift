/// Files that travel inside the binary (`Scripts/embed` makes `EmbeddedFiles` of them): whatever lies in this folder and is not Swift.
package enum Assets {
    /// The page and its modules (`Web`), each under its name.
    package static let page: [(name: String, bytes: [UInt8])] = EmbeddedFiles.all.compactMap { file in
        file.path.hasPrefix(web) ? (String(file.path.dropFirst(web.count)), bytes(file.text)) : nil
    }

    /// Passwords that many people chose, in lower case, one a line.
    package static var frequentPasswords: [UInt8] { self.bytes(of: "frequent-passwords.txt") }

    /// The description of the HTTP interface.
    package static var openAPI: [UInt8] { self.bytes(of: "openapi.json") }

    /// The same of the admin listener.
    package static var adminOpenAPI: [UInt8] { self.bytes(of: "admin-openapi.json") }

    private static let web = "Web/"

    private static func bytes(of path: String) -> [UInt8] {
        guard let file = EmbeddedFiles.all.first(where: { $0.path == path }) else {
            preconditionFailure("there is no file \(path) in the room Assets")
        }
        return self.bytes(file.text)
    }

    private static func bytes(_ text: StaticString) -> [UInt8] { text.withUTF8Buffer { unsafe Array($0) } }
}
