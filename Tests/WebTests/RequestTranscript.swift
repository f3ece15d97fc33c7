import Web

/// Everything a parser says about some bytes, as text: easy to compare, however the bytes were cut.
struct RequestTranscript: Equatable, CustomStringConvertible {
    var parts: [String] = []
    var error: HTTPRequestError?

    var description: String { (self.parts + [self.error.map { "\($0)" } ?? "fine"]).joined(separator: " | ") }

    /// Feeds the bytes in pieces of the given sizes, over and over, and all at once when there are none.
    init(of bytes: [UInt8], cutInto sizes: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
        var parser = HTTPRequestParser(limits: limits)
        var body: [UInt8] = []
        for piece in Self.pieces(of: bytes, sizes) {
            var offset = 0
            do throws(HTTPRequestError) {
                while let part = try parser.next(in: piece.span, from: &offset) {
                    self.take(part, piece, &body)
                }
                guard offset == piece.count else {
                    self.parts.append("stopped at \(offset)")
                    return
                }
            } catch {
                if !body.isEmpty { self.parts.append("body \(String(decoding: body, as: UTF8.self))") }
                self.error = error
                return
            }
        }
        if !body.isEmpty { self.parts.append("body \(String(decoding: body, as: UTF8.self))") }
    }

    init(of text: String, cutInto sizes: [Int] = [], limits: HTTPLimits = HTTPLimits()) {
        self.init(of: Array(text.utf8), cutInto: sizes, limits: limits)
    }

    private mutating func take(_ part: HTTPRequestPart, _ piece: [UInt8], _ body: inout [UInt8]) {
        switch part {
        case .head(let head):
            let fields = head.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
            self.parts.append("\(head.method) \(head.path) \(head.query ?? "-") \(head.authority ?? "-") [\(fields)]")
        case .body(let range):
            body += piece[range]
        case .end(let trailers):
            if !body.isEmpty { self.parts.append("body \(String(decoding: body, as: UTF8.self))") }
            body = []
            self.parts.append("end" + (trailers.map { " " + $0.map { "\($0.name)=\($0.value)" }.joined() } ?? ""))
        }
    }

    static func pieces(of bytes: [UInt8], _ sizes: [Int]) -> [[UInt8]] {
        guard !sizes.isEmpty else { return [bytes] }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, sizes[pieces.count % sizes.count]))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
