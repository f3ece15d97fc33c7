internal import Conversing
internal import JSON
internal import Vocabulary

/// `publish_template`: one message for many, with words of its own for each of them.
struct RongCloudTemplate {
    let sender: UserID
    let users: [UserID]
    let asksBlocks: Bool
    let messages: [RongCloudMessage]

    private static let maximumMarks = 100

    init(_ body: [UInt8], _ counts: ClosedRange<Int>) throws(RongCloudProblem) {
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
        var messages: [RongCloudMessage] = []
        for index in users.indices {
            var items = [RongCloudForm.Item(name: "objectName", value: type)]
            func add(_ name: String, _ text: String?) {
                if let text { items.append(.init(name: name, value: Self.filled(text, values[index]))) }
            }
            add("content", content)
            for name in ["pushContent", "pushData"] {
                let texts = object.texts(name) ?? []
                add(name, texts.indices.contains(index) ? texts[index] : nil)
            }
            if object.flag("disablePush") { items.append(.init(name: "disablePush", value: "1")) }
            messages.append(try RongCloudMessage(RongCloudForm(items: items)))
        }
        self.messages = messages
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

    /// What was put in is not looked at again.
    static func filled(_ text: String, _ values: [(mark: String, text: String)]) -> String {
        var (out, rest) = ("", text[...])
        scan: while let letter = rest.first {
            for value in values where rest.hasPrefix(value.mark) {
                out += Self.escaped(value.text)
                rest = rest.dropFirst(value.mark.count)
                continue scan
            }
            out.append(letter)
            rest = rest.dropFirst()
        }
        return out
    }

    /// It stands inside a text of JSON.
    private static func escaped(_ text: String) -> String {
        String(decoding: JSONWriter.bytes { $0.string(text) }.dropFirst().dropLast(), as: UTF8.self)
    }
}
