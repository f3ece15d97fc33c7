internal import Bytes
internal import Hashing
internal import JSON
internal import Keeping
package import Vocabulary

/// Something that a program wants to be pushed later, in its words: the body of `/v3/schedules`.
package struct JPushSchedule {
    let name: String
    let isEnabled: Bool
    let trigger: JPushTrigger
    package let request: JPushRequest
    /// By which the program recognises what it makes twice.
    let cid: String?
    private let object: LooseObject

    private static let names: Set<String> = ["cid", "name", "enabled", "trigger", "push"]
    private static let sections = ["name", "enabled", "trigger", "push"]
    private static let maximumNameBytes = 255

    /// - Parameter old: what it was before; where the program says nothing that stays.
    package init(_ body: [UInt8], over old: JPushSchedule? = nil) throws(JPushProblem) {
        guard let loose = LooseObject(body) else { throw .wrong("the body must be one JSON object") }
        _ = try JPushObject(loose, Self.names)
        var whole = old?.object ?? LooseObject()
        for name in Self.sections { if let json = loose[name] { whole[name] = json } }
        let object = try JPushObject(whole, Self.names)
        guard let name = try object.text("name"), let isEnabled = try object.flag("enabled"),
            let trigger = object["trigger"], let push = object["push"]
        else { throw .missing("'name', 'enabled', 'trigger' and 'push' must be there") }
        guard Self.isLegal(name) else {
            throw .wrong("'name' must have 1 to \(Self.maximumNameBytes) bytes of letters, digits, _ and ideographs")
        }
        self.name = name
        self.isEnabled = isEnabled
        self.trigger = try JPushTrigger(trigger)
        self.request = try JPushRequest(push)
        self.cid = try JPushObject(loose, Self.names).text("cid")
        self.object = whole
    }

    private static func isLegal(_ name: String) -> Bool {
        (1...self.maximumNameBytes).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    }

    package var content: [UInt8] { self.object.json }
    /// The push, as it was said.
    var push: [UInt8] { self.object["push"] ?? [] }

    package func next(after now: WallTime) -> WallTime? { self.isEnabled ? self.trigger.next(after: now) : nil }

    /// The same for the same `cid` of a program.
    func id(of key: String) -> String {
        guard let cid = self.cid else {
            var random = SystemRandomNumberGenerator()
            return UUIDText.make(using: &random)
        }
        return UUIDText.write(Array(Digest.sha256.hash(Array("\(key) \(cid)".utf8)).prefix(16)))
    }
}
