import System
import Reactor

extension SignalWatch {
    /// Hears that the program is asked to end.
    static func interrupts(on reactor: Reactor, _ body: @escaping () -> Void) throws(ReactorError) -> [SignalWatch] {
        [try SignalWatch(.interrupt, on: reactor, body), try SignalWatch(.terminate, on: reactor, body)]
    }
}
