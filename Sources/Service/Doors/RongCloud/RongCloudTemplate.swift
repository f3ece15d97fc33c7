internal import Conversing
internal import JSON
internal import Vocabulary

/// `publish_template`: one message for many, with words of its own for each of them.
package struct RongCloudTemplate {
    let sender: UserID
    let users: [UserID]
    let asksBlocks: Bool
    package let messages: [RongCloudMessage]

    private static let maximumMarks = 100
    /// Of the contents of all messages of one template: a mark in each letter could stand for another long text.
    private static let maximumContentsBytes = 16 << 20
    /// Marks looked for in one template: each of them, at each byte of the content.
    private static let maximumComparisons = 64 << 20

    package init(_ body: [UInt8], _ counts: ClosedRange<Int>) throws(RongCloudProblem) {
        let object = try RongCloudForm.object(body)
        func required(_ name: String) throws(RongCloudProblem) -> String {
            guard let text = object.text(name) else { throw .missing(name) }
            return text
        }
        self.sender = try RongCloudForm.user(try required("fromUserId"), "fromUserId")
        guard let names = object.texts("toUserId"), !names.isEmpty else { throw .missing("toUserId") }
        guard names.count <= counts.upperBound else { throw .illegal("toUserId", "at most \(counts.upperBound)") }
        var users: [UserID] = []
        for name in names { users.append(try RongCloudForm.user(name, "toUserId")) }
        self.users = users
        self.asksBlocks = object.flag("verifyBlacklist")
        let values = try Self.values(object, users.count)
        let (type, content) = (try required("objectName"), try required("content"))
        let marks = values.reduce(0) { $0 + $1.count + 1 }
        guard content.utf8.count <= RongCloudMessage.maximumContentBytes,
            content.utf8.count * marks <= Self.maximumComparisons
        else { throw .tooLong("content", min(RongCloudMessage.maximumContentBytes, Self.maximumComparisons / marks)) }
        let pushes = ["pushContent", "pushData"].map { (name: $0, texts: object.texts($0) ?? []) }
        let disablesPush = object.flag("disablePush")
        var (messages, bytes): ([RongCloudMessage], Int) = ([], 0)
        for index in users.indices {
            var texts = [(name: "content", text: content)]
            for (name, all) in pushes where all.indices.contains(index) { texts.append((name, all[index])) }
            var items = [RongCloudForm.Item(name: "objectName", value: type)]
            if disablesPush { items.append(.init(name: "disablePush", value: "1")) }
            for (name, text) in texts {
                items.append(.init(name: name, value: try Self.filled(name, text, values[index])))
            }
            messages.append(try RongCloudMessage(RongCloudForm(items: items)))
            bytes += messages.last?.content.utf8.count ?? 0
            guard bytes <= Self.maximumContentsBytes else { throw .tooLong("content", Self.maximumContentsBytes) }
        }
        self.messages = messages
    }

    private static func filled(_ name: String, _ text: String, _ values: Values) throws(RongCloudProblem) -> String {
        guard let filled = self.filled(text, values, maximum: RongCloudMessage.maximumContentBytes) else {
            throw .tooLong(name, RongCloudMessage.maximumContentBytes)
        }
        return filled
    }

    private typealias Values = [(mark: String, text: String)]

    private static func values(_ object: LooseObject, _ count: Int) throws(RongCloudProblem) -> [Values] {
        guard let json = object["values"], let list = JSONType.raw.list().read(proven: json), list.count == count else {
            throw .illegal("values", "as many objects as there are users")
        }
        var all: [Values] = []
        for item in list {
            guard let object = LooseObject(item), object.names.count <= self.maximumMarks else {
                throw .illegal("values", "objects of at most \(self.maximumMarks) marks")
            }
            // The longer ones first, so that none is taken for another's beginning.
            let names = object.names.filter { !$0.isEmpty }.sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
            all.append(names.compactMap { name in object.text(name).map { (name, $0) } })
        }
        return all
    }

    /// What was put in is not looked at again. Nil for what becomes longer than it may.
    static func filled(_ text: String, _ values: [(mark: String, text: String)], maximum: Int = .max) -> String? {
        let marks = values.map { (mark: Array($0.mark.utf8), text: Array(Self.escaped($0.text).utf8)) }
        let bytes = Array(text.utf8)
        var (out, place): ([UInt8], Int) = ([], 0)
        while place < bytes.count {
            let rest = bytes[place...]
            if let found = marks.first(where: { $0.mark[0] == bytes[place] && rest.starts(with: $0.mark) }) {
                out += found.text
                place += found.mark.count
            } else {
                out.append(bytes[place])
                place += 1
            }
            guard out.count <= maximum else { return nil }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// It stands inside a text of JSON.
    private static func escaped(_ text: String) -> String {
        String(decoding: JSONWriter.bytes { $0.string(text) }.dropFirst().dropLast(), as: UTF8.self)
    }
}
