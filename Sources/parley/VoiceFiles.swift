import Arguments
import SoundFiles
import Voice

/// The files a voice command reads, and where its own go.
struct VoiceFiles: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Recordings; - is standard input.", valueName: "IN"), atLeastOne: true, completion: .file)
    var inputs: [String]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where the one result goes; - is standard output.", valueName: "OUT"), completion: .file)
    var output: String?

    @Option(
        help: ArgumentHelp("Folder for the results; by itself, beside each recording.", valueName: "DIR"),
        completion: .directory)
    var outDir: String?

    @Option(
        name: [.customShort("j"), .long],
        help: ArgumentHelp("How many files at once; by itself, one per core.", valueName: "N"))
    var jobs: Int?

    @Flag(help: "Results as JSON, one object per line.")
    var json = false

    func validate() throws(ValidationError) {
        if self.output != nil, self.inputs.count > 1 {
            throw ValidationError("--output takes one recording; for several, there is --out-dir")
        }
        if self.output != nil, self.outDir != nil { throw ValidationError("--output does not go with --out-dir") }
        if let jobs = self.jobs, !(1...256).contains(jobs) {
            throw ValidationError("--jobs: \(jobs) is not between 1 and 256")
        }
        if self.inputs.filter({ $0 == "-" }).count > 1 { throw ValidationError("standard input can be read once") }
    }

    var threads: Int { self.jobs ?? Crew.usualSize }

    static func input(_ name: String) -> VoiceInput { name == "-" ? .standardInput : .file(name) }

    /// Each recording with its result, none of which is another's or a recording itself.
    func pairs(extension ending: String) throws(CommandFailure) -> [(VoiceInput, VoiceOutput)] {
        var taken = Set(self.inputs.map(OutputFile.resolved))
        var pairs: [(VoiceInput, VoiceOutput)] = []
        for name in self.inputs {
            let output = self.place(of: name, extension: ending)
            if case .file(let path) = output, !taken.insert(OutputFile.resolved(path)).inserted {
                throw CommandFailure(
                    "\(name): its result would be written over \(path); name another with --output or --out-dir",
                    exitCode: .usage)
            }
            pairs.append((Self.input(name), output))
        }
        return pairs
    }

    private func place(of name: String, extension ending: String) -> VoiceOutput {
        if let output = self.output { return output == "-" ? .standardOutput : .file(output) }
        guard name != "-" else { return .standardOutput }
        let slash = name.lastIndex(of: "/")
        let file = slash.map { name[name.index(after: $0)...] } ?? name[...]
        let stem = file.lastIndex(of: ".").flatMap { $0 > file.startIndex ? file[..<$0] : nil } ?? file
        if let folder = self.outDir { return .file("\(folder)/\(stem).\(ending)") }
        return .file("\(slash.map { String(name[...$0]) } ?? "")\(stem).\(ending)")
    }
}
