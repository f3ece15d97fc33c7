import Web

/// Whatever comes, the parser of requests neither traps nor changes its mind with the cuts, and no path escapes.
enum HTTPRequestFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = self.transcript(input.pieces(of: 0))
        let cut = self.transcript(input.pieces(of: Int(input.control & 63) + 1))
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
    }

    private static func transcript(_ pieces: [[UInt8]]) -> [String] {
        var limits = HTTPLimits()
        limits.maximumURIBytes = 200
        limits.maximumHeaderBytes = 400
        limits.maximumHeaderCount = 8
        limits.maximumBodyBytes = 300
        limits.maximumChunkExtensionBytes = 20
        limits.maximumTrailerBytes = 60
        limits.maximumTrailerCount = 3
        var parser = HTTPRequestParser(limits: limits)
        var said: [String] = []
        var body: [UInt8] = []
        for piece in pieces {
            var offset = 0
            do {
                while let part = try parser.next(in: piece.span, from: &offset) { self.take(part, piece, &body, &said) }
                demand(offset == piece.count, "bytes were left")
            } catch {
                return said + ["\(body)", "\(error)"]
            }
        }
        return said + ["\(body)"]
    }

    private static func take(_ part: HTTPRequestPart, _ piece: [UInt8], _ body: inout [UInt8], _ said: inout [String]) {
        switch part {
        case .head(let head):
            self.check(head)
            said.append("\(head)")
        case .body(let range):
            body += piece[range]
        case .end(let trailers):
            said.append("\(body) \(trailers.map { Array($0.map(\.name)) } ?? [])")
            body = []
        }
    }

    private static func check(_ head: HTTPRequestHead) {
        let segments = head.path.split(separator: "/", omittingEmptySubsequences: false)
        demand(head.path == "*" || head.path.hasPrefix("/"), "a path without a root")
        demand(!segments.contains("..") && !segments.contains("."), "a path with dots")
        demand(!head.path.contains("//") && !head.path.utf8.contains(0), "a path that could be misread")
        var written: [UInt8] = []
        head.fields.write(into: &written)
        demand(written.count(where: { $0 == 10 }) == head.fields.count, "a field with a line break")
        _ = head.query.map { QueryItems($0) }
        _ = try? WebSocketHandshake.accept(head, subprotocols: ["a"])
        _ = HTTPPreconditions(head).verdict(tag: EntityTag("1"), modified: 0)
    }
}
