internal import JSON

/// Members of a body that only the server writes: how clients of other kinds know the message, and with it who speaks. They
/// are believed, so nobody else may put them there.
extension MessageBody {
    /// FLSocketIM's apps' own message.
    package static let flName = "fl"
    /// An order chat's own message.
    package static let orderName = "oc"
    private static let keptNames = [Self.flName, Self.orderName]

    package var hasKeptNames: Bool {
        let reader = JSONReader(self.json.span)
        guard let object = try? reader.document() else { return false }
        return Self.keptNames.contains { reader.member($0, of: object) != nil }
    }

    /// The same in the words that everybody understands: said again by somebody else, it is theirs.
    package var withoutKeptNames: MessageBody {
        let reader = JSONReader(self.json.span)
        guard self.hasKeptNames, let object = try? reader.document() else { return self }
        var json = JSONWriter()
        json.object { json in
            var members = reader.members(of: object)
            while let member = members.next() {
                guard let name = reader.text(at: member.key), !Self.keptNames.contains(name) else { continue }
                json.key(name)
                json.raw(reader.raw(member.value))
            }
        }
        return MessageBody(proven: json.bytes)
    }
}
