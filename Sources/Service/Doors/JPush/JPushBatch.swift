internal import JSON

/// Pushes to one device or one alias each: the body of `/v3/push/batch/…/single`.
struct JPushBatch {
    enum Target: String {
        case registration = "registration_id"
        case alias
    }

    /// The body of each push, under its `cid`.
    let pushes: [(cid: String, body: Result<[UInt8], JPushProblem>)]

    static let maximumPushes = 1000
    private static let names: Set<String> = ["platform", "target", "notification", "message", "options", "sms_message"]

    init(_ body: [UInt8], _ target: Target) throws(JPushProblem) {
        guard let list = LooseObject(body)?["pushlist"] else { throw .missing("'pushlist' is missing") }
        let rules = JSONObject.Rules(maximumMembers: Self.maximumPushes)
        guard let object = try? JSONObject(list.span, rules), !object.members.isEmpty else {
            throw .wrong("'pushlist' must be an object with 1 to \(Self.maximumPushes) pushes")
        }
        var pushes: [(cid: String, body: Result<[UInt8], JPushProblem>)] = []
        var known: Set<String> = []
        for member in object.members {
            let cid = object.name(of: member)
            guard known.insert(cid).inserted else { throw .wrong("'pushlist' has a cid twice") }
            pushes.append((cid, Self.push(object.reader.raw(member.value), cid, target)))
        }
        self.pushes = pushes
    }

    /// Like a push of its own.
    private static func push(_ json: [UInt8], _ cid: String, _ target: Target) -> Result<[UInt8], JPushProblem> {
        do throws(JPushProblem) {
            guard var push = LooseObject(json) else { throw .wrong("a push must be an object") }
            _ = try JPushObject(push, Self.names)
            guard let name = push["target"] else { throw .missing("'target' is missing") }
            guard JSONType.text.read(proven: name) != nil else { throw .wrong("'target' must be a text") }
            push["target"] = nil
            push["audience"] = JSONWriter.object { json in
                json.array(target.rawValue) { $0.raw(name) }
            }
            push.set("cid", cid)
            return .success(push.json)
        } catch {
            return .failure(error)
        }
    }
}
