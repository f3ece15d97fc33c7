internal import JSON
package import Vocabulary

/// News of one node, as they travel together: one JSON object. `number` counts the frames of the node without a gap, so that whoever
/// misses one knows.
///
///     {"v":1,"node":"Zk3…","number":17,"news":[{"e":"room-id","n":5},{"t":"room-id","u":"anna","on":true}]}
package struct NodeFrame: Hashable, Sendable {
    package let node: RandomToken
    package let number: UInt64
    /// The node goes, and says nothing more.
    package let isLast: Bool
    /// Where its clients' requests can be passed on to, such as `http://10.0.0.7:8080`; said now and then.
    package let address: String?
    package let news: [NodeNews]

    package init(
        _ node: RandomToken, _ number: UInt64, _ news: [NodeNews] = [], address: String? = nil, isLast: Bool = false
    ) {
        self.node = node
        self.number = number
        self.news = news
        self.isLast = isLast
        self.address = address
    }

    /// A node that speaks another version is understood as far as it says the same.
    private static let version: UInt64 = 1
    /// PostgreSQL takes less than 8,000 bytes in a notification.
    package static let maximumBytes = 7_900

    /// As few frames as they fit into. What is too long for one goes alone, and is refused by whoever carries it.
    package static func frames(_ news: [NodeNews], of node: RandomToken, numbered next: () -> UInt64) -> [[UInt8]] {
        var (frames, gathered, bytes) = ([[UInt8]](), [[UInt8]](), 0)
        for item in news.map({ $0.json }) {
            if bytes + item.count > Self.maximumBytes - 200, !gathered.isEmpty {
                frames.append(Self.json(node, next(), gathered))
                (gathered, bytes) = ([], 0)
            }
            gathered.append(item)
            bytes += item.count + 1
        }
        if !gathered.isEmpty { frames.append(Self.json(node, next(), gathered)) }
        return frames
    }

    package var json: [UInt8] {
        Self.json(self.node, self.number, self.news.map(\.json), address: self.address, isLast: self.isLast)
    }

    private static func json(
        _ node: RandomToken, _ number: UInt64, _ news: [[UInt8]], address: String? = nil, isLast: Bool = false
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.field("v", Self.version)
            json.field("node", node.text)
            json.field("number", number)
            if isLast { json.field("last", true) }
            json.optional("at", address)
            if !news.isEmpty { json.array("news", of: news) { $0.raw($1) } }
        }
    }

    /// Nil for what is none. News of kinds that came later are passed over.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count <= Self.maximumBytes + 100, let object = try? JSONObject(bytes),
            let node = object["node", .text].flatMap({ RandomToken($0) }), let number = object["number", .number]
        else { return nil }
        var news: [NodeNews] = []
        if let list = object.value("news") {
            var walk = object.reader.elements(of: list)
            while let element = walk.next() {
                if let item = NodeNews(JSONObject(found: element, in: object.reader)) { news.append(item) }
            }
        }
        self.init(node, number, news, address: object["at", .text], isLast: object["last", .bool] ?? false)
    }
}

extension NodeNews {
    fileprivate var json: [UInt8] {
        JSONWriter.object { json in
            switch self {
            case .entry(let id, let number, let movesMembers):
                json.field("e", id.text)
                json.field("n", number)
                if movesMembers { json.field("m", true) }
            case .receipt(let receipt):
                json.field("r", receipt.conversation.text)
                json.field("u", receipt.user.text)
                json.field("own", raw: receipt.own)
                if let others = receipt.others { json.field("others", raw: others) }
            case .typing(let id, let user, let isOn):
                json.field("t", id.text)
                json.field("u", user.text)
                json.field("on", isOn)
            case .block(let other, let user, let isOn):
                json.field("b", other.text)
                json.field("u", user.text)
                json.field("on", isOn)
            case .profile(let user): json.field("p", user.text)
            case .access(let access):
                json.field("a", access.word)
                json.field("of", access.subject)
                json.optional("until", access.until?.milliseconds)
            case .read(let id, let user, let number, let badge):
                json.field("d", id.text)
                json.field("u", user.text)
                json.field("n", number)
                json.field("badge", badge)
            case .attempt(let word, let account, let address):
                json.field("g", word)
                json.optional("of", account)
                json.field("ip", address)
            case .told(let telling): telling.write(into: &json)
            case .errand: json.field("w", true)
            case .words: json.field("words", true)
            }
        }
    }

    fileprivate init?(_ object: borrowing JSONObject) {
        let user = object["u", .text].flatMap { UserID($0) }
        let isOn = object["on", .bool] ?? false
        if let id = object["e", .text].flatMap({ ConversationID($0) }) {
            guard let number = object["n", .number], number > 0 else { return nil }
            self = .entry(id, number, movesMembers: object["m", .bool] ?? false)
        } else if let id = object["r", .text].flatMap({ ConversationID($0) }) {
            guard let user, let own = object["own", .raw] else { return nil }
            self = .receipt(Receipt(id, of: user, own: own, others: object["others", .raw]))
        } else if let id = object["t", .text].flatMap({ ConversationID($0) }) {
            guard let user else { return nil }
            self = .typing(id, user, isOn: isOn)
        } else if let id = object["d", .text].flatMap({ ConversationID($0) }) {
            guard let user, let number = object["n", .number], let badge = object["badge", .number] else { return nil }
            self = .read(id, user, through: number, badge: badge)
        } else if let other = object["b", .text].flatMap({ UserID($0) }) {
            guard let user else { return nil }
            self = .block(other, by: user, isOn: isOn)
        } else {
            self.init(server: object)
        }
    }

    private init?(server object: borrowing JSONObject) {
        if let user = object["p", .text].flatMap({ UserID($0) }) {
            self = .profile(user)
        } else if let word = object["a", .text], let subject = object["of", .text] {
            let until = object["until", JSONType<Int>.integer].map { WallTime(milliseconds: Int64($0)) }
            self = .access(Access(word, subject, until: until))
        } else if let word = object["g", .text], let address = object["ip", .text] {
            self = .attempt(word: word, account: object["of", .text], address: address)
        } else if object["w", .bool] == true {
            self = .errand
        } else if object["words", .bool] == true {
            self = .words
        } else if let telling = Telling(object) {
            self = .told(telling)
        } else {
            return nil
        }
    }
}

extension NodeNews.Telling {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("s", self.event)
        json.field("j", raw: self.json)
        switch self.audience {
        case .members(let id, let user):
            json.field("c", id.text)
            json.optional("but", user?.text)
        case .member(let user, let id):
            json.field("c", id.text)
            json.field("u", user.text)
        case .users(let users): json.array("to", of: users) { $0.string($1.text) }
        case .all: json.field("all", true)
        }
    }

    fileprivate init?(_ object: borrowing JSONObject) {
        guard let event = object["s", .text], let json = object["j", .raw] else { return nil }
        let user = object["u", .text].flatMap { UserID($0) }
        if let id = object["c", .text].flatMap({ ConversationID($0) }) {
            let left = object["but", .text].flatMap { UserID($0) }
            self.init(event, json, to: user.map { .member($0, of: id) } ?? .members(of: id, except: left))
        } else if let users = object["to", JSONType<String>.text.list()] {
            self.init(event, json, to: .users(users.compactMap { UserID($0) }))
        } else if object["all", .bool] == true {
            self.init(event, json, to: .all)
        } else {
            return nil
        }
    }
}

extension JSONType<UInt64> {
    fileprivate static var number: JSONType { JSONType<Int>.integer.map { UInt64(exactly: $0) } }
}
