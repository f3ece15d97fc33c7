internal import JSON
internal import Vocabulary

/// What one of our own clients says of itself when it connects: `{"token","device"?,"recover"?}`. What makes no sense counts
/// as not said.
struct ConnectAuth: Hashable {
    let token: String?
    let device: DeviceID
    /// False from clients that cannot cope with the argument that coming back takes.
    let mayReturn: Bool

    init(parsing json: [UInt8]) {
        let reader = JSONReader(json.span)
        let object = try? reader.document()
        func value(_ name: String) -> JSONValue? { object.flatMap { JSONReader(json.span).member(name, of: $0) } }
        self.token = value("token").flatMap { reader.string($0) }
        self.device = value("device").flatMap { reader.string($0) }.flatMap { DeviceID($0) } ?? .main
        self.mayReturn = value("recover").flatMap { reader.bool($0) } ?? true
    }
}
