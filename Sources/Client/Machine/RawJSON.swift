internal import Bytes
package import JSON
internal import Operations

/// One JSON value as the very bytes it travels in, with a few questions that can be asked of an object.
///
/// Descriptions and candidates stay like this from one end to the other, so that nothing of them gets lost.
package struct RawJSON: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// Nil for what is not one JSON value.
    package init?(_ bytes: [UInt8]) {
        guard (try? JSONReader(bytes.span).document()) != nil else { return nil }
        self.bytes = bytes
    }

    package init?(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// An object, written field by field.
    package init(object content: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.object(content)
        self.bytes = json.bytes
    }

    /// A request's one object.
    init(_ arguments: [Argument]) {
        self.init { json in for argument in arguments { argument.write(to: &json) } }
    }

    /// A part of something that was read before.
    init(proven bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var description: String { String(decoding: self.bytes, as: UTF8.self) }
}

extension RawJSON {
    /// The value of a member; nil when this is no object or has no such member.
    package func member(_ name: String) -> RawJSON? {
        self.read(name) { reader, value in RawJSON(proven: reader.raw(value)) }
    }

    package func text(_ name: String) -> String? { self.read(name) { $0.string($1) } }
    package func integer(_ name: String) -> Int? { self.read(name) { $0.integer($1) } }
    package func bool(_ name: String) -> Bool? { self.read(name) { $0.bool($1) } }

    /// The elements of a member that is an array.
    package func list(_ name: String) -> [RawJSON]? { self.member(name)?.elements }

    /// Of an array; nil for anything else.
    package var elements: [RawJSON]? {
        let reader = JSONReader(self.bytes.span)
        let value = reader.provenDocument
        guard value.kind == .array else { return nil }
        var list: [RawJSON] = []
        var elements = reader.elements(of: value)
        while let element = elements.next() { list.append(RawJSON(proven: reader.raw(element))) }
        return list
    }

    /// Of an object, in their order; of anything else none.
    package var memberList: [(name: String, value: RawJSON)] {
        let reader = JSONReader(self.bytes.span)
        let value = reader.provenDocument
        guard value.kind == .object else { return [] }
        var list: [(name: String, value: RawJSON)] = []
        var members = reader.members(of: value)
        while let member = members.next() {
            list.append((reader.text(at: member.key) ?? "", RawJSON(proven: reader.raw(member.value))))
        }
        return list
    }

    /// What a string says; nil for anything else.
    package var string: String? {
        let reader = JSONReader(self.bytes.span)
        return reader.string(reader.provenDocument)
    }

    /// A member as a name that checks itself.
    func name<Name>(_ member: String, _ make: (String) -> Name?) -> Name? { self.text(member).flatMap(make) }

    private func read<Value>(_ name: String, _ take: (borrowing JSONReader, JSONValue) -> Value?) -> Value? {
        let reader = JSONReader(self.bytes.span)
        guard let value = reader.member(name, of: reader.provenDocument) else { return nil }
        return take(reader, value)
    }
}
