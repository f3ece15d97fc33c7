internal import JSON

/// A JSON object of which some members are read, taken out or put in. Whatever else is in it stays, byte for byte: apps
/// from elsewhere tell each other more than we know of.
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
        let reader = JSONReader(json.span)
        guard let object = try? reader.document(), object.kind == .object else { return nil }
        var walk = reader.members(of: object)
        while let member = walk.next() {
            guard self.members.count < Self.maximumMembers else { return nil }
            let name = reader.text(at: member.key) ?? ""
            self[name] = reader.raw(member.value)
        }
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
        var json = JSONWriter()
        json.object { json in
            for member in self.members {
                json.key(member.name)
                json.raw(member.json)
            }
        }
        return json.bytes
    }

    // MARK: - Members of a kind

    func text(_ name: String) -> String? { self.read(name) { reader, value in reader.string(value) } }
    func integer(_ name: String) -> Int? { self.read(name) { reader, value in reader.integer(value) } }
    func object(_ name: String) -> LooseObject? { self[name].flatMap { LooseObject($0) } }

    private func read<Value>(_ name: String, _ work: (borrowing JSONReader, JSONValue) -> Value?) -> Value? {
        guard let json = self[name] else { return nil }
        let reader = JSONReader(json.span)
        guard let value = try? reader.document() else { return nil }
        return work(reader, value)
    }

    mutating func set(_ name: String, _ text: String) { self.set(name) { $0.string(text) } }
    mutating func set(_ name: String, _ number: some BinaryInteger) { self.set(name) { $0.integer(number) } }
    mutating func set(_ name: String, _ object: LooseObject) { self[name] = object.json }

    private mutating func set(_ name: String, _ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        self[name] = json.bytes
    }
}
