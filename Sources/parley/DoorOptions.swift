import Arguments
import Client
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
            Automatic reply in order chats. WHEN is an event type, 'first' (the passenger's first message) or 'unknown' \
            (an unknown message type); VOICE is 'driver', 'local', 'system' or 'upgrade'.
            """, valueName: "WHEN:VOICE:TEXT"))
    var orderReply: [OrderReply] = []

    @Flag(
        help: """
            Let FLSocketIM apps list all users without a token (GET /allUsers); their released versions do not send one.
            """)
    var publicUserList = false

    @Option(
        help: ArgumentHelp(
            """
            Programs that may push by JPush's interface: a file with APPKEY:MASTERSECRET on each line, 24 hexadecimal \
            digits each.
            """, valueName: "FILE"), completion: .file)
    var jpushKeys: String?

    @Option(
        help: ArgumentHelp(
            """
            Programs that may call RongCloud's Server API: a file with APPKEY:SECRET on each line, letters and digits.
            """, valueName: "FILE"), completion: .file)
    var rongcloudKeys: String?

    @Option(
        help: ArgumentHelp(
            """
            Program that is told what people say as RongCloud's message routes do, signed with the first of these keys.
            """, valueName: "URL"))
    var rongcloudCallback: HTTPURL?

    func validate() throws(ValidationError) {
        if self.rongcloudCallback != nil, self.rongcloudKeys == nil {
            throw ValidationError("--rongcloud-callback needs --rongcloud-keys, with which it is signed")
        }
        _ = try self.readJPushKeys()
        _ = try self.readRongCloudKeys()
        let occasions = self.orderReply.map { [$0.trigger.word, $0.voice.rawValue] }
        guard Set(occasions).count == occasions.count else {
            throw ValidationError("--order-reply: two replies for the same event and voice")
        }
    }

    private func readJPushKeys() throws(ValidationError) -> JPushKeys {
        guard let path = self.jpushKeys else { return .none }
        do {
            return try JPushKeys(try TextFile.read(path))
        } catch {
            throw ValidationError("--jpush-keys \(path): \(error)")
        }
    }

    private func readRongCloudKeys() throws(ValidationError) -> RongCloudKeys {
        guard let path = self.rongcloudKeys else { return .none }
        do {
            return try RongCloudKeys(try TextFile.read(path))
        } catch {
            throw ValidationError("--rongcloud-keys \(path): \(error)")
        }
    }

    var settings: DoorSettings {
        var settings = DoorSettings()
        settings.open = self.doors
        settings.orderReplies = self.orderReply
        settings.listsUsersPublicly = self.publicUserList
        settings.jpushKeys = (try? self.readJPushKeys()) ?? .none
        settings.rongCloudKeys = (try? self.readRongCloudKeys()) ?? .none
        settings.rongCloudCallback = self.rongcloudCallback
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
