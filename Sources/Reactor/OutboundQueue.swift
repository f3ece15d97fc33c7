internal import CSockets

/// What one connection still has to write, oldest first.
///
/// Its own bytes are copied into chunks, one after another, so that many small writes leave as one; frames
/// that many connections share are queued by reference. An empty queue holds no memory worth the name.
@safe struct OutboundQueue {
    @safe private struct Segment {
        /// Keeps the bytes alive.
        let owner: AnyObject
        let base: UnsafePointer<UInt8>
        var count: Int
    }

    private var segments: [Segment] = []
    /// The first segment that is not written out yet, and how much of it is.
    private var head = 0
    private var written = 0
    /// Where the chunk at the very end goes on, and how much room it has; without a chunk, none. Bare, since this
    /// is written to for every small message and counting references would cost more than the copy.
    private var tail: UnsafeMutablePointer<UInt8>?
    private var room = 0

    private(set) var byteCount = 0

    var isEmpty: Bool { self.byteCount == 0 }
    var segmentCount: Int { self.segments.count - self.head }

    mutating func append(_ bytes: Span<UInt8>, from pool: inout ChunkPool) {
        guard bytes.count > 0 else { return }
        if self.room < bytes.count { self.open(pool.take(atLeast: bytes.count)) }
        self.copy(bytes)
    }

    /// Both one after the other, if the last chunk has room for them: what almost every small frame takes. Says how many bytes wait
    /// then; nil where there was no room.
    mutating func appendIfRoom(_ head: Span<UInt8>, _ body: Span<UInt8>) -> Int? {
        guard self.room >= head.count + body.count, body.count > 0 else { return nil }
        unsafe self.tail = Self.copy(body, to: Self.copy(head, to: self.tail))
        self.lengthened(by: head.count + body.count)
        return self.byteCount
    }

    private mutating func open(_ chunk: ByteChunk) {
        unsafe self.segments.append(Segment(owner: chunk, base: UnsafePointer(chunk.base), count: 0))
        unsafe self.tail = chunk.base
        self.room = chunk.capacity
    }

    /// There is room: the callers have looked.
    private mutating func copy(_ bytes: Span<UInt8>) {
        unsafe self.tail = Self.copy(bytes, to: self.tail)
        self.lengthened(by: bytes.count)
    }

    private mutating func lengthened(by count: Int) {
        self.room -= count
        self.byteCount += count
        self.segments[self.segments.count - 1].count += count
    }

    /// Says where the copy ends.
    private static func copy(_ bytes: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>?)
        -> UnsafeMutablePointer<UInt8>?
    {
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress, let target = unsafe target else { return unsafe target }
            unsafe target.initialize(from: start, count: source.count)
            return unsafe target + source.count
        }
    }

    private mutating func close() {
        unsafe self.tail = nil
        self.room = 0
    }

    /// Says how many bytes wait then.
    mutating func append(_ shared: SharedBytes) -> Int {
        guard shared.count > 0 else { return self.byteCount }
        self.byteCount += shared.count
        self.close()
        unsafe self.segments.append(Segment(owner: shared, base: shared.base, count: shared.count))
        return self.byteCount
    }

    /// Fills `vector` with what is to be written next and says how many entries it took.
    func gather(into vector: UnsafeMutableBufferPointer<iovec>) -> Int {
        let count = min(vector.count, self.segmentCount)
        for index in 0..<count {
            let segment = self.segments[self.head + index]
            let skipped = index == 0 ? self.written : 0
            let base = unsafe UnsafeMutableRawPointer(mutating: segment.base + skipped)
            unsafe vector[index] = iovec(iov_base: base, iov_len: numericCast(segment.count - skipped))
        }
        return count
    }

    mutating func consume(_ count: Int, returningTo pool: inout ChunkPool) {
        self.byteCount -= count
        self.written += count
        while self.head < self.segments.count, self.written >= self.segments[self.head].count {
            let segment = self.segments[self.head]
            self.written -= segment.count
            self.head += 1
            if self.head == self.segments.count { self.close() }
            if let chunk = segment.owner as? ByteChunk { pool.giveBack(chunk) }
        }
        self.forgetWritten()
    }

    /// A copy of everything that waits, which then waits no longer.
    mutating func takeAll() -> [UInt8] {
        var bytes: [UInt8] = []
        for index in self.head..<self.segments.count {
            let segment = self.segments[index]
            let skipped = index == self.head ? self.written : 0
            let rest = unsafe UnsafeBufferPointer(start: segment.base + skipped, count: segment.count - skipped)
            unsafe bytes.append(contentsOf: rest)
        }
        self.removeAll()
        return bytes
    }

    mutating func removeAll() {
        self.segments = []
        self.head = 0
        self.written = 0
        self.close()
        self.byteCount = 0
    }

    private mutating func forgetWritten() {
        if self.head == self.segments.count {
            self.segments.removeAll(keepingCapacity: self.segments.capacity <= 4)
            self.head = 0
        } else if self.head >= 64 {
            self.segments.removeFirst(self.head)
            self.head = 0
        }
    }
}
