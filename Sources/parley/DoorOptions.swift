import Arguments
import Client
import RealtimeTree
import Service
import Vocabulary

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

    @Option(
        help: ArgumentHelp(
            """
            Who may read and write which places of the realtime tree: a file with rules, as databases of this kind have \
            them. Without one nobody may, except administrators.
            """, valueName: "FILE"), completion: .file)
    var treeRules: String?

    @Option(
        help: ArgumentHelp(
            """
            A program that may do everything in the realtime tree and vouches for users: a service account as a JSON file, \
            with its private key.
            """, valueName: "FILE"), completion: .file)
    var treeAccount: [String] = []

    @Flag(help: "Let everybody who is signed in read and write the whole realtime tree, where there are no rules.")
    var treeOpen = false

    @Flag(
        help: """
            Treat the realtime tree as an emulator does: 'Bearer owner' is an administrator, and tokens need no signature. \
            Only where the server listens on loopback addresses.
            """)
    var treeEmulator = false

    @Option(
        help: ArgumentHelp(
            """
            A place of the realtime tree that is a chat room: 'messages' below it is a conversation, and 'typingIndicator' \
            says who is typing there.
            """, valueName: "PATH"))
    var treeRoom: [String] = []

    @Option(
        help: ArgumentHelp(
            "A user, by their id, who may look at the whole realtime tree on the page (#/tree/).", valueName: "USER"))
    var treeViewer: [UserID] = []

    @Option(
        help: ArgumentHelp("Writes into the realtime tree that one address may make in a second.", valueName: "COUNT"))
    var treeWriteRate = 1000

    @Option(
        help: ArgumentHelp("Memory that the values of the realtime tree may take, keys included.", valueName: "MIB"))
    var treeSize = 256

    func validate() throws(ValidationError) {
        if self.rongcloudCallback != nil, self.rongcloudKeys == nil {
            throw ValidationError("--rongcloud-callback needs --rongcloud-keys, with which it is signed")
        }
        _ = try self.readJPushKeys()
        _ = try self.readRongCloudKeys()
        _ = try self.readTreeRules()
        _ = try self.readTreePrograms()
        for text in self.treeRoom where TreeSettings.room(text) == nil {
            throw ValidationError("--tree-room \(text): is no path of letters, digits, dots, dashes and slashes")
        }
        guard (1...1_000_000_000).contains(self.treeWriteRate) else {
            throw ValidationError("--tree-write-rate must be at least 1")
        }
        guard (1...65_536).contains(self.treeSize) else {
            throw ValidationError("--tree-size: between 1 and 65536 MiB")
        }
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

    private func readTreePrograms() throws(ValidationError) -> TreePrograms {
        var files: [[UInt8]] = []
        for path in self.treeAccount {
            do { files.append(Array(try TextFile.read(path).utf8)) } catch {
                throw ValidationError("--tree-account \(path): \(error)")
            }
        }
        do throws(TreePrograms.Fault) {
            return try TreePrograms(files)
        } catch {
            throw ValidationError("--tree-account: \(error)")
        }
    }

    private func readTreeRules() throws(ValidationError) -> TreeRules {
        guard let path = self.treeRules else { return self.treeOpen ? .signedIn : .closed }
        guard !self.treeOpen else {
            throw ValidationError("--tree-open: the rules of --tree-rules say already who may do what")
        }
        do {
            return try TreeRules(try TextFile.read(path))
        } catch {
            throw ValidationError("--tree-rules \(path): \(error)")
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
        settings.tree.rules = (try? self.readTreeRules()) ?? .closed
        settings.tree.writesPerSecond = self.treeWriteRate
        settings.tree.rulesFile = self.treeRules
        settings.tree.programs = (try? self.readTreePrograms()) ?? .none
        settings.tree.rooms = self.treeRoom.compactMap { TreeSettings.room($0) }
        settings.tree.viewers = self.treeViewer
        settings.tree.isEmulator = self.treeEmulator
        settings.tree.maximumBytes = self.treeSize << 20
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
