import System

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Both ends of a pipe that no other program of the tests inherits: one that lived on would keep its reader from the end.
package struct PipeEnds: Sendable {
    package let reader: Int32
    package let writer: Int32

    package struct Failure: Error {}

    package init() throws {
        self = try Self.spawning.withLock { _ in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure() }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return PipeEnds(reader: ends[0], writer: ends[1])
        }
    }

    /// Starts a program: none of them sees a pipe that was made a moment ago.
    package static func spawn(_ start: () -> Int32) -> Int32 { self.spawning.withLock { _ in start() } }
    private static let spawning = Locked(())

    private init(reader: Int32, writer: Int32) { (self.reader, self.writer) = (reader, writer) }
}
