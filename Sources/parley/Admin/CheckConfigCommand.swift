import Arguments
import JSON
import Service

/// `parley check config`
struct CheckConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "config",
        abstract: "Check the options of 'parley serve' without starting it.",
        discussion: """
            Takes the options, the environment and the configuration file as 'parley serve' does, and looks at what they \
            name: whether the addresses are free, whether the certificate fits its key and how long it is good, the data \
            directory, its secret, and the other files. Nothing is changed.
            """,
        examples: [
            .init("parley check config --config /etc/parley/parley.conf", "Before a restart.")
        ],
        exitCodes: [
            .init(.success, "A server would start with these options; there may be warnings."),
            .init(.failure, "It would not."), .init(.usage, "An option is wrong."),
        ]
    )

    @OptionGroup var serve: ServeCommand

    @Flag(help: "Print the findings as JSON.")
    var json = false

    mutating func run() throws -> ExitCode {
        let findings = ConfigurationCheck.findings(of: self.serve.service)
        let isGood = !findings.contains { $0.severity == .error }
        if self.json { self.printJSON(findings, isGood) } else { self.printText(findings) }
        return isGood ? .success : .failure
    }

    private func printText(_ findings: [ConfigurationCheck.Finding]) {
        for finding in findings {
            let mark = finding.severity == .ok ? "" : "\(finding.severity.rawValue): "
            print("\(finding.subject): \(mark)\(finding.text)")
        }
    }

    private func printJSON(_ findings: [ConfigurationCheck.Finding], _ isGood: Bool) {
        Terminal.print(
            JSONWriter.line { json in
                json.field("ok", isGood)
                json.array("findings", of: findings) { json, finding in
                    json.object { json in
                        json.field("severity", finding.severity.rawValue)
                        json.field("subject", finding.subject)
                        json.field("text", finding.text)
                    }
                }
            })
    }
}
