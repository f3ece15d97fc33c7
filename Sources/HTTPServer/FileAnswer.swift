internal import Reactor
package import Web

/// Answers with one file whose place the server knows: whole, in part, or not at all when the client has it. What it is
/// and what a browser may do with it is said by the fields.
package struct FileAnswer {
    private let path: String
    private let fields: HTTPFields
    private let tag: EntityTag?

    /// - Parameter tag: names what is in the file, and changes with it.
    package init(path: String, tag: String, fields: HTTPFields) {
        self.path = path
        self.tag = EntityTag(tag)
        self.fields = fields
    }

    /// - Parameter missing: called instead when there is no such file.
    package func send(to exchange: HTTPExchange, orElse missing: @escaping () -> Void) {
        let path = self.path
        exchange.reactor.offload({ OpenFile(path).flatMap { file in file.size.map { (file, $0) } } }) {
            guard let (file, size) = $0 else { return missing() }
            self.send(file, size, to: exchange)
        }
    }

    private func send(_ file: OpenFile, _ size: Int, to exchange: HTTPExchange) {
        var head = HTTPResponseHead(.ok, fields: self.fields)
        head.fields.set(.acceptRanges, to: "bytes")
        if let tag = self.tag { head.fields.set(.eTag, to: tag.description) }
        let conditions = HTTPPreconditions(exchange.request)
        switch conditions.verdict(tag: self.tag, modified: nil) {
        case .notModified:
            head.status = .notModified
            return exchange.respond(HTTPResponse(head))
        case .failed: return exchange.respond(.error(.preconditionFailed, "the file is another one"))
        case .proceed: break
        }
        let mayBePart = exchange.request.method == .get && conditions.allowsPart(tag: self.tag, modified: nil)
        let wanted = mayBePart ? ByteRangeRequest(exchange.request.fields[.range], length: size) : .whole
        head.fields[.contentRange] = wanted.contentRange(length: size)
        switch wanted {
        case .whole: FileSender(file, 0..<size, exchange, exchange.reactor).start(head)
        case .part(let range):
            head.status = .partialContent
            FileSender(file, range, exchange, exchange.reactor).start(head)
        case .unsatisfiable:
            head.status = .rangeNotSatisfiable
            exchange.respond(HTTPResponse(head))
        }
    }
}
