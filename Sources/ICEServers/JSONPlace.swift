internal import JSON

/// A value in the file and the way to it, so that every mistake can be pointed at.
struct JSONPlace {
    let value: JSONValue
    let path: String

    func fail(_ problem: ICEServerFileError.Problem) -> ICEServerFileError {
        ICEServerFileError(problem, at: self.path)
    }

    func fail(_ problem: ICEServerFileError.Problem, at name: String) -> ICEServerFileError {
        ICEServerFileError(problem, at: self.path.isEmpty ? name : "\(self.path).\(name)")
    }

    /// The members by name. Each name must be one of `known` and stand once.
    func members(_ known: Set<String>, in reader: borrowing JSONReader) throws(ICEServerFileError) -> [String:
        JSONPlace]
    {
        guard self.value.kind == .object else { throw self.fail(.wrongKind(wanted: "an object")) }
        var places: [String: JSONPlace] = [:]
        var members = reader.members(of: self.value)
        while let member = members.next() {
            let name = reader.text(at: member.key) ?? ""
            guard known.contains(name) else { throw self.fail(.unknownMember, at: name) }
            let path = self.path.isEmpty ? name : "\(self.path).\(name)"
            guard places.updateValue(JSONPlace(value: member.value, path: path), forKey: name) == nil else {
                throw self.fail(.duplicatedMember, at: name)
            }
        }
        return places
    }

    func elements(limit: Int, in reader: borrowing JSONReader) throws(ICEServerFileError) -> [JSONPlace] {
        guard self.value.kind == .array else { throw self.fail(.wrongKind(wanted: "an array")) }
        var places: [JSONPlace] = []
        var elements = reader.elements(of: self.value)
        while let element = elements.next() {
            guard places.count < limit else { throw self.fail(.tooMany(limit: limit)) }
            places.append(JSONPlace(value: element, path: "\(self.path)[\(places.count)]"))
        }
        return places
    }

    func text(in reader: borrowing JSONReader) throws(ICEServerFileError) -> String {
        guard let text = reader.string(self.value) else { throw self.fail(.wrongKind(wanted: "a text")) }
        guard !text.isEmpty else { throw self.fail(.empty) }
        return text
    }
}
