import System
import Arguments
import Handset
import Identity
import Pathways
import Vocabulary

extension CaptureFile {
    /// Nil where none is wanted.
    static func open(_ path: String?) throws(CommandFailure) -> CaptureFile? {
        guard let path else { return nil }
        let origin = Timekeeper.system.wall().milliseconds * 1_000_000 - SteadyClock.now.nanoseconds
        do throws(SystemError) {
            return try CaptureFile(path: path, origin: origin)
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
    }
}
