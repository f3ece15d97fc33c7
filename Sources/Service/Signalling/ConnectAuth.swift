internal import JSON
internal import Vocabulary

/// What one of our own clients says of itself when it connects: `{"token","device"?,"recover"?}`. What makes no sense counts
/// as not said.
struct ConnectAuth: Hashable {
    let token: String?
    let device: DeviceID
    /// Only clients that say so can cope with the argument that coming back takes.
    let mayReturn: Bool
    /// The line that it had before.
    let former: SessionID?
    /// It had a place before, and asks for it.
    let wasHere: Bool

    init(parsing json: [UInt8]) {
        let reader = JSONReader(json.span)
        let auth = JSONObject(found: try? reader.document(), in: reader)
        self.token = auth["token", .text]
        self.device = auth["device", .text].flatMap { DeviceID($0) } ?? .main
        self.mayReturn = auth["recover", .bool] ?? false
        self.former = auth["pid", .text].flatMap { ResumeKey($0) }?.session
        self.wasHere = auth["pid", .text] != nil
    }
}
