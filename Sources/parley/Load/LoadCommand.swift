import Arguments
import Client
import Load
import Reactor
import System

/// `parley load`: many users at once, and what they see.
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        name: "load",
        abstract: "Load a server with users who chat, meet and call, and measure what they see.",
        discussion: """
            Brings users to a server, lets them do what the options say for a time, waits for what is still on its way, \
            and prints how long everything took and what was lost. Every message is looked for at each of its receivers. \
            Users and conversations stay on the server: load one that is made for trials. A server lets few newcomers in \
            from one address; with --app its own users come, and the server needs the same --app.

            Expectations are 'p99 ack < 50ms', 'mean ring < 5ms', 'max resume <= 3s', 'lost = 0' or 'lost-packets < 0.1%'. \
            Names of times and counts are those of the table.
            """,
        examples: [
            .init(
                "parley load --app shop:SECRET --users 1000 --messages 500", "A thousand users, 500 messages a second."),
            .init(
                "parley load --users 20 --calls 10 --listeners 10",
                "Ten calls at once; in every tenth one somebody listens."),
            .init(
                "parley load --users 50 --room-size 5 --signals 100 --expect 'p99 signal < 20ms' --expect 'lost-signals = 0'",
                "Ten rooms; fails when it takes too long."),
        ],
        exitCodes: [
            .init(.success, "All expectations are met, and nothing went wrong."),
            .init(.failure, "An expectation is not met; without any: something was refused, broke or was lost."),
            .init(.usage, "The command line or the configuration file is wrong."),
            .init(.unavailable, "Nobody got in."),
        ]
    )

    @OptionGroup var place: ServerOptions

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("File with a scenario; may set every other option.", valueName: "FILE"),
        completion: .file, role: .configurationFile)
    var config: String?

    @Option(
        help: ArgumentHelp(
            "Application that vouches for the users; default: new anonymous users.", valueName: "ID:SECRET"))
    var app: ApplicationKeyArgument?

    @Option(help: "Users.")
    var users = 100

    @Option(help: ArgumentHelp("So many users arrive in a second.", valueName: "RATE"))
    var arrivals = 200.0

    @Option(help: "How long they do what they do, once all are there.")
    var duration = Duration.seconds(10)

    @Option(help: "At the end, wait so long for answers and deliveries.")
    var timeout = Duration.seconds(10)

    @OptionGroup var meetings: LoadMeetingOptions
    @OptionGroup var chats: LoadChatOptions
    @OptionGroup var calls: LoadCallOptions
    @OptionGroup var relays: LoadRelayOptions
    @OptionGroup var neighbours: LoadNeighbourOptions

    @Option(help: ArgumentHelp("Cut the connections of all users after each such time.", valueName: "TIME"))
    var cutEvery: Duration?

    @Option(help: ArgumentHelp("What must hold.", valueName: "TEXT"))
    var expect: [LoadExpectation] = []

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws(ValidationError) {
        let needsUsers = self.relays.turn == nil && self.neighbours.offers == 0
        if self.users < (needsUsers ? 1 : 0) { throw ValidationError("--users must be at least \(needsUsers ? 1 : 0)") }
        if self.arrivals <= 0 { throw ValidationError("--arrivals must be greater than zero") }
        if self.neighbours.noSignIn, self.app != nil {
            throw ValidationError("--no-sign-in and --app cannot be combined")
        }
        if self.users < 2 * self.calls.calls {
            throw ValidationError("\(self.calls.calls) calls at once need \(2 * self.calls.calls) users")
        }
        if max(self.meetings.roomSize, self.chats.circle) > self.users {
            throw ValidationError("there are not enough users for one conversation or room")
        }
    }

    private func plan() throws(CommandFailure) -> LoadPlan {
        var plan = LoadPlan(self.place.url)
        plan.admission = try self.admission()
        (plan.users, plan.arrivals) = (self.users, self.arrivals)
        (plan.duration, plan.timeout) = (self.duration, self.timeout)
        plan.cuts = self.cutEvery
        self.meetings.write(to: &plan)
        self.chats.write(to: &plan)
        self.calls.write(to: &plan)
        self.relays.write(to: &plan)
        self.neighbours.write(to: &plan)
        return plan
    }

    private func admission() throws(CommandFailure) -> LoadAdmission {
        guard let app = self.app else { return self.neighbours.noSignIn ? .nobody : .anonymous }
        return .application(try app.signingKey())
    }

    mutating func run() throws -> ExitCode {
        _ = CurrentProcess.raiseDescriptorLimit()
        let plan = try self.plan()
        let group = try EventLoopGroup.forCommand()
        defer { group.shutDown() }
        let report = try LoadConsole(plan).run(on: group.loops[0])
        if self.json { Terminal.print(report.json(self.expect)) } else { Terminal.print(report.page(self.expect)) }
        return report.exitCode(self.expect)
    }
}

extension LoadExpectation: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "TEXT" }
    package static var expectation: String { "an expectation such as 'p99 ack < 50ms' or 'lost = 0'" }
    package var argumentDescription: String { self.text }
}
