internal import System

/// A recording in a form only ffmpeg reads (AMR, AAC, M4A, WMA and more), decoded by a child process.
///
/// What comes out of the child is a WAV file. The child can use so much memory and time and no more,
/// opens nothing but the one file, and dies with its owner.
package final class FFmpeg {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case notInstalled
        /// What it said, in its own words.
        case refused(String)
        /// Nothing came out of it for so long that it was ended.
        case stalled

        package var description: String {
            switch self {
            case .notInstalled: "this kind of file is read through ffmpeg, which is missing: install the package ffmpeg"
            case .refused(let words):
                // It was given a descriptor, whose name tells nobody anything.
                "not a recording that can be read: \(words.split(separator: ": ").drop { $0.contains("/dev/fd/") }.joined(separator: ": "))"
            case .stalled: "ffmpeg stopped answering and was ended"
            }
        }
    }

    package enum Limit {
        /// Of address space, in KiB.
        static let memory = 1 << 20
        /// Of processor time, in seconds.
        static let processorTime = 900
        /// Between two pieces of sound, in milliseconds.
        static let silence: Int32 = 30_000
    }

    private static let formats =
        "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dts,eac3,flac,flv,gsm,loas,matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,"
        + "mp3,mpc,mpc8,mpegts,ogg,rm,tta,w64,wav,wv"
    /// The limits are set by the shell that then becomes ffmpeg. Where a limit is not known, it is not set.
    private static let script =
        "ulimit -v \(Limit.memory) 2>/dev/null; ulimit -t \(Limit.processorTime) 2>/dev/null; exec \"$@\""
    private var child: ChildProcess
    private let complaints: InputFile
    private var hasEnded = false

    package init(reading file: InputFile) throws {
        guard let program = Self.program else { throw Failure.notInstalled }
        self.complaints = InputFile(try FileHandle.temporary(named: "ffmpeg's messages"))
        self.child = try ChildProcess(
            script: Self.script,
            [
                program, "-nostdin", "-v", "error", "-threads", "1", "-protocol_whitelist", "file",
                "-format_whitelist", Self.formats, "-i", "file:/dev/fd/3", "-map", "0:a:0", "-map_metadata", "-1",
                "-f", "wav", "-c:a", "pcm_f32le", "pipe:1",
            ],
            [0: .nothing, 2: .descriptor(self.complaints.descriptor), 3: .descriptor(file.descriptor)])
    }

    /// The child's number in the system.
    package var processID: Int32 { self.child.id }

    /// Reads the next piece of the WAV file over `buffer`; empty when it is over.
    package func read(into buffer: inout [UInt8]) throws {
        do throws(ChildProcess.Failure) {
            try self.child.read(into: &buffer, within: Limit.silence)
        } catch {
            switch error {
            case .stalled: throw Failure.stalled
            case .unreadable(let error): throw error
            }
        }
        if buffer.isEmpty { try self.end() }
    }

    private func end() throws {
        guard !self.hasEnded else { return }
        let status = self.child.wait()
        self.hasEnded = true
        guard status != 0 else { return }
        try self.complaints.rewind()
        var words: [UInt8] = []
        try self.complaints.read(into: &words, upTo: 1000)
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        throw Failure.refused(lines.last.map(String.init) ?? "it ended with status \(status)")
    }

    package static var isInstalled: Bool { self.program != nil }

    private static var program: String? { ProcessEnvironment.program("ffmpeg") }
}
