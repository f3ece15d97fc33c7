internal import Sessions

/// What a session carries: Socket.IO, or an echo for the conformance suite.
protocol EngineLayer: AnyObject {
    /// Whether anybody may send what they like from the beginning, or has to be let in first.
    var isOpenToAll: Bool { get }
    /// The session has begun; the opening is on its way.
    func opened(on link: EngineLink)
    /// A message came. False when it makes no sense, which ends the session.
    func received(_ message: Span<UInt8>, isText: Bool, on link: EngineLink) -> Bool
    /// A ping went out behind everything sent so far, and came back.
    func pinged()
    func ponged()
    func ended(_ reason: EngineEnd)
}

extension EngineLayer {
    var isOpenToAll: Bool { false }
    func pinged() {}
    func ponged() {}
    func ended(_ reason: EngineEnd) {}
}
