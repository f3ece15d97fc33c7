import Web

/// Whatever comes, the parser of answers neither traps nor changes its mind with the cuts.
enum HTTPResponseFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let method: HTTPMethod = input.control & 64 == 0 ? .get : .head
        let whole = self.transcript(input.pieces(of: 0), method)
        let cut = self.transcript(input.pieces(of: Int(input.control & 63) + 1), method)
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
    }

    private static func transcript(_ pieces: [[UInt8]], _ method: HTTPMethod) -> [String] {
        var limits = HTTPLimits()
        limits.maximumHeaderBytes = 400
        limits.maximumBodyBytes = 300
        var parser = HTTPResponseParser(limits: limits)
        parser.expect(answerTo: method)
        var said: [String] = []
        var body: [UInt8] = []
        do {
            for piece in pieces {
                var offset = 0
                while let part = try parser.next(in: piece.span, from: &offset) { self.take(part, piece, &body, &said) }
                demand(offset == piece.count, "bytes were left")
            }
            if let part = try parser.connectionClosed() { self.take(part, [], &body, &said) }
        } catch {
            return said + ["\(body)", "\(error)"]
        }
        return said
    }

    private static func take(_ part: HTTPResponsePart, _ piece: [UInt8], _ body: inout [UInt8], _ said: inout [String])
    {
        switch part {
        case .informational(let head), .head(let head): said.append("\(head)")
        case .body(let range): body += piece[range]
        case .end(let trailers):
            said.append("\(body) \(trailers.map { Array($0.map(\.value)) } ?? [])")
            body = []
        }
    }
}
