internal import Locking

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Another program that reads one file, writes something, and ends. It dies with its owner.
final class ChildProcess {
    private let id: pid_t
    private let pipe: Int32
    private var hasEnded = false

    /// Between making a pipe and marking it private, no other child may start.
    private static let spawning = Locked(())

    /// - Parameter arguments: the first one names it; the program is always the shell.
    init?(_ arguments: [String], environment: [String], input: String) {
        let started = Self.spawning.withLock { _ in Self.start(arguments, environment, input) }
        guard let (id, pipe) = started else { return nil }
        self.id = id
        self.pipe = pipe
    }

    deinit {
        close(self.pipe)
        guard !self.hasEnded else { return }
        kill(self.id, SIGKILL)
        waitpid(self.id, nil, 0)
    }

    private static func start(_ arguments: [String], _ environment: [String], _ input: String) -> (pid_t, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard FileSystem.pipe(&ends) == 0 else { return nil }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, "/bin/sh", &actions, nil, &words, &variables)
        guard code == 0 else {
            close(ends[0])
            return nil
        }
        return (child, ends[0])
    }

    /// All that it writes, once it has ended well.
    func output() throws(Thumbnailer.Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try self.piece() {
            bytes += piece
            guard bytes.count <= Thumbnailer.Limit.bytes else { throw .tooLarge }
        }
        var status: Int32 = 0
        unsafe waitpid(self.id, &status, 0)
        self.hasEnded = true
        guard status == 0 else { throw .refused }
        return bytes
    }

    private func piece() throws(Thumbnailer.Failure) -> [UInt8]? {
        var watched = pollfd(fd: self.pipe, events: Int16(POLLIN), revents: 0)
        var ready: Int32
        repeat { ready = unsafe poll(&watched, 1, Thumbnailer.Limit.silence) } while ready < 0 && errno == EINTR
        guard ready > 0 else { throw .stalled }
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe read(self.pipe, &piece, piece.count)
        guard count >= 0 else { throw .refused }
        return count == 0 ? nil : Array(piece.prefix(count))
    }
}
