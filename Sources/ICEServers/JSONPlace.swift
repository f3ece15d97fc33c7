internal import JSON

/// A value in the file and the way to it, so that every mistake can be pointed at.
struct JSONPlace {
    let value: JSONValue
    let path: String

    func fail(_ problem: ICEServerFileError.Problem) -> ICEServerFileError {
        ICEServerFileError(problem, at: self.path)
    }

    func fail(_ problem: ICEServerFileError.Problem, at name: String) -> ICEServerFileError {
        ICEServerFileError(problem, at: self.path(to: name))
    }

    private func path(to name: String) -> String { self.path.isEmpty ? name : "\(self.path).\(name)" }

    /// The members by name. Each name must be one of `known` and stand once.
    func members(_ known: Set<String>, in reader: borrowing JSONReader) throws(ICEServerFileError) -> [String:
        JSONPlace]
    {
        do throws(JSONObjectError) {
            let object = try JSONObject(self.value, in: reader, JSONObject.Rules(isStrict: true, names: known))
            var places: [String: JSONPlace] = [:]
            for member in object.members {
                let name = object.name(of: member)
                places[name] = JSONPlace(value: member.value, path: self.path(to: name))
            }
            return places
        } catch {
            switch error {
            case .unknown(let name): throw self.fail(.unknownMember, at: name)
            case .duplicate(let name): throw self.fail(.duplicatedMember, at: name)
            default: throw self.fail(.wrongKind(wanted: "an object"))
            }
        }
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
