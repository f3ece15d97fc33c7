import Arguments
import Load

/// What servers that are not ours are asked.
struct LoadNeighbourOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Calls at once to a program that answers offers over HTTP, without users.", valueName: "N"))
    var offers = 0

    @Option(help: ArgumentHelp("Where it takes them.", valueName: "PATH"))
    var offerPath = "/offer"

    @Option(help: ArgumentHelp("Events a second that any Socket.IO server acknowledges.", valueName: "RATE"))
    var echoes = 0.0

    @Option(help: ArgumentHelp("Name of that event.", valueName: "NAME"))
    var echoEvent = "echo"

    @Flag(help: "Show no token: for servers that ask for none.")
    var noSignIn = false

    func validate() throws(ValidationError) {
        try LoadCommand.check(("offers", Double(self.offers)), ("echoes", self.echoes))
        if !self.offerPath.hasPrefix("/") { throw ValidationError("--offer-path must begin with /") }
    }

    func write(to plan: inout LoadPlan) {
        (plan.offers, plan.offerPath) = (self.offers, self.offerPath)
        (plan.echoes, plan.echoEvent) = (self.echoes, self.echoEvent)
    }
}
