/// Room for outgoing bytes that belong to one connection. Chunks of the usual size go back to their pool.
@safe final class ByteChunk {
    let base: UnsafeMutablePointer<UInt8>
    let capacity: Int
    var count = 0

    init(capacity: Int) {
        unsafe self.base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe self.base.deallocate()
    }

    var room: Int { self.capacity - self.count }

    func append(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= self.room, "a chunk was given more than it has room for")
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe (self.base + self.count).initialize(from: start, count: source.count)
        }
        self.count += bytes.count
    }
}

/// The chunks of one loop, the one used last first, since it is still warm.
struct ChunkPool {
    static let usualSize = 2048
    private static let mostKept = 1024
    private var idle: [ByteChunk] = []

    mutating func take(atLeast size: Int) -> ByteChunk {
        guard size <= Self.usualSize else { return ByteChunk(capacity: size) }
        return self.idle.popLast() ?? ByteChunk(capacity: Self.usualSize)
    }

    mutating func giveBack(_ chunk: ByteChunk) {
        guard chunk.capacity == Self.usualSize, self.idle.count < Self.mostKept else { return }
        chunk.count = 0
        self.idle.append(chunk)
    }
}
