internal import JSON

/// A JSON object of which some members are read, taken out or put in. Whatever else is in it stays, byte for byte: apps
/// from elsewhere tell each other more than we know of. This is why it has bytes of its own, which a `JSONObject` has not.
struct LooseObject: Hashable {
    private struct Member: Hashable {
        let name: String
        var json: [UInt8]
    }

    private var members: [Member] = []

    init() {}

    /// More than anybody needs: each one is looked for among the others.
    static let maximumMembers = 256

    /// Nil for what is no object, and for one with too many members.
    init?(_ json: [UInt8]) {
        let rules = JSONObject.Rules(maximumMembers: Self.maximumMembers)
        guard let object = try? JSONObject(json.span, rules) else { return nil }
        for member in object.members { self[object.name(of: member)] = object.reader.raw(member.value) }
    }

    subscript(name: String) -> [UInt8]? {
        get { self.members.first { $0.name == name }?.json }
        set {
            guard let newValue else { return self.members.removeAll { $0.name == name } }
            if let place = self.members.firstIndex(where: { $0.name == name }) {
                self.members[place].json = newValue
            } else {
                self.members.append(Member(name: name, json: newValue))
            }
        }
    }

    var names: [String] { self.members.map(\.name) }

    var json: [UInt8] {
        JSONWriter.object { json in for member in self.members { json.field(member.name, raw: member.json) } }
    }

    // MARK: - Members of a kind

    func text(_ name: String) -> String? { self[name].flatMap { JSONType.text.read(proven: $0) } }
    func integer(_ name: String) -> Int? { self[name].flatMap { JSONType.integer.read(proven: $0) } }
    func object(_ name: String) -> LooseObject? { self[name].flatMap { LooseObject($0) } }

    mutating func set(_ name: String, _ text: String) { self[name] = JSONWriter.bytes { $0.string(text) } }
    mutating func set(_ name: String, _ number: some BinaryInteger) {
        self[name] = JSONWriter.bytes { $0.integer(number) }
    }
    mutating func set(_ name: String, _ object: LooseObject) { self[name] = object.json }
}
