internal import JSON
package import Vocabulary

/// What only the server writes: members of message bodies that are believed, such as how clients of another kind know the
/// message and who speaks in it, and ids of conversations that others look for under their name.
package struct KeptFields: Hashable, Sendable {
    package let members: [String]
    package let idPrefixes: [String]

    package init(members: [String] = [], idPrefixes: [String] = []) {
        self.members = members
        self.idPrefixes = idPrefixes
    }

    package func joined(with others: KeptFields) -> KeptFields {
        KeptFields(members: self.members + others.members, idPrefixes: self.idPrefixes + others.idPrefixes)
    }

    package func reserve(_ id: ConversationID) -> Bool { self.idPrefixes.contains { id.text.hasPrefix($0) } }

    package func appear(in body: MessageBody) -> Bool {
        let reader = JSONReader(body.json.span)
        guard let object = try? reader.document() else { return false }
        return self.members.contains { reader.member($0, of: object) != nil }
    }

    /// The body in the words that everybody understands: said again by somebody else, it is theirs.
    package func removed(from body: MessageBody) -> MessageBody {
        let reader = JSONReader(body.json.span)
        guard self.appear(in: body), let object = try? reader.document() else { return body }
        var json = JSONWriter()
        json.object { json in
            var members = reader.members(of: object)
            while let member = members.next() {
                guard let name = reader.text(at: member.key), !self.members.contains(name) else { continue }
                json.field(name, raw: reader.raw(member.value))
            }
        }
        return MessageBody(proven: json.bytes)
    }
}
