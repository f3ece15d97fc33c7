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
        let body = JSONObject(proven: body.json.span)
        return body.members.contains { self.members.contains(body.name(of: $0)) }
    }

    /// The body in the words that all clients understand: sent again by another user, it is theirs.
    package func removed(from body: MessageBody) -> MessageBody {
        guard self.appear(in: body) else { return body }
        let object = JSONObject(proven: body.json.span)
        let json = JSONWriter.object { json in
            for member in object.members {
                let name = object.name(of: member)
                if !self.members.contains(name) { json.field(name, raw: object.reader.raw(member.value)) }
            }
        }
        return MessageBody(proven: json)
    }
}
