import Arguments
import Service

/// Which kinds of clients from elsewhere are let in, and what is arranged for them.
struct DoorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Kinds of apps made for other servers that may come in: \(DoorList.all.names.joined(separator: ", ")), all or \
            none.
            """, valueName: "LIST"))
    var doors = DoorList.byDefault

    @Option(
        help: ArgumentHelp(
            """
            Something that is said automatically in the chats of orders, once each time: when the shop tells an event of \
            this type, or 'first' word of a passenger, or something of an 'unknown' kind; by 'driver', 'local', 'system' or \
            'upgrade'; and the words.
            """, valueName: "WHEN:VOICE:TEXT"))
    var orderReply: [OrderReply] = []

    func validate() throws(ValidationError) {
        let occasions = self.orderReply.map { [$0.trigger.word, $0.voice.rawValue] }
        guard Set(occasions).count == occasions.count else {
            throw ValidationError("--order-reply: the same voice says two things to the same")
        }
    }

    var settings: DoorSettings {
        var settings = DoorSettings()
        settings.open = self.doors
        settings.orderReplies = self.orderReply
        return settings
    }
}

extension DoorList: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "LIST" }
    package static var expectation: String {
        "names with commas between them (\(Self.all.names.joined(separator: ", "))), all or none"
    }
    package var argumentDescription: String {
        switch self {
        case .all: "all"
        case .none: "none"
        default: self.names.joined(separator: ",")
        }
    }
}

extension OrderReply: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
    package static var valueName: String? { "WHEN:VOICE:TEXT" }
    package static var expectation: String {
        "an event's type, first or unknown; driver, local, system or upgrade; words"
    }
    package var argumentDescription: String { self.text }
}
