#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What the system, or a person, tells a process from outside.
package struct Signal: Hashable, Sendable {
    package let number: Int32

    package static let hangUp = Signal(number: SIGHUP)
    package static let interrupt = Signal(number: SIGINT)
    package static let terminate = Signal(number: SIGTERM)
    /// What is written has no reader any more.
    package static let brokenPipe = Signal(number: SIGPIPE)
    /// A file may not grow further.
    package static let fileTooLarge = Signal(number: SIGXFSZ)

    /// The call that causes it fails instead.
    package func ignore() { signal(self.number, SIG_IGN) }
}
