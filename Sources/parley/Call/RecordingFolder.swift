import Handset
import System
import Vocabulary

/// Where `parley answer` keeps what callers say: a file for each call.
struct RecordingFolder: Sendable {
    let path: String
    /// For how long a recording stays; nil for good.
    let life: Duration?

    /// Where a call that begins now is kept. Older recordings make room for it.
    func place(for call: CallID) -> String {
        self.sweep(at: KernelClock.realTime / 1_000_000_000)
        return "\(self.path)/\(call.text).ogg"
    }

    /// - Parameter now: in seconds since 1970.
    func sweep(at now: Int64) {
        guard let life = self.life else { return }
        for name in FileSystem.names(in: self.path) ?? [] where name.hasSuffix(".ogg") {
            let place = "\(self.path)/\(name)"
            guard let status = FileStatus(of: place), status.kind == .regular,
                Int64(status.modifiedSeconds) + life.components.seconds < now, Recorder.hasMade(place)
            else { continue }
            FileSystem.remove(place)
        }
    }
}
