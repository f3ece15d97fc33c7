import Reactor

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension SignalWatch {
    /// Hears that the program is asked to end.
    static func interrupts(on reactor: Reactor, _ body: @escaping () -> Void) throws(ReactorError) -> [SignalWatch] {
        [try SignalWatch(SIGINT, on: reactor, body), try SignalWatch(SIGTERM, on: reactor, body)]
    }
}
