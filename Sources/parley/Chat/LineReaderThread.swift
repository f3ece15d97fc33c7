#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Reads lines from standard input, which may take for ever, on a thread of its own. It ends with the program.
final class LineReaderThread: Sendable {
    private let line: @Sendable (String) -> Void
    private let ended: @Sendable () -> Void

    init(_ line: @escaping @Sendable (String) -> Void, ended: @escaping @Sendable () -> Void) {
        self.line = line
        self.ended = ended
    }

    func start() {
        let body = unsafe Unmanaged.passRetained(self).toOpaque()
        #if canImport(Glibc)
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, { unsafe LineReaderThread.enter($0) }, body)
        #else
        var thread: pthread_t?
        let code = unsafe pthread_create(&thread, nil, { unsafe LineReaderThread.enter($0) }, body)
        #endif
        if code != 0 { self.ended() }
    }

    private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument = unsafe argument else { return nil }
        let reader = unsafe Unmanaged<LineReaderThread>.fromOpaque(argument).takeRetainedValue()
        while let line = readLine() { reader.line(line) }
        reader.ended()
        return nil
    }
}
