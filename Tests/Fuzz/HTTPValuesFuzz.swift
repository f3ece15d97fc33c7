import Web

/// Whatever stands in a field, reading it does not trap, and what can be written reads back the same.
enum HTTPValuesFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let text = String(decoding: input.bytes, as: UTF8.self)
        switch input.control % 6 {
        case 0: _ = HTTPListItem.parse(text)
        case 1: self.tags(text)
        case 2: self.date(text)
        case 3: self.range(text)
        case 4: self.query(text)
        default: self.negotiation(text)
        }
    }

    private static func tags(_ text: String) {
        guard case .tags(let tags) = EntityTagList(text) else { return }
        let written = tags.map(\.description).joined(separator: ", ")
        demand(EntityTagList(written) == .tags(tags), "tags changed")
    }

    private static func date(_ text: String) {
        guard let seconds = HTTPDate.parse(text) else { return }
        demand(HTTPDate.parse(HTTPDate.format(seconds)) == seconds, "a date changed")
    }

    private static func range(_ text: String) {
        for length in [0, 1, 100, Int.max] {
            guard case .part(let range) = ByteRangeRequest(text, length: length) else { continue }
            demand(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= length, "a part outside")
        }
    }

    private static func query(_ text: String) {
        guard let query = QueryItems(text, limit: 20) else { return }
        let written = query.items.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode($0.value) }
        demand(QueryItems(written.joined(separator: "&"), limit: 20) == query, "a query changed")
    }

    private static func negotiation(_ text: String) {
        _ = ContentCoding.acceptsGzip([.acceptEncoding: text])
        _ = PerMessageDeflate.negotiate([.webSocketExtensions: text])
        _ = MediaType(fileName: text)
        _ = PercentCoding.decode(text)
    }
}
