internal import Bytes
package import JSON
internal import Operations
internal import Vocabulary

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
        self.bytes = JSONWriter.object(content)
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
        self.read(name, .raw).map { RawJSON(proven: $0) }
    }

    package func text(_ name: String) -> String? { self.read(name, .text) }
    package func integer(_ name: String) -> Int? { self.read(name, .integer) }
    package func bool(_ name: String) -> Bool? { self.read(name, .bool) }
    /// A time in milliseconds since 1970.
    func time(_ name: String) -> WallTime? { self.integer(name).map { WallTime(milliseconds: Int64($0)) } }

    /// The elements of a member that is an array.
    package func list(_ name: String) -> [RawJSON]? { self.member(name)?.elements }

    /// Of an array; nil for anything else.
    package var elements: [RawJSON]? {
        JSONType.raw.map { RawJSON(proven: $0) }.list().read(proven: self.bytes)
    }

    /// Of an object, in their order; of anything else none.
    package var memberList: [(name: String, value: RawJSON)] {
        let object = JSONObject(proven: self.bytes.span)
        return object.members.map { (object.name(of: $0), RawJSON(proven: object.reader.raw($0.value))) }
    }

    /// What a string says; nil for anything else.
    package var string: String? { JSONType.text.read(proven: self.bytes) }

    /// A member as a name that checks itself.
    func name<Name>(_ member: String, _ make: (String) -> Name?) -> Name? { self.text(member).flatMap(make) }

    // Walks to the member alone: most are asked for one or two, and an index would be made anew for each question.
    private func read<Value>(_ name: String, _ type: JSONType<Value>) -> Value? {
        let reader = JSONReader(self.bytes.span)
        return reader.member(name, of: reader.provenDocument).flatMap { type.read(reader, $0) }
    }
}
