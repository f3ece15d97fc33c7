#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Another program that reads one file, writes something to its standard output, and ends. It dies with its owner.
package struct ChildProcess: ~Copyable, Sendable {
    /// Its number in the system.
    package let id: Int32
    private let output: FileHandle
    private var hasEnded = false

    /// What the child finds under one of its descriptors.
    package enum Opening: Sendable {
        case file(String)
        /// Reads as empty, and swallows what is written.
        case nothing
        case descriptor(FileDescriptor)
    }

    package enum Failure: Error, Hashable, Sendable {
        /// Nothing came out of it for so long that it was ended.
        case stalled
        case unreadable(SystemError)
    }

    /// Between making a pipe and marking it private, no other child may start.
    private static let spawning = Locked(())

    /// Starts a program by way of the shell.
    /// - Parameter script: what the shell does; `"$@"` in it are the arguments.
    /// - Parameter environment: as `NAME=value`; nil gives it our own.
    /// - Parameter openings: what it has beside its standard output.
    package init(
        script: String, _ arguments: [String], environment: [String]? = nil, _ openings: [Int32: Opening]
    ) throws(SystemError) {
        let words = ["sh", "-c", script, "sh"] + arguments
        let (id, output) = try Self.spawning.withLock { _ throws(SystemError) in
            try Self.start(words, environment, openings)
        }
        self.id = id
        self.output = FileHandle(owning: output, path: "a pipe")
    }

    deinit {
        guard !self.hasEnded else { return }
        kill(self.id, SIGKILL)
        waitpid(self.id, nil, 0)
    }

    private static func start(
        _ words: [String], _ environment: [String]?, _ openings: [Int32: Opening]
    ) throws(SystemError) -> (pid_t, FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(.open, "a pipe", .last) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        for (number, opening) in openings.sorted(by: { $0.key < $1.key }) {
            switch opening {
            case .file(let path): unsafe posix_spawn_file_actions_addopen(&actions, number, path, O_RDONLY, 0)
            case .nothing: unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .descriptor(let own): unsafe posix_spawn_file_actions_adddup2(&actions, own.number, number)
            }
        }
        var child: pid_t = 0
        let code = unsafe self.withCStrings(words) { words in
            guard let environment else { return unsafe posix_spawn(&child, "/bin/sh", &actions, nil, words, environ) }
            return unsafe self.withCStrings(environment) {
                unsafe posix_spawn(&child, "/bin/sh", &actions, nil, words, $0)
            }
        }
        guard code == 0 else {
            close(ends[0])
            throw SystemError(.open, "/bin/sh", Errno(code))
        }
        return (child, FileDescriptor(ends[0]))
    }

    private static func withCStrings(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var copies = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        return unsafe body(&copies)
    }

    /// Reads the next piece of its output over `buffer`; empty when it is over.
    /// - Parameter silence: how long it may take, in milliseconds.
    package mutating func read(into buffer: inout [UInt8], within silence: Int32) throws(Failure) {
        guard self.output.descriptor.isReadable(within: silence) else {
            kill(self.id, SIGKILL)
            throw .stalled
        }
        do throws(SystemError) { try self.output.read(into: &buffer) } catch { throw .unreadable(error) }
    }

    /// All that it writes, once it has ended well; nil when it did not, or wrote more than that.
    /// - Parameter silence: how long it may take from one piece to the next, in milliseconds.
    package mutating func output(upTo limit: Int, within silence: Int32) throws(Failure) -> [UInt8]? {
        var bytes: [UInt8] = []
        var piece: [UInt8] = []
        repeat {
            try self.read(into: &piece, within: silence)
            bytes += piece
            guard bytes.count <= limit else { return nil }
        } while !piece.isEmpty
        return self.wait() == 0 ? bytes : nil
    }

    /// Waits for its end; 0 when it ended well.
    package mutating func wait() -> Int32 {
        var status: Int32 = 0
        unsafe waitpid(self.id, &status, 0)
        self.hasEnded = true
        return status
    }
}
