#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A shell that runs for a test and reads from it until the test lets go, also when the test's process dies.
final class SupervisedChild: @unchecked Sendable {
    // Unchecked because what is stored never changes; reads from the pipe take turns by contract.
    let process: pid_t
    private let input: Int32
    private let output: Int32

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(script: String, _ arguments: [String]) throws {
        let (incoming, outgoing) = (try PipeEnds(), try PipeEnds())
        let (input, output) = (incoming.writer, outgoing.reader)
        defer { for end in [incoming.reader, outgoing.writer] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, incoming.reader, 0)
        posix_spawn_file_actions_adddup2(&actions, outgoing.writer, 1)
        var words = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        let code = PipeEnds.spawn { posix_spawn(&child, "/bin/sh", &actions, nil, &words, environ) }
        guard code == 0 else {
            for end in [input, output] { close(end) }
            throw Failure(description: "/bin/sh does not start")
        }
        self.process = child
        self.input = input
        self.output = output
    }

    deinit {
        close(self.input)
        close(self.output)
        waitpid(self.process, nil, 0)
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(Self.system(self.input, bytes) == bytes.count, "the shell has gone")
    }

    /// Up to the end of a line; nil when there is no more.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(self.output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Runs a script to its end; gives back what it wrote, and throws that when it failed.
    @discardableResult
    static func run(script: String, _ arguments: [String]) throws -> String {
        let child = try SupervisedChild(script: "( \(script)\n) 2>&1; echo \"=$?\"", arguments)
        var lines: [String] = []
        while let line = child.readLine() { lines.append(line) }
        guard lines.popLast() == "=0" else { throw Failure(description: lines.joined(separator: "\n")) }
        return lines.joined(separator: "\n")
    }

    private static func system(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes, bytes.count)
        #else
        Darwin.write(descriptor, bytes, bytes.count)
        #endif
    }
}
