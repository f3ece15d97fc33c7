package import Vocabulary

/// Why a stream ended.
package enum StreamEnd: Hashable, Sendable {
    /// We closed it, after everything was written.
    case closed
    /// We cut it off.
    case aborted
    /// The other side finished and we had nothing left to say.
    case peerClosed
    /// It did not read fast enough, and too much was waiting for it.
    case slowReader
    case failed(ReactorError)
}

/// An ordered flow of bytes both ways: a TCP connection, or TLS over one.
package protocol ByteStream: AnyObject {
    var reactor: Reactor { get }
    var peer: SocketAddress { get }
    var isEncrypted: Bool { get }
    /// What waits to be written.
    var queuedBytes: Int { get }
    var isOpen: Bool { get }
    /// Whether its client is not in yet, so that it waits for its turn when many come at once.
    var isNewcomer: Bool { get set }

    /// Puts another handler in the place of the first, as an upgrade does.
    func replaceHandler(with handler: any StreamHandler)

    /// Queues a copy; it leaves at the end of this turn together with everything else.
    func write(_ bytes: Span<UInt8>)
    /// Queues a copy of both, one after the other.
    func write(_ head: Span<UInt8>, _ body: Span<UInt8>)
    /// Queues a reference.
    func write(_ shared: SharedBytes)
    /// Nothing is read until `resumeReading`; the peer's own writes will stall in time.
    func pauseReading()
    func resumeReading()
    /// Says goodbye once everything is written. Nothing more is delivered.
    func close()
    func abort()
}

/// Who is told what comes out of a stream, always on the stream's loop.
package protocol StreamHandler: AnyObject {
    /// The bytes are lent for the time of the call and may be changed in place.
    func received(_ bytes: inout MutableSpan<UInt8>)
    /// The peer will send no more; we still may.
    func peerFinished()
    /// The queue has fallen below the low-water mark after it had risen above the high-water mark.
    func drained()
    /// The last call of all.
    func ended(_ end: StreamEnd)
}

/// How much may wait for a peer that reads slowly.
package struct WritePolicy: Hashable, Sendable {
    /// Above this the queue counts as full: `drained()` will tell when to go on.
    package var highWater = 256 << 10
    package var lowWater = 64 << 10
    /// Above this the stream is cut with `.slowReader`.
    package var limit = 4 << 20
    /// A full queue that nothing is taken from for so long cuts the stream, too.
    package var stall = Duration.seconds(30)

    package init() {}

    package static let standard = Shared(WritePolicy())
}
