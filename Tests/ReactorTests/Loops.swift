import Reactor
import Testing
import Vocabulary

/// Loops that end with the test.
func withLoops<Result: Sendable>(
    _ count: Int = 1, _ body: (EventLoopGroup) async throws -> Result
) async throws -> Result {
    let group = try EventLoopGroup(count: count)
    defer { group.shutDown() }
    return try await body(group)
}

extension EventLoop {
    /// Runs `body` on the loop and brings back what it answered.
    func run<Value: Sendable>(_ body: @escaping @Sendable (Reactor) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.execute { reactor in continuation.resume(with: Result { try body(reactor) }) }
        }
    }

    /// Runs `body` on the loop and waits until it calls back.
    func wait<Value: Sendable>(
        _ body: @escaping @Sendable (Reactor, @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            self.execute { reactor in body(reactor) { continuation.resume(returning: $0) } }
        }
    }
}

/// Sends back what it gets, and finishes when the other side does.
final class EchoHandler: StreamHandler {
    private let stream: any ByteStream

    init(_ stream: any ByteStream) { self.stream = stream }

    func received(_ bytes: inout MutableSpan<UInt8>) { self.stream.write(bytes.span) }
    func peerFinished() { self.stream.close() }
    func drained() {}
    func ended(_ end: StreamEnd) {}
}

/// Collects everything until the stream ends.
final class CollectHandler: StreamHandler {
    private(set) var bytes: [UInt8] = []
    var onBytes: (Int) -> Void = { _ in }
    var onDrained: () -> Void = {}
    private let onEnd: (StreamEnd, [UInt8]) -> Void

    init(onEnd: @escaping (StreamEnd, [UInt8]) -> Void) { self.onEnd = onEnd }

    func received(_ bytes: inout MutableSpan<UInt8>) {
        bytes.span.withUnsafeBufferPointer { self.bytes.append(contentsOf: $0) }
        self.onBytes(self.bytes.count)
    }

    func peerFinished() {}
    func drained() { self.onDrained() }
    func ended(_ end: StreamEnd) { self.onEnd(end, self.bytes) }
}
