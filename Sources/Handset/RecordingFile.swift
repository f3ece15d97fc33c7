internal import SoundFiles

/// A file that is added to until the disk says no: what it holds by then stays as it is, and the call goes on.
final class RecordingFile {
    private let file: GrowingFile
    /// Why nothing is added any more.
    private(set) var failure: FileFailure?

    /// - Parameter start: has to fit, or there is no file.
    init(_ path: String, startingWith start: [UInt8]) throws(FileFailure) {
        self.file = try GrowingFile(path: path)
        try self.file.append(start.span)
    }

    func append(_ bytes: [UInt8]) {
        self.attempt { file throws(FileFailure) in try file.append(bytes.span) }
    }

    func overwriteFront(with bytes: [UInt8]) {
        self.attempt { file throws(FileFailure) in try file.overwriteFront(with: bytes.span) }
    }

    private func attempt(_ body: (GrowingFile) throws(FileFailure) -> Void) {
        guard self.failure == nil else { return }
        do throws(FileFailure) {
            try body(self.file)
        } catch {
            self.failure = error
        }
    }
}
