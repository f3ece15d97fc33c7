internal import CSockets

/// What one connection still has to write, oldest first.
///
/// Its own bytes are copied into chunks, one after another, so that many small writes leave as one; frames
/// that many connections share are queued by reference. An empty queue holds no memory worth the name.
struct OutboundQueue {
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
    /// The chunk at the very end, while it has room.
    private var open: ByteChunk?

    private(set) var byteCount = 0

    var isEmpty: Bool { self.byteCount == 0 }
    var segmentCount: Int { self.segments.count - self.head }

    mutating func append(_ bytes: Span<UInt8>, from pool: inout ChunkPool) {
        guard bytes.count > 0 else { return }
        self.byteCount += bytes.count
        if let chunk = self.open, chunk.room >= bytes.count {
            chunk.append(bytes)
            self.segments[self.segments.count - 1].count += bytes.count
            return
        }
        let chunk = pool.take(atLeast: bytes.count)
        chunk.append(bytes)
        self.open = chunk
        unsafe self.segments.append(Segment(owner: chunk, base: UnsafePointer(chunk.base), count: bytes.count))
    }

    mutating func append(_ shared: SharedBytes) {
        guard shared.count > 0 else { return }
        self.byteCount += shared.count
        self.open = nil
        unsafe self.segments.append(Segment(owner: shared, base: shared.base, count: shared.count))
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

    /// Everything queued in one piece: what a filter such as TLS reads from.
    mutating func takeAll(returningTo pool: inout ChunkPool, _ body: (Span<UInt8>) -> Void) {
        for index in self.head..<self.segments.count {
            let segment = self.segments[index]
            let skipped = index == self.head ? self.written : 0
            body(unsafe Span(_unsafeStart: segment.base + skipped, count: segment.count - skipped))
        }
        self.consume(self.byteCount, returningTo: &pool)
    }

    mutating func consume(_ count: Int, returningTo pool: inout ChunkPool) {
        self.byteCount -= count
        self.written += count
        while self.head < self.segments.count, self.written >= self.segments[self.head].count {
            let segment = self.segments[self.head]
            self.written -= segment.count
            self.head += 1
            if let chunk = segment.owner as? ByteChunk { self.retire(chunk, to: &pool) }
        }
        self.forgetWritten()
    }

    mutating func removeAll() {
        self.segments = []
        self.head = 0
        self.written = 0
        self.open = nil
        self.byteCount = 0
    }

    private mutating func retire(_ chunk: ByteChunk, to pool: inout ChunkPool) {
        if self.open === chunk { self.open = nil }
        pool.giveBack(chunk)
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
