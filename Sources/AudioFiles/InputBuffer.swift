internal import Bytes

/// Bytes that have arrived and are not yet understood, with their place in the whole input.
///
/// Every reader of this room is fed through one: bytes come in pieces of any size, and what is not
/// yet complete waits here.
package struct InputBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0
    /// Where the first unread byte lies in the whole input.
    package private(set) var offset = 0
    /// No more bytes will come.
    package private(set) var isFinished = false

    package init() {}

    package var count: Int { self.bytes.count - self.start }

    package var unread: Span<UInt8> {
        @_lifetime(borrow self)
        get { self.bytes.span.extracting(self.start...) }
    }

    package mutating func append(_ chunk: Span<UInt8>) {
        if self.start > 0 {
            // What was read makes room first, so that the buffer never grows past what waits in it.
            self.bytes.removeSubrange(0..<self.start)
            self.start = 0
        }
        self.bytes.append(copying: chunk)
    }

    package mutating func finish() {
        self.isFinished = true
    }

    package mutating func drop(_ count: Int) {
        let dropped = min(max(count, 0), self.count)
        self.start += dropped
        self.offset += dropped
    }

    /// The next `count` bytes as a value, or nil when fewer are here.
    package mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= self.count else { return nil }
        let taken = Array(self.bytes[self.start..<(self.start + count)])
        self.drop(count)
        return taken
    }
}
