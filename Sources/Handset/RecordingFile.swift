import System
internal import SoundFiles

/// A file that is added to until the disk says no: what it holds by then stays as it is, and the call goes on.
final class RecordingFile {
    private let file: GrowingFile
    /// Why nothing is added any more.
    private(set) var failure: SystemError?

    /// - Parameter start: has to fit, or there is no file.
    init(_ path: String, startingWith start: [UInt8]) throws(SystemError) {
        self.file = try GrowingFile(path: path)
        try self.file.append(start.span)
    }

    func append(_ bytes: [UInt8]) {
        self.attempt { file throws(SystemError) in try file.append(bytes.span) }
    }

    func overwriteFront(with bytes: [UInt8]) {
        self.attempt { file throws(SystemError) in try file.overwriteFront(with: bytes.span) }
    }

    private func attempt(_ body: (GrowingFile) throws(SystemError) -> Void) {
        guard self.failure == nil else { return }
        do throws(SystemError) {
            try body(self.file)
        } catch {
            self.failure = error
        }
    }
}
