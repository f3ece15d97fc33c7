import Arguments

/// A command line, an environment and a file of options: every word is understood or refused with a sentence.
enum CommandLineFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let parts = String(decoding: input.bytes, as: UTF8.self).split(separator: "\0", maxSplits: 1)
        let words = (parts.first ?? "").split(separator: "\u{1}").map { String($0) }
        let file = parts.count > 1 ? String(parts[1]) : ""
        let parser = CommandParser(Sample.self, environment: ["SAMPLE_WAIT": file]) { _ in file }
        switch parser.parse(words, width: Int(input.control)) {
        case .run, .show: break
        case .refuse(let error): demand(!error.description.isEmpty, "a refusal without a word")
        }
    }

    private struct Sample: ParsableCommand {
        static let configuration = CommandConfiguration(name: "sample", abstract: "A sample.")

        @Argument(help: "What.") var what: String?
        @Option(name: [.customShort("o"), .long], help: "Where.") var output: String?
        @Option(help: "How many.") var count = 1
        @Option(help: "How long.") var wait = Duration.seconds(1)
        @Flag(help: "Whether.") var json = false

        mutating func run() throws -> ExitCode { .success }
    }
}
