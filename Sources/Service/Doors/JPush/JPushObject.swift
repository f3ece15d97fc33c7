internal import JSON

/// A JSON object of a request in which only certain names may stand.
struct JPushObject {
    private let object: LooseObject

    init(_ object: LooseObject, _ names: Set<String>) throws(JPushProblem) {
        if let stranger = object.names.first(where: { !names.contains($0) }) { throw .unknownKey(stranger) }
        self.object = object
    }

    init(_ json: [UInt8], _ names: Set<String>, as name: String) throws(JPushProblem) {
        guard let object = LooseObject(json) else { throw .wrong("'\(name)' must be an object") }
        try self.init(object, names)
    }

    subscript(name: String) -> [UInt8]? {
        guard let json = self.object[name], json != Array("null".utf8) else { return nil }
        return json
    }

    func object(_ name: String, _ names: Set<String>) throws(JPushProblem) -> JPushObject? {
        guard let json = self[name] else { return nil }
        return try JPushObject(json, names, as: name)
    }

    /// Whatever is in it.
    func anyObject(_ name: String) throws(JPushProblem) -> [UInt8]? {
        guard let json = self[name] else { return nil }
        guard LooseObject(json) != nil else { throw .wrong("'\(name)' must be an object") }
        return json
    }

    func text(_ name: String) throws(JPushProblem) -> String? { try self.value(name, .text, "a text") }
    func flag(_ name: String) throws(JPushProblem) -> Bool? { try self.value(name, .bool, "true or false") }

    func number(_ name: String, in range: ClosedRange<Int>) throws(JPushProblem) -> Int? {
        guard let number = try self.value(name, .integer, "a number") else { return nil }
        guard range.contains(number) else {
            throw .wrong("'\(name)' must be \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func texts(_ name: String, maximum: Int) throws(JPushProblem) -> [String] {
        guard let texts = try self.value(name, JSONType<String>.text.list(), "an array of texts") else { return [] }
        guard texts.count <= maximum else { throw .wrong("'\(name)' has more than \(maximum) values") }
        guard !texts.contains("") else { throw .wrong("'\(name)' has an empty value") }
        return texts
    }

    private func value<Value>(_ name: String, _ type: JSONType<Value>, _ kind: String) throws(JPushProblem) -> Value? {
        guard let json = self[name] else { return nil }
        guard let value = type.read(proven: json) else { throw .wrong("'\(name)' must be \(kind)") }
        return value
    }
}
