import System
import Arguments
import Voice

/// The recordings a voice command reads, how many at once, and how it tells of them.
struct VoiceRecordings: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Recordings; - is standard input.", valueName: "IN"), atLeastOne: true, completion: .file)
    var inputs: [String]

    @Option(
        name: [.customShort("j"), .long],
        help: ArgumentHelp("Files processed in parallel; default: one per core.", valueName: "N"))
    var jobs: Int?

    @Flag(help: "Results as JSON, one object per line.")
    var json = false

    func validate() throws(ValidationError) {
        if let jobs = self.jobs, !(1...256).contains(jobs) {
            throw ValidationError("--jobs: \(jobs) is not between 1 and 256")
        }
        if self.inputs.filter({ $0 == "-" }).count > 1 { throw ValidationError("standard input can be read once") }
    }

    static func input(_ name: String) -> VoiceInput { name == "-" ? .standardInput : .file(name) }

    /// `job` does the work for one recording and returns what is to be told of it.
    func run(
        named command: String, _ job: @escaping @Sendable (Int, @escaping ProgressListener) throws -> VoiceResult
    ) -> ExitCode {
        VoiceRun(command: command).run(self.inputs, threads: self.jobs ?? ThreadPool.defaultSize, job)
    }
}
