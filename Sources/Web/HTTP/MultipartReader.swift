internal import Bytes

/// Takes a `multipart/form-data` body apart as it comes (RFC 7578, RFC 2046 §5.1). It remembers no more than a head, and
/// the few bytes that may be the beginning of a boundary.
///
///     preamble ──boundary──▶ head ──empty line──▶ content ──boundary──▶ head … ──last boundary──▶ ended
package struct MultipartReader: Sendable {
    package enum Event: Hashable, Sendable {
        /// A part begins: the value of its `Content-Disposition`.
        case part(disposition: String)
        case content([UInt8])
        case partEnded
        /// Whatever follows means nothing.
        case ended
    }

    package enum Failure: Error, Hashable, Sendable {
        /// The field says of no boundary, or of one that cannot be.
        case noBoundary
        case headTooLong
        case tooManyParts
        /// The body ended before its last boundary.
        case truncated
        case malformed
    }

    private enum State {
        case preamble, head, content, ended
    }

    private static let maximumHeadBytes = 8 << 10
    private static let maximumParts = 32

    /// CR LF and the boundary with its two dashes.
    private let boundary: [UInt8]
    private var state = State.preamble
    private var pending: [UInt8]
    private var parts = 0
    /// How far the end of a head was looked for: bytes may come one by one.
    private var looked = 0

    /// - Parameter contentType: the field of the request.
    package init(contentType: String) throws(Failure) {
        guard contentType.lowercased().hasPrefix("multipart/form-data"),
            let boundary = ContentDisposition.parameter("boundary", of: contentType),
            (1...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
        else { throw .noBoundary }
        self.boundary = Array("\r\n--\(boundary)".utf8)
        // The first boundary has no line in front of it.
        self.pending = [0x0D, 0x0A]
    }

    package mutating func read(_ bytes: Span<UInt8>) throws(Failure) -> [Event] {
        self.pending.append(copying: bytes)
        var events: [Event] = []
        while try self.step(&events) {}
        return events
    }

    /// Nothing follows any more.
    package func finish() throws(Failure) {
        guard self.state == .ended else { throw .truncated }
    }

    private mutating func step(_ events: inout [Event]) throws(Failure) -> Bool {
        switch self.state {
        case .ended:
            self.pending = []
            return false
        case .preamble, .content: return try self.readContent(&events)
        case .head: return try self.readHead(&events)
        }
    }

    private mutating func readContent(_ events: inout [Event]) throws(Failure) -> Bool {
        let (end, isWhole) = self.search()
        self.emit(self.pending[..<end], &events)
        self.pending.removeFirst(end)
        // What follows the boundary tells whether it was the last one.
        guard isWhole, self.pending.count >= self.boundary.count + 2 else { return false }
        let tail = self.pending[self.boundary.count..<(self.boundary.count + 2)]
        if self.state == .content { events.append(.partEnded) }
        if tail.elementsEqual("--".utf8) {
            self.state = .ended
            events.append(.ended)
            return false
        }
        guard tail.elementsEqual([0x0D, 0x0A]) else { throw .malformed }
        self.parts += 1
        guard self.parts <= Self.maximumParts else { throw .tooManyParts }
        self.pending.removeFirst(self.boundary.count)
        self.state = .head
        return true
    }

    private func emit(_ bytes: ArraySlice<UInt8>, _ events: inout [Event]) {
        if self.state == .content, !bytes.isEmpty { events.append(.content(Array(bytes))) }
    }

    /// Where the boundary begins, or what may become one.
    private func search() -> (end: Int, isWhole: Bool) {
        var start = 0
        while let place = self.pending[start...].firstIndex(of: 0x0D) {
            let candidate = self.pending[place...].prefix(self.boundary.count)
            if self.boundary.starts(with: candidate) { return (place, candidate.count == self.boundary.count) }
            start = place + 1
        }
        return (self.pending.count, false)
    }

    /// The lines of a head, each behind a CR LF, up to an empty one.
    private mutating func readHead(_ events: inout [Event]) throws(Failure) -> Bool {
        let places = self.looked..<max(self.looked, self.pending.count - 3)
        let end = places.first { self.pending[$0..<($0 + 4)].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }
        self.looked = end == nil ? places.upperBound : 0
        guard let end, end <= Self.maximumHeadBytes else {
            // The line that ends the longest head may itself be on its way.
            guard self.pending.count < Self.maximumHeadBytes + 4 else { throw .headTooLong }
            return false
        }
        let lines = String(decoding: self.pending[..<end], as: UTF8.self).split(separator: "\r\n")
        let name = "content-disposition:"
        let line = lines.first { $0.lowercased().hasPrefix(name) }
        events.append(.part(disposition: line.map { String($0.dropFirst(name.count)) } ?? ""))
        self.pending.removeFirst(end + 4)
        self.state = .content
        return true
    }
}
