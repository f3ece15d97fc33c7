internal import JSON
internal import Keeping
internal import Vocabulary

/// What a user wants a device of theirs to be found by: `{"alias"?,"tags"?:{"add","remove"}|""}`.
struct PushLabelForm {
    let change: ChangeOwnPushBinding

    static let maximumTags = 100

    init(_ body: [UInt8], of device: DeviceID, _ user: UserID) throws(PushLabelRule) {
        guard let form = try? JSONObject(body.span) else { throw .nothingSaid }
        var change = ChangeOwnPushBinding(of: device, user)
        if form.value("alias") != nil {
            guard let alias = form["alias", .text] else { throw .nothingSaid }
            change.alias = .set(alias.isEmpty ? nil : try Self.alias(alias, of: user))
        }
        try Self.read(form, into: &change)
        guard change.saysAnything else { throw .nothingSaid }
        self.change = change
    }

    /// Whoever has another's alias gets the pushes that are for them: what could be the id of a user is taken.
    private static func alias(_ text: String, of user: UserID) throws(PushLabelRule) -> PushLabel {
        let alias = try self.label(text, isTag: false)
        guard alias == PushLabel(of: user) || UserID(text) == nil else { throw .notAllowed }
        return alias
    }

    /// An empty text takes all tags away.
    private static func read(
        _ form: borrowing JSONObject, into change: inout ChangeOwnPushBinding
    ) throws(PushLabelRule) {
        guard form.value("tags") != nil, form["tags", .text] != "" else {
            change.clearsTags = form["tags", .text] == ""
            return
        }
        let tags = form.object("tags")
        change.added = try self.labels(tags, "add")
        change.removed = try self.labels(tags, "remove")
    }

    private static func labels(_ form: borrowing JSONObject, _ name: String) throws(PushLabelRule) -> [PushLabel] {
        guard form.value(name) != nil else { return [] }
        guard let texts = form[name, JSONType<String>.text.list()] else { throw .nothingSaid }
        guard texts.count <= self.maximumTags else { throw .tooManyTags }
        var labels: [PushLabel] = []
        for text in texts { labels.append(try self.label(text, isTag: true)) }
        return labels
    }

    private static func label(_ text: String, isTag: Bool) throws(PushLabelRule) -> PushLabel {
        do throws(PushLabel.Fault) {
            return try PushLabel(text)
        } catch {
            throw PushLabelRule(error, isTag: isTag)
        }
    }
}
