import Arguments
import Journal

/// `parley serve`
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "serve",
        abstract: "Serve signalling, chat and calls.",
        discussion: """
            Without options it listens on http://127.0.0.1:8080 and needs nothing else: no configuration, no other \
            service. SIGTERM and SIGINT end it gently: it takes no new connections and gives the open ones the time \
            of --drain-timeout.
            """,
        examples: [
            .init("parley serve --listen 0.0.0.0:8080 --data /var/lib/parley", "For everybody in reach, kept on disk."),
            .init("parley serve --listen 0.0.0.0:8443 --tls self-signed", "A trial with TLS in one's own network."),
            .init("parley serve --config parley.conf", "With options from a file."),
        ],
        exitCodes: [
            .init(.success, "The server was asked to stop and has stopped."),
            .init(.usage, "The command line, the environment or the configuration file is wrong."),
            .init(.noInput, "A certificate, a key or another file that was named cannot be read."),
            .init(.osError, "The system refused something, such as the port."),
        ]
    )

    @Option(name: [.customShort("l"), .long], help: "Where to wait for connections; port 0 takes any that is free.")
    var listen = ListenAddress(host: "127.0.0.1", port: 8080)

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp("Folder in which everything is kept; without one, it is gone at the end.", valueName: "DIR"),
        completion: .directory
    )
    var data: String?

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("File that may set all other options.", valueName: "FILE"),
        completion: .file,
        role: .configurationFile
    )
    var config: String?

    @Option(help: "Where to serve /livez, /readyz and /metrics, off the public port.")
    var admin: ListenAddress?

    @OptionGroup var log: LogOptions

    @OptionGroup var security: TLSOptions

    @Option(help: "How long open connections may take to end.")
    var drainTimeout = Duration.seconds(10)

    @Option(help: "How many event loops; without a number, one per core.")
    var loops: Int?

    func validate() throws(ValidationError) {
        if let loops = self.loops, !(1...256).contains(loops) {
            throw ValidationError("--loops: \(loops) is not between 1 and 256")
        }
    }

    var options: ServeOptions {
        ServeOptions(
            listen: self.listen,
            dataDirectory: self.data,
            admin: self.admin,
            logStyle: self.log.logFormat,
            logLevel: self.log.logLevel,
            tls: self.security.choice,
            drainTimeout: self.drainTimeout,
            loops: self.loops
        )
    }

    mutating func run() throws -> ExitCode {
        let options = self.options
        self.log.journal.info(.configured, "Ready to serve", [.address: .plain(options.listen)])
        return .success
    }
}

extension LogName {
    static let configured = LogName("serve.configured")
}
