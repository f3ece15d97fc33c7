import Arguments
import SoundFiles
import Voice

/// The recordings a voice command reads, and where its own files go.
struct VoiceFiles: ParsableArguments {
    @OptionGroup var recordings: VoiceRecordings

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where the one result goes; - is standard output.", valueName: "OUT"), completion: .file)
    var output: String?

    @Option(
        help: ArgumentHelp("Directory for the results; default: beside each recording.", valueName: "DIR"),
        completion: .directory)
    var outDir: String?

    @OptionGroup var overwriting: OverwritingOptions

    func validate() throws(ValidationError) {
        if self.output != nil, self.recordings.inputs.count > 1 {
            throw ValidationError("--output takes one recording; for several, there is --out-dir")
        }
        if self.output != nil, self.outDir != nil { throw ValidationError("--output does not go with --out-dir") }
    }

    /// Makes one file of each recording and tells of it; no word about what goes to standard output.
    func run<Report: VoiceReport>(
        extension ending: String, named command: String,
        _ job: @escaping @Sendable (VoiceInput, VoiceOutput, @escaping ProgressListener) throws -> Report
    ) throws(CommandFailure) -> ExitCode {
        let pairs = try self.pairs(extension: ending)
        try self.check(pairs.map(\.1))
        let json = self.recordings.json
        return self.recordings.run(named: command) { index, listener in
            let (input, output) = pairs[index]
            let report = try job(input, output, listener)
            let line = json ? report.json : report.line
            return VoiceResult(line: output == .standardOutput ? nil : line, damage: report.damage)
        }
    }

    private func check(_ outputs: [VoiceOutput]) throws(CommandFailure) {
        for output in outputs {
            switch output {
            case .standardOutput: try OverwritingOptions.refuseTerminal("the result")
            case .file(let path): try self.overwriting.check(path)
            }
        }
    }

    /// Each recording with its result, none of which is another's or a recording itself.
    func pairs(extension ending: String) throws(CommandFailure) -> [(VoiceInput, VoiceOutput)] {
        var taken = Set(self.recordings.inputs.map(OutputFile.resolved))
        var pairs: [(VoiceInput, VoiceOutput)] = []
        for name in self.recordings.inputs {
            let output = self.place(of: name, extension: ending)
            if case .file(let path) = output, !taken.insert(OutputFile.resolved(path)).inserted {
                throw CommandFailure(
                    "\(name): its result would be written over \(path); name another with --output or --out-dir",
                    exitCode: .usage)
            }
            pairs.append((VoiceRecordings.input(name), output))
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

/// What is told of one file that was made.
protocol VoiceReport: SendableMetatype {
    /// For people.
    var line: String { get }
    /// For programs.
    var json: String { get }
    var damage: [Int] { get }
}
