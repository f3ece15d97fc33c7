/// Room for outgoing bytes that belong to one connection. Chunks of the usual size go back to their pool.
@safe final class ByteChunk {
    let base: UnsafeMutablePointer<UInt8>
    let capacity: Int

    init(capacity: Int) {
        unsafe self.base = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit {
        unsafe self.base.deallocate()
    }
}

/// The chunks of one loop, the one used last first, since it is still warm.
struct ChunkPool {
    static let usualSize = 2048
    private static let maximumKept = 1024
    private var idle: [ByteChunk] = []

    mutating func take(atLeast size: Int) -> ByteChunk {
        guard size <= Self.usualSize else { return ByteChunk(capacity: size) }
        return self.idle.popLast() ?? ByteChunk(capacity: Self.usualSize)
    }

    mutating func giveBack(_ chunk: ByteChunk) {
        guard chunk.capacity == Self.usualSize, self.idle.count < Self.maximumKept else { return }
        self.idle.append(chunk)
    }
}
