internal import JSON
internal import Keeping

extension PushAudience {
    static let maximumTags = 20
    static let maximumNames = 1000

    private static let kinds: Set<String> = [
        "tag", "tag_and", "tag_not", "alias", "registration_id", "segment", "abtest", "file",
    ]
    private static let notOffered = ["segment", "abtest", "file"]

    /// `"all"`, or an object with sets of which the devices are in all.
    init(jpush json: [UInt8]) throws(JPushProblem) {
        self.init()
        if let word = JSONType.text.read(proven: json) {
            guard word == "all" else { throw .wrong("'audience' must be \"all\" or an object") }
            return
        }
        let object = try JPushObject(json, Self.kinds, as: "audience")
        if let kind = Self.notOffered.first(where: { object[$0] != nil }) { throw .notOffered("'\(kind)'") }
        self.tags = try Self.labels("tag", of: object, maximum: Self.maximumTags)
        self.requiredTags = try Self.labels("tag_and", of: object, maximum: Self.maximumTags)
        self.excludedTags = try Self.labels("tag_not", of: object, maximum: Self.maximumTags)
        self.aliases = try Self.labels("alias", of: object, maximum: Self.maximumNames)
        self.registrations = try Self.registrations(of: object)
        guard !self.isEverybody else { throw .wrong("'audience' chooses nobody: an empty array counts as absent") }
    }

    private static func labels(
        _ name: String, of object: JPushObject, maximum: Int
    ) throws(JPushProblem) -> [PushLabel] {
        var labels: [PushLabel] = []
        for text in try object.texts(name, maximum: maximum) {
            do throws(PushLabel.Fault) {
                labels.append(try PushLabel(text))
            } catch {
                let rule = PushLabelRule(error, isTag: name != "alias")
                throw .wrong("'\(name)' has a value that is not legal: \(rule.words)")
            }
        }
        return labels
    }

    private static func registrations(of object: JPushObject) throws(JPushProblem) -> [RegistrationID] {
        let name = "registration_id"
        var registrations: [RegistrationID] = []
        for text in try object.texts(name, maximum: self.maximumNames) {
            guard let registration = RegistrationID(text) else { throw .wrong("'\(name)' has a value that is none") }
            registrations.append(registration)
        }
        return registrations
    }
}
