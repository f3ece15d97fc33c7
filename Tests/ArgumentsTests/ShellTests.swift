import Arguments
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("A completion script")
struct CompletionTests {
    @Test("is a script that its shell can read", arguments: Shell.allCases.filter { Program.exists($0.rawValue) })
    func syntax(shell: Shell) throws {
        let script = try TemporaryFile(CompletionScript(for: Ship.self, shell: shell).text)
        let check = Program.run("\(shell.rawValue) -n \(script.path)")
        #expect(check.code == 0 && check.output.isEmpty)
    }

    @Test(
        "offers in bash what may come next",
        .enabled(if: Program.exists("bash")),
        arguments: [
            (["ship", ""], ["sail", "crew", "-h", "--help", "--version"]),
            (["ship", "s"], ["sail"]),
            (["ship", "crew", ""], ["hire", "-h", "--help"]),
            (["ship", "crew", "hire", "--c"], ["--cabin"]),
            (["ship", "crew", "hire", "--as", "crew", "--"], ["--as", "--cabin", "--help"]),
            (["ship", "sail", "--speed", ""], ["slow", "steady", "full"]),
            (["ship", "sail", "--speed", "s"], ["slow", "steady"]),
            (["ship", "sail", "-s", "f"], ["full"]),
            (["ship", "sail", "--speed", "=", "f"], ["full"]),
            (["ship", "sail", "--speed", "="], ["slow", "steady", "full"]),
            (["ship", "sail", "--speed", "=", "full", "--no"], ["--no-lamps"]),
            (["ship", "sail", "--from", "crew", "h"], ["harbour"]),
            (["ship", "sail", "--from", ""], []),
            (["ship", "sail", "--secr"], []),
        ]
    )
    func bash(words: [String], offered: [String]) throws {
        #expect(try Self.bashOffers(words) == offered)
    }

    @Test(
        "O11 A completion script offers the words of commands where one is named, and nothing behind the last",
        arguments: Shell.allCases.filter { Program.exists($0.rawValue) })
    func commands(shell: Shell) throws {
        let script = CompletionScript(for: Fleet.self, shell: shell).text
        let file = try TemporaryFile(script)
        #expect(Program.run("\(shell.rawValue) -n \(file.path)").code == 0)
        let lines: [(words: [String], offered: Set<String>)] = [
            (["fleet", "guide", ""], ["crew", "guide"]), (["fleet", "guide", "crew", ""], ["hire"]),
            (["fleet", "guide", "crew", "hire", ""], []),
        ]
        for (words, offered) in lines {
            switch shell {
            case .bash:
                #expect(Set(try Self.bashOffers(words, of: Fleet.self)).subtracting(["-h", "--help"]) == offered)
            case .fish:
                let line = words.joined(separator: " ")
                let result = Program.run(
                    "fish --no-config -c 'source \(file.path); complete --do-complete \"\(line)\"'")
                #expect(Set(result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }) == offered)
            case .zsh:
                // The function of the words alone: the rest belongs to a terminal.
                let names = words.dropFirst().map { "'\($0)'" }.joined(separator: " ")
                let call = try TemporaryFile(
                    """
                    compdef() { :; }; compadd() { print -l -- $names }
                    \(script)
                    words=(\(names)); CURRENT=\(words.count - 1); _fleet__names
                    """)
                #expect(
                    Set(Program.run("zsh -f \(call.path)").output.split(separator: "\n").map(String.init)) == offered)
            }
        }
    }

    @Test("offers files and folders in bash", .enabled(if: Program.exists("bash")))
    func files() throws {
        let file = try TemporaryFile("")
        let start = String(file.path.dropLast(2))
        #expect(try Self.bashOffers(["ship", "sail", "--orders", start]).contains(file.path))
        #expect(try Self.bashOffers(["ship", "crew", "hire", "--cabin", start]).isEmpty)
        #expect(try Self.bashOffers(["ship", "crew", "hire", "--cabin", "/tm"]) == ["/tmp"])
    }

    @Test(
        "offers in fish what may come next", .enabled(if: Program.exists("fish")),
        arguments: [
            ("ship ", ["sail", "crew"]), ("ship crew ", ["hire"]), ("ship sail --speed ", ["slow", "steady", "full"]),
            ("ship sail --no", ["--no-lamps"]), ("ship crew hire --ca", ["--cabin"]),
            ("ship sail --from crew ha", ["harbour"]),
        ])
    func fish(line: String, offered: [String]) throws {
        let script = try TemporaryFile(CompletionScript(for: Ship.self, shell: .fish).text)
        let result = Program.run("fish --no-config -c 'source \(script.path); complete --do-complete \"\(line)\"'")
        let words = result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
        #expect(Set(words) == Set(offered))
    }

    /// Calls the completion function the way bash does.
    private static func bashOffers(
        _ words: [String], of root: any ParsableCommand.Type = Ship.self
    ) throws -> [String] {
        let script = try TemporaryFile(
            CompletionScript(for: root, shell: .bash).text + """
                COMP_WORDS=(\(words.map { "'\($0)'" }.joined(separator: " ")))
                COMP_CWORD=\(words.count - 1)
                _\(words[0])
                for word in "${COMPREPLY[@]}"; do echo "$word"; done

                """
        )
        let result = Program.run("bash --norc \(script.path)")
        #expect(result.code == 0)
        return result.output.split(separator: "\n").map(String.init)
    }
}

@Suite("A manual page")
struct ManualTests {
    @Test("is free of what groff warns about", .enabled(if: Program.exists("groff")))
    func warnings() throws {
        let page = try TemporaryFile(ManualPage(for: Ship.self).text)
        let check = Program.run("groff -man -ww -b -Tutf8 \(page.path) 2>&1 >/dev/null")
        #expect(check.code == 0 && check.output.isEmpty)
    }

    @Test("tells of every command and option, and of no hidden one")
    func content() {
        let text = ManualPage(for: Ship.self).text
        for part in [
            ".TH SHIP 1", ".SS ship crew hire", #"\-\-time\-limit TIME"#, #"\-\-[no\-]lamps"#, ".B 75", "SHIP_CARGO",
        ] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("secret"))
    }
}

/// A file that is gone when its owner lets go.
private final class TemporaryFile {
    let path: String

    init(_ text: String) throws {
        var name = Array("/tmp/parley-arguments-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        try #require(descriptor >= 0)
        self.path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        let written = write(descriptor, bytes, bytes.count)
        close(descriptor)
        try #require(written == bytes.count)
    }

    deinit { unlink(self.path) }
}

/// Other people's programs, as far as they are installed.
private enum Program {
    static func exists(_ name: String) -> Bool { self.run("command -v \(name)").code == 0 }

    static func run(_ command: String) -> (output: String, code: Int32) {
        guard let pipe = popen(command, "r") else { return ("", -1) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { bytes += buffer.prefix(count) }
        return (String(decoding: bytes, as: UTF8.self), pclose(pipe))
    }
}
