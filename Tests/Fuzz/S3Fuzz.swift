import S3
import Web

/// Whatever a store says is read within bounds, and what is made of it says nothing that could do harm in a journal.
enum S3Fuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let bytes = input.pieces(of: 0).flatMap(\.self)
        if let element = try? XMLElement(parsing: bytes) { self.check(element, depth: 1) }
        if let list = try? S3List(parsing: bytes) { demand(list.items.count <= 50_000, "more than there may be") }
        for status in [HTTPStatus.ok, .forbidden, .serviceUnavailable] {
            guard let problem = S3Problem(status, bytes) else { continue }
            demand(problem.description.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "\(problem)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let address = S3Address("s3://\(text)") {
            let path = address.path(of: S3Names(in: address).startOfAll)
            let leadsAway = path.split(separator: "/").contains { [".", ".."].contains($0) }
            demand(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !leadsAway, "\(path)")
        }
        _ = try? S3Keys(file: text)
    }

    private static func check(_ element: XMLElement, depth: Int) {
        demand(depth <= 16 && !element.name.isEmpty, "an element that is none")
        for child in element.children { self.check(child, depth: depth + 1) }
    }
}
