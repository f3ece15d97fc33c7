internal import CSockets
internal import CUV
internal import Vocabulary

/// Up to `capacity` datagrams with their addresses, laid out once as recvmmsg and sendmmsg want them.
@safe final class DatagramBatch {
    let capacity: Int
    static let datagramSize = 2048
    /// Equal datagrams that the kernel gives as one are as long as one datagram may be.
    static let joinedSize = 65_536
    private(set) var count = 0
    /// So many messages are to be sent: equal datagrams to one peer are one, if the socket joins them.
    private var messages = 0
    private var open = OpenMessage()
    /// So many bytes hold what is to be sent, one datagram behind the other: far apart they would share few lines of the
    /// processor's cache.
    private var used = 0
    /// So many headers are to be made ready for receiving.
    private var stale: Int
    private let place: Int

    private let headers: UnsafeMutablePointer<parley_datagram>
    private let vectors: UnsafeMutablePointer<iovec>
    private let addresses: UnsafeMutablePointer<sockaddr_storage>
    private let bytes: UnsafeMutablePointer<UInt8>
    private let controls: UnsafeMutablePointer<UInt8>

    /// The message that the next datagram may become a part of.
    private struct OpenMessage {
        var peer: SocketAddress?
        var length = 0
        var parts = 0
        /// Of the largest UDP payload there is, and of what the kernel cuts at once.
        static let maximumBytes = 65_000
        static let maximumParts = 64

        func takes(_ count: Int, for peer: SocketAddress) -> Bool {
            count > 0 && count <= self.length && self.parts < Self.maximumParts
                && (self.parts + 1) * self.length <= Self.maximumBytes && self.peer == peer
        }
    }

    /// - Parameter size: of the longest datagram that is received; longer ones are cut.
    init(capacity: Int, size: Int = DatagramBatch.datagramSize) {
        self.capacity = capacity
        self.stale = capacity
        // Places a multiple of 64 KiB apart would share the same lines of the processor's cache.
        self.place = size > Self.datagramSize ? size + 256 : size
        unsafe self.headers = .allocate(capacity: capacity)
        unsafe self.vectors = .allocate(capacity: capacity)
        unsafe self.addresses = .allocate(capacity: capacity)
        unsafe self.bytes = .allocate(capacity: capacity * self.place)
        let control = capacity * Int(parley_control_size)
        unsafe self.controls = UnsafeMutableRawPointer.allocate(byteCount: control, alignment: 16)
            .bindMemory(to: UInt8.self, capacity: control)
        unsafe self.headers.initialize(repeating: parley_datagram(), count: capacity)
        unsafe self.addresses.initialize(repeating: sockaddr_storage(), count: capacity)
        for index in 0..<capacity { self.layOut(index, size) }
    }

    deinit {
        unsafe self.headers.deallocate()
        unsafe self.vectors.deallocate()
        unsafe self.addresses.deallocate()
        unsafe self.bytes.deallocate()
        unsafe self.controls.deallocate()
    }

    var isFull: Bool { self.count == self.capacity }

    private func layOut(_ index: Int, _ size: Int) {
        let base = unsafe self.bytes + index * self.place
        unsafe (self.vectors + index).initialize(to: iovec(iov_base: base, iov_len: numericCast(size)))
        unsafe self.headers[index].header.msg_iov = unsafe self.vectors + index
        unsafe self.headers[index].header.msg_iovlen = 1
        unsafe self.headers[index].header.msg_name = unsafe UnsafeMutableRawPointer(self.addresses + index)
    }

    private func control(_ index: Int) -> UnsafeMutablePointer<UInt8> {
        unsafe self.controls + index * Int(parley_control_size)
    }
}

// MARK: - Receiving

extension DatagramBatch {
    /// How many messages arrived, or -1.
    func receive(on fd: Int32) -> Int {
        // The kernel has written how long addresses and controls are into those that were used.
        for index in 0..<self.stale {
            unsafe self.headers[index].header.msg_namelen = socklen_t(MemoryLayout<sockaddr_storage>.size)
            unsafe self.headers[index].header.msg_control = unsafe UnsafeMutableRawPointer(self.control(index))
            unsafe self.headers[index].header.msg_controllen = numericCast(parley_control_size)
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

    /// One datagram, or equal ones that the kernel gave as one. What is longer than its place was cut by the kernel and is
    /// not worth delivering.
    func withDatagrams(_ index: Int, _ body: (Span<UInt8>) -> Void) {
        guard unsafe self.headers[index].header.msg_flags & Int32(MSG_TRUNC) == 0 else { return }
        let count = unsafe Int(self.headers[index].length)
        let length = Int(unsafe parley_segment_length(&self.headers[index].header))
        let step = length > 0 ? length : max(count, 1)
        var start = 0
        repeat {
            let place = unsafe self.bytes + index * self.place + start
            body(unsafe Span(_unsafeStart: place, count: min(step, count - start)))
            start += step
        } while start < count
    }
}

// MARK: - Sending

extension DatagramBatch {
    /// - Parameter joins: whether it may leave as one with equal ones before it; the last of those may be shorter.
    func append(_ datagram: Span<UInt8>, to peer: SocketAddress, joins: Bool = false) {
        let place = unsafe self.bytes + self.used
        unsafe self.vectors[self.count] = iovec(iov_base: place, iov_len: numericCast(datagram.count))
        unsafe datagram.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe place.update(from: start, count: source.count)
        }
        self.used += (datagram.count + 15) & ~15
        if joins, self.open.takes(datagram.count, for: peer) {
            self.extend(by: datagram.count)
        } else {
            self.begin(datagram.count, for: peer)
        }
        self.count += 1
    }

    private func begin(_ length: Int, for peer: SocketAddress) {
        let index = self.messages
        let system = SystemAddress(peer)
        unsafe self.addresses[index] = system.storage
        unsafe self.headers[index].header.msg_namelen = system.length
        unsafe self.headers[index].header.msg_iov = unsafe self.vectors + self.count
        unsafe self.headers[index].header.msg_iovlen = 1
        unsafe self.headers[index].header.msg_control = nil
        unsafe self.headers[index].header.msg_controllen = 0
        self.open = OpenMessage(peer: peer, length: length, parts: 1)
        self.messages += 1
    }

    private func extend(by length: Int) {
        let index = self.messages - 1
        self.open.parts += 1
        unsafe self.headers[index].header.msg_iovlen = numericCast(self.open.parts)
        if self.open.parts == 2 {
            unsafe parley_set_segment_length(
                &self.headers[index].header, self.control(index), UInt16(self.open.length))
        }
        if length < self.open.length { self.open.peer = nil }
    }

    /// Sends what is there, as far as the kernel takes it. False when it does not cut messages into datagrams: they have
    /// left one by one then.
    @discardableResult
    func sendAll(on fd: Int32) -> Bool {
        var done = 0
        var isCut = true
        while done < self.messages {
            let taken = Int(unsafe parley_send(fd, self.headers + done, UInt32(self.messages - done)))
            if taken <= 0, SystemSocket.lastError == UV_EAGAIN.rawValue { break }
            if taken <= 0, unsafe self.headers[done].header.msg_iovlen > 1 {
                isCut = false
                self.sendParts(of: done, on: fd)
            }
            // One that cannot be sent (no route, an earlier ICMP error) is left out; the ones behind it may go.
            done += max(taken, 1)
        }
        self.removeAll()
        return isCut
    }

    /// A device without checksums of its own, or a path too narrow for the segments.
    private func sendParts(of index: Int, on fd: Int32) {
        var part = unsafe self.headers[index]
        unsafe part.header.msg_control = nil
        unsafe part.header.msg_controllen = 0
        unsafe part.header.msg_iovlen = 1
        for _ in 0..<(unsafe Int(self.headers[index].header.msg_iovlen)) {
            unsafe parley_send(fd, &part, 1)
            unsafe part.header.msg_iov += 1
        }
    }

    func removeAll() {
        self.count = 0
        self.messages = 0
        self.used = 0
        self.open.peer = nil
    }
}
