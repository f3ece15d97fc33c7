internal import JSON
internal import Vocabulary

/// How something is sent.
struct JPushOptions: Hashable {
    /// Said back as it came.
    let number: Int
    /// Zero for those alone who are there.
    let life: Duration
    /// For which of Apple's services.
    let isProduction: Bool
    /// Pushes with the same one replace each other.
    let topic: String?
    /// The earlier push whose place this one takes.
    let overridden: Int64?

    static let usualLife = 86_400
    static let maximumLife = 864_000
    private static let maximumTopicBytes = 64
    private static let maximumSpread = 1400
    private static let names: Set<String> = [
        "sendno", "time_to_live", "override_msg_id", "apns_production", "apns_collapse_id", "big_push_duration",
        "third_party_channel", "classification",
    ]

    init(_ request: JPushObject) throws(JPushProblem) {
        let part = try request.object("options", Self.names)
        let number = try part?.number("sendno", in: 0...Int(Int32.max))
        self.number = number ?? 0
        self.life = .seconds(try part?.number("time_to_live", in: 0...Self.maximumLife) ?? Self.usualLife)
        self.isProduction = try part?.flag("apns_production") ?? true
        self.topic = try part?.text("apns_collapse_id")
        _ = try part?.number("big_push_duration", in: 0...Self.maximumSpread)
        _ = try part?.number("classification", in: 0...1)
        guard number != 0 || part?["sendno"] == nil else { throw .wrong("'sendno' must not be 0") }
        if let topic = self.topic, topic.utf8.count > Self.maximumTopicBytes {
            throw .wrong("'apns_collapse_id' has more than \(Self.maximumTopicBytes) bytes")
        }
        self.overridden = try part.flatMap { part throws(JPushProblem) in try Self.overridden(part) }
    }

    private static func overridden(_ part: JPushObject) throws(JPushProblem) -> Int64? {
        guard let json = part["override_msg_id"] else { return nil }
        guard let number = JSONType<Int64>.pushNumber.read(proven: json) else {
            throw .wrong("'override_msg_id' must be a number")
        }
        return number
    }
}

extension JSONType<Int64> {
    /// As a number, or as it was answered: as a text.
    fileprivate static var pushNumber: JSONType {
        JSONType { reader, value in
            reader.integer(value).map { Int64($0) } ?? reader.string(value).flatMap { Int64($0) }
        }
    }
}

extension LooseObject {
    func pushNumber(_ name: String) -> Int64? {
        self[name].flatMap { JSONType<Int64>.pushNumber.read(proven: $0) }
    }
}
