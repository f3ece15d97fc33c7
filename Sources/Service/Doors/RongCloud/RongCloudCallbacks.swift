internal import Bytes
internal import Client
internal import Conversing
internal import Hashing
internal import JSON
internal import Journal
internal import Keeping
internal import Reactor
internal import Switchboard
internal import Vocabulary
internal import Web

/// Tells a program on another server what people said, as RongCloud's message routes do: a form for each message, with the
/// signature in the address. Of one conversation in its order; what is not taken after three attempts is left out, and what waits
/// is forgotten when the server ends. Lives on the home loop.
final class RongCloudCallbacks {
    private let url: HTTPURL
    private let key: String
    private let secret: String
    private let chat: ChatService
    private let reactor: Reactor
    private let journal: Journal
    private var lanes: [ConversationID: [EntryKey]] = [:]
    private var waiting = 0

    private static let maximumWaiting = 5000
    private static let attempts = 3
    private static let wait = Duration.seconds(1)
    private static let timeout = Duration.seconds(5)

    init(_ url: HTTPURL, key: String, secret: String, _ dependencies: DoorDependencies) {
        self.url = url
        self.key = key
        self.secret = secret
        self.chat = dependencies.chat
        self.reactor = dependencies.reactor
        self.journal = dependencies.journal
    }

    /// What programs said themselves they know.
    func heard(_ outcome: ChangeOutcome) {
        guard outcome.entry.sort == .message, !outcome.isRepeated, !outcome.entry.isByProgram else { return }
        guard self.waiting < Self.maximumWaiting else { return self.leaveOut("too many wait") }
        self.waiting += 1
        let isFirst = self.lanes[outcome.conversation] == nil
        self.lanes[outcome.conversation, default: []].append(EntryKey(outcome.key, outcome.entry.number))
        if isFirst { self.next(in: outcome.conversation) }
    }

    private func next(in lane: ConversationID) {
        guard let key = self.lanes[lane]?.first else {
            self.lanes[lane] = nil
            return
        }
        self.chat.fetch(FindEntry(key)) { [weak self] result in
            guard let self else { return }
            // Taken back meanwhile, or the store has no time: nothing is told of it.
            guard case .success(let found?) = result, found.entry.isToldToPrograms else { return self.done(lane) }
            self.send(Self.form(found, key), lane, attempt: 1)
        }
    }

    private func done(_ lane: ConversationID) {
        self.waiting -= 1
        self.lanes[lane]?.removeFirst()
        self.next(in: lane)
    }

    private func send(_ form: [UInt8], _ lane: ConversationID, attempt: Int) {
        let call = HTTPCall(self.url.server, on: self.reactor, rules: HTTPCallRules(maximumBodyBytes: 64 << 10)) {
            [weak self] outcome in
            guard let self else { return }
            if case .success(let answer) = outcome, answer.status.isSuccess { return self.done(lane) }
            guard attempt < Self.attempts else {
                self.leaveOut("\(outcome)")
                return self.done(lane)
            }
            _ = self.reactor.schedule(after: Self.wait * attempt) { [weak self] in
                self?.send(form, lane, attempt: attempt + 1)
            }
        }
        let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        call.send(.post, self.target, fields: fields, body: form, timeout: Self.timeout)
    }

    /// Signed anew for each attempt, as a request is the other way.
    private var target: String {
        let (nonce, time) = (RandomToken.fresh().text, "\(self.chat.now.milliseconds)")
        let signature = RongCloudSignature.sign(secret: self.secret, nonce: nonce, timestamp: time)
        let query = "appKey=\(self.key)&nonce=\(nonce)&signTimestamp=\(time)&timestamp=\(time)&signature=\(signature)"
        return self.url.target + (self.url.target.contains("?") ? "&" : "?") + query
    }

    private func leaveOut(_ why: String) {
        self.journal.error(.rongCloudCallbackLost, "a program was not told of a message", [.reason: .plain(why)])
    }

    // MARK: - What is told

    private static func form(_ found: FindEntry.Found, _ key: EntryKey) -> [UInt8] {
        let words = RongCloudWords(found.entry)
        let message = MessagesInTime.Message(
            conversation: found.conversation, members: found.members, entry: found.entry)
        let (target, kind) = RongCloudHours.target(of: message)
        let fields = [
            ("fromUserId", found.entry.sender.text), ("toUserId", target), ("objectName", words.type),
            ("content", words.content), ("channelType", kind.channel),
            ("msgTimestamp", "\(found.entry.time.milliseconds)"), ("timestamp", "\(found.entry.time.milliseconds)"),
            ("msgUID", RongCloudMessageUID(key).text), ("sensitiveType", "0"), ("source", "Server"),
        ]
        return Array(fields.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&").utf8)
    }

    static func escaped(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): out.append(byte)
            default: out += Array("%\(Hex.encode([byte]).uppercased())".utf8)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension RongCloudTarget.Kind {
    /// As callbacks say it.
    var channel: String {
        switch self {
        case .direct: "PERSON"
        case .discussion: "PERSONS"
        case .group: "GROUP"
        case .room: "TEMPGROUP"
        case .system: "NOTIFY"
        }
    }
}

extension Entry {
    var isByProgram: Bool {
        self.body.flatMap { LooseObject($0) }?.object(RongCloudMessage.member) != nil
    }
}

extension LogName {
    static let rongCloudCallbackLost = LogName("rongcloud.callback_lost")
}
