import Arguments
import Load
import Pathways

/// Who rings whom, and over what kind of network.
struct LoadCallOptions: ParsableArguments {
    @Option(help: "Calls at once; each takes two users.")
    var calls = 0

    @Option(help: "How long a call lasts.")
    var callDuration = Duration.seconds(5)

    @Flag(help: "Only ring and answer: no peer connections, no sound.")
    var noMedia = false

    @Option(
        help: ArgumentHelp("In so many of a hundred calls what is heard is played and judged.", valueName: "NUMBER"))
    var listeners = 0.0

    @Option(help: ArgumentHelp("So many of a hundred packets of a call are lost on their way.", valueName: "NUMBER"))
    var loss = 0.0

    @Option(help: "Packets of a call come up to so much late.")
    var jitter = Duration.zero

    func validate() throws(ValidationError) {
        try LoadCommand.check(("calls", Double(self.calls)), ("listeners", self.listeners), ("loss", self.loss))
        if self.loss > 100 { throw ValidationError("--loss must be at most 100") }
        if self.callDuration < .milliseconds(100) { throw ValidationError("--call-duration must be at least 100ms") }
    }

    func write(to plan: inout LoadPlan) {
        (plan.calls, plan.callDuration) = (self.calls, self.callDuration)
        (plan.media.isOn, plan.media.listeners) = (!self.noMedia, self.listeners / 100)
        (plan.media.impairment.loss, plan.media.impairment.jitter) = (self.loss / 100, self.jitter)
    }
}
