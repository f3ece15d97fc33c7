internal import JSON

/// What the device's program is given without being shown.
struct JPushMessage: Hashable {
    let content: String
    let title: String?
    let contentType: String?
    /// A JSON object.
    let extras: [UInt8]?
    let size: Int

    static let maximumBytes = 4000
    private static let names: Set<String> = ["msg_content", "title", "content_type", "extras"]

    init(_ json: [UInt8]) throws(JPushProblem) {
        let object = try JPushObject(json, Self.names, as: "message")
        guard let content = object["msg_content"] else { throw .missing("'msg_content' is missing") }
        // Clients also pass an object, which the device's program is given as its text.
        self.content = JSONType.text.read(proven: content) ?? String(decoding: content, as: UTF8.self)
        self.title = try object.text("title")
        self.contentType = try object.text("content_type")
        self.extras = try object.anyObject("extras")
        self.size = json.count
    }
}
