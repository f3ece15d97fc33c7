import Arguments
import Load

/// What users write and bring.
struct LoadChatOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Messages a second, of all together.", valueName: "RATE"))
    var messages = 0.0

    @Option(help: ArgumentHelp("Size of a message's text.", valueName: "BYTES"))
    var messageSize = 64

    @Option(help: ArgumentHelp("Users of a conversation; more than two form a group.", valueName: "NUMBER"))
    var groupSize = 2

    @Option(
        help: ArgumentHelp("Files a second, of all together; each is brought and fetched again.", valueName: "RATE"))
    var files = 0.0

    @Option(help: "Size of a file.")
    var fileSize = ByteCount(65_536)

    /// How many it takes for one conversation.
    var circle: Int { self.messages > 0 ? max(2, self.groupSize) : 0 }

    func validate() throws(ValidationError) {
        try LoadCommand.check(("messages", self.messages), ("files", self.files))
        if self.messageSize < 1 { throw ValidationError("--message-size must be at least 1") }
        if self.groupSize < 2 { throw ValidationError("--group-size must be at least 2") }
    }

    func write(to plan: inout LoadPlan) {
        (plan.messages, plan.messageBytes, plan.groupSize) = (self.messages, self.messageSize, self.groupSize)
        (plan.files, plan.fileBytes) = (self.files, self.fileSize.count)
    }
}
