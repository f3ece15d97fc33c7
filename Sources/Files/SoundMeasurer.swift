package import FileTypes
internal import JSON
internal import System
package import Vocabulary

/// Finds out how long recordings are and what they look like, in a child process: the bytes are a stranger's, and whatever
/// they do to a decoder they do to the child.
///
/// The child is our own program, as `parley voice info --json`. It gets the recording as its standard input, is told no path,
/// finds no other program, and can use so much memory and time and no more.
package struct SoundMeasurer: Sendable {
    private let program: String

    package enum Failure: Error, Hashable, Sendable {
        /// It is none of the kinds that are measured, or larger than a message.
        case notMeasured
        /// The child could not be started, or found no recording.
        case refused
        /// Nothing came out of the child for so long that it was ended.
        case stalled
    }

    package enum Limit {
        /// Of the recording.
        package static let bytes = 16 << 20
        /// Of address space, in KiB.
        static let memory = 1 << 20
        /// Of processor time, in seconds.
        static let processorTime = 10
        /// Until it says something, in milliseconds.
        static let silence: Int32 = 15_000
        /// Of what comes out: tags are a stranger's, and there may be many.
        static let answer = 1 << 20
    }

    /// - Parameter program: `parley`. Nil where that cannot be started.
    package init?(program: String) {
        guard FileSystem.allows(.executing, program) else { return nil }
        self.program = program
    }

    /// Whether this may be a recording that can be measured.
    package static func measures(_ file: KeptFile) -> Bool {
        [.ogg, .wav].contains(file.type) && file.size <= Limit.bytes
    }

    /// Blocks until the recording is measured.
    ///
    /// - Parameter upload: what the file was brought as, if that may still be there.
    package func measure(
        _ file: KeptFile, from upload: FileID? = nil, in place: any ThumbnailPlace
    ) throws(Failure) -> SoundOutline {
        guard Self.measures(file) else { throw .notMeasured }
        guard let copy = place.copy(of: file, from: upload) else { throw .refused }
        guard let outline = SoundOutline(information: try self.ask(of: copy.path)) else { throw .refused }
        return outline
    }

    private func ask(of path: String) throws(Failure) -> [UInt8] {
        let script = "ulimit -v \(Limit.memory); ulimit -t \(Limit.processorTime); ulimit -c 0; exec \"$@\""
        let arguments = [self.program, "voice", "info", "--json", "-"]
        let started = try? ChildProcess(
            script: script, arguments, environment: ["PATH=/nonexistent", "LANG=C"], [0: .file(path), 2: .nothing])
        guard var child = consume started else { throw .refused }
        let output: [UInt8]?
        do throws(ChildProcess.Failure) {
            output = try child.output(upTo: Limit.answer, within: Limit.silence)
        } catch {
            throw error == .stalled ? .stalled : .refused
        }
        guard let output else { throw .refused }
        return output
    }
}

extension SoundOutline {
    /// What `parley voice info --json` says of a recording; nil when that is something else.
    package init?(information: [UInt8]) {
        guard let information = try? JSONObject(information.span) else { return nil }
        guard let samples = information["samples", .integer], let rate = information["rate", .integer], rate > 0,
            samples >= 0, samples / rate <= Self.longest / 1000,
            let bars = information.object("waveform")["message", JSONType.integer.list(maximum: Self.barCount)]
        else { return nil }
        self.init(milliseconds: (samples * 1000 + rate / 2) / rate, bars: bars.compactMap { UInt8(exactly: $0) })
    }
}
