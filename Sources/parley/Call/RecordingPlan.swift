import System
import Arguments
import Handset

/// What is kept of a call, and where.
struct RecordingPlan: Sendable {
    /// What is heard: packets, or samples in a file that ends in `.wav`, or on standard output.
    var heard: String?
    /// Samples of what is said.
    var said: String?
    /// Samples of both in one; in a room, of all in one.
    var mixed: String?
    var channels = 1

    /// Who keeps what is heard, and who what is said.
    func open() throws(CommandFailure) -> (heard: [any SoundSink], said: [any SoundSink]) {
        var sinks = (heard: try self.sinks(self.heard), said: try self.sinks(self.said))
        guard let mixed = self.mixed else { return sinks }
        do {
            let recorder = try MixedRecorder(mixed, channels: self.channels)
            sinks.heard.append(recorder)
            sinks.said.append(recorder.own)
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
        return sinks
    }

    private func sinks(_ path: String?) throws(CommandFailure) -> [any SoundSink] {
        guard let path else { return [] }
        if path == "-" { return [PipeSink()] }
        do {
            return [try Recorder.open(path, channels: self.channels)]
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
    }

    /// Whether there is somebody to be told of it.
    var isOn: Bool { self.heard != nil || self.said != nil || self.mixed != nil }

    /// For a room: one file in which all are heard.
    func openMixer() throws(CommandFailure) -> RoomMixer? {
        guard let mixed = self.mixed else { return nil }
        do {
            return try RoomMixer(mixed, channels: self.channels)
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
    }

    /// There was nothing to keep.
    func discard() {
        for path in [self.heard, self.said, self.mixed] {
            // A device stays.
            if let path, path != "-", FileStatus(of: path)?.kind == .regular { FileSystem.remove(path) }
        }
    }

    /// The same for each of several, in files of their own; all of them together are `openMixer`'s.
    func named(_ name: String) -> RecordingPlan {
        var plan = self
        plan.heard = self.heard.map { Self.path($0, for: name) }
        plan.said = self.said.map { Self.path($0, for: name) }
        plan.mixed = nil
        return plan
    }

    private static func path(_ path: String, for name: String) -> String {
        guard path != "-", let dot = path.lastIndex(of: ".") else { return path }
        return "\(path[..<dot])-\(name)\(path[dot...])"
    }
}
