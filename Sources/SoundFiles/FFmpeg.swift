#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
internal import Locking

/// A recording in a form only ffmpeg reads (AMR, AAC, M4A, WMA and more), decoded by a child process.
///
/// What comes out of the child is a WAV file. The child can use so much memory and time and no more,
/// opens nothing but the one file, and dies with its owner.
@safe package final class FFmpeg {
    package enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
        case notInstalled
        /// What it said, in its own words.
        case refused(String)
        /// Nothing came out of it for so long that it was ended.
        case stalled

        package var description: String {
            switch self {
            case .notInstalled: "this kind of file is read through ffmpeg, which is missing: install the package ffmpeg"
            case .refused(let words): "ffmpeg cannot read it: \(words)"
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
    /// Between making a pipe and marking it private, no other child may start.
    private static let spawning = Locked(())

    /// The WAV file that comes out.
    package let output: InputFile
    /// The child's number in the system.
    package let processID: Int32
    private let complaints: InputFile
    private var hasEnded = false

    package init(reading file: InputFile) throws {
        guard let program = Self.find("ffmpeg") else { throw Failure.notInstalled }
        let complaints = try TemporaryFile.open()
        self.complaints = InputFile(descriptor: complaints, name: "ffmpeg's messages")
        let arguments = [
            "sh", "-c", Self.script, "sh", program, "-nostdin", "-v", "error", "-threads", "1",
            "-protocol_whitelist", "file", "-format_whitelist", Self.formats, "-i", "file:/dev/fd/3",
            "-map", "0:a:0", "-map_metadata", "-1", "-f", "wav", "-c:a", "pcm_f32le", "pipe:1",
        ]
        let input = file.descriptor
        (self.processID, self.output) = try Self.spawning.withLock { _ throws(FileFailure) in
            try Self.start(arguments, input: input, complaints: complaints)
        }
    }

    deinit {
        guard !self.hasEnded else { return }
        kill(self.processID, SIGKILL)
        waitpid(self.processID, nil, 0)
    }

    private static func start(
        _ arguments: [String], input: Int32, complaints: Int32
    ) throws(FileFailure) -> (pid_t, InputFile) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw FileFailure(.open, "a pipe", code: errno) }
        let output = InputFile(descriptor: ends[0], name: "ffmpeg")
        let writeEnd = InputFile(descriptor: ends[1], name: "ffmpeg")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, writeEnd.descriptor, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, complaints, 2)
        unsafe posix_spawn_file_actions_adddup2(&actions, input, 3)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe words.indices { unsafe free(words[index]) } }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, "/bin/sh", &actions, nil, &words, environ)
        guard code == 0 else { throw FileFailure(.open, "/bin/sh", code: code) }
        return (child, output)
    }

    /// Reads the next piece of the WAV file over `buffer`; empty when it is over.
    package func read(into buffer: inout [UInt8]) throws {
        var watched = pollfd(fd: self.output.descriptor, events: Int16(POLLIN), revents: 0)
        var ready: Int32
        repeat { ready = unsafe poll(&watched, 1, Limit.silence) } while ready < 0 && errno == EINTR
        guard ready > 0 else {
            kill(self.processID, SIGKILL)
            throw Failure.stalled
        }
        try self.output.read(into: &buffer)
        if buffer.isEmpty { try self.end() }
    }

    private func end() throws {
        guard !self.hasEnded else { return }
        var status: Int32 = 0
        unsafe waitpid(self.processID, &status, 0)
        self.hasEnded = true
        guard status != 0 else { return }
        try self.complaints.rewind()
        var words: [UInt8] = []
        try self.complaints.read(into: &words, upTo: 1000)
        let lines = String(decoding: words, as: UTF8.self).split(separator: "\n")
        throw Failure.refused(lines.last.map(String.init) ?? "it ended with status \(status)")
    }

    package static var isInstalled: Bool { self.find("ffmpeg") != nil }

    private static func find(_ program: String) -> String? {
        let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
        let places = path.split(separator: ":").map { "\($0)/\(program)" }
        return places.first { unsafe access($0, X_OK) == 0 }
    }
}
