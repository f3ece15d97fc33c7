internal import CSockets
internal import CUV
internal import Vocabulary

/// Up to `capacity` datagrams with their addresses, laid out once as recvmmsg and sendmmsg want them.
@safe final class DatagramBatch {
    let capacity: Int
    static let datagramSize = 2048
    private(set) var count = 0
    /// So many bytes hold what is to be sent, one datagram behind the other: far apart they would share few lines of the
    /// processor's cache.
    private var used = 0
    /// So many headers are to be made ready for receiving.
    private var stale: Int

    private let headers: UnsafeMutablePointer<parley_datagram>
    private let vectors: UnsafeMutablePointer<iovec>
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let bytes: UnsafeMutablePointer<UInt8>

    init(capacity: Int) {
        self.capacity = capacity
        self.stale = capacity
        unsafe self.headers = .allocate(capacity: capacity)
        unsafe self.vectors = .allocate(capacity: capacity)
        unsafe self.addresses = .allocate(capacity: capacity)
        unsafe self.bytes = .allocate(capacity: capacity * Self.datagramSize)
        unsafe self.headers.initialize(repeating: parley_datagram(), count: capacity)
        unsafe self.addresses.initialize(repeating: sockaddr_storage(), count: capacity)
        for index in 0..<capacity { self.layOut(index) }
    }

    deinit {
        unsafe self.headers.deallocate()
        unsafe self.vectors.deallocate()
        unsafe self.addresses.deallocate()
        unsafe self.bytes.deallocate()
    }

    var isFull: Bool { self.count == self.capacity }

    private func layOut(_ index: Int) {
        let base = unsafe self.bytes + index * Self.datagramSize
        unsafe (self.vectors + index).initialize(to: iovec(iov_base: base, iov_len: numericCast(Self.datagramSize)))
        unsafe self.headers[index].header.msg_iov = unsafe self.vectors + index
        unsafe self.headers[index].header.msg_iovlen = 1
        unsafe self.headers[index].header.msg_name = unsafe UnsafeMutableRawPointer(self.addresses + index)
    }
}

// MARK: - Receiving

extension DatagramBatch {
    /// How many arrived, or -1.
    func receive(on fd: Int32) -> Int {
        // The kernel has written how long addresses are into those that were used.
        for index in 0..<self.stale {
            unsafe self.headers[index].header.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
        }
        let count = Int(unsafe parley_receive(fd, self.headers, UInt32(self.capacity)))
        self.stale = max(0, count)
        return count
    }

    func peer(of index: Int) -> SocketAddress? {
        var system = SystemAddress()
        system.storage = unsafe self.addresses[index]
        return system.socketAddress
    }

    /// A datagram longer than its place was cut by the kernel and is not worth delivering.
    func withDatagram(_ index: Int, _ body: (Span<UInt8>) -> Void) {
        guard unsafe self.headers[index].header.msg_flags & Int32(MSG_TRUNC) == 0 else { return }
        let count = unsafe Int(self.headers[index].length)
        body(unsafe Span(_unsafeStart: self.bytes + index * Self.datagramSize, count: count))
    }
}

// MARK: - Sending

extension DatagramBatch {
    func append(_ datagram: Span<UInt8>, to peer: SocketAddress) {
        let index = self.count
        let system = SystemAddress(peer)
        unsafe self.addresses[index] = system.storage
        unsafe self.headers[index].header.msg_namelen = system.length
        let place = unsafe self.bytes + self.used
        unsafe self.vectors[index] = iovec(iov_base: place, iov_len: numericCast(datagram.count))
        unsafe datagram.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe place.update(from: start, count: source.count)
        }
        self.used += (datagram.count + 15) & ~15
        self.count += 1
    }

    /// Sends what is there, as far as the kernel takes it.
    func sendAll(on fd: Int32) {
        var done = 0
        while done < self.count {
            let taken = Int(unsafe parley_send(fd, self.headers + done, UInt32(self.count - done)))
            if taken <= 0, SystemSocket.lastError == UV_EAGAIN.rawValue { break }
            // One that cannot be sent (no route, an earlier ICMP error) is left out; the ones behind it may go.
            done += max(taken, 1)
        }
        self.removeAll()
    }

    func removeAll() {
        self.count = 0
        self.used = 0
    }
}
