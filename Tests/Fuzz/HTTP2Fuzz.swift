import HTTP2
import Web

/// Whatever a server sends after two requests, the session neither traps nor forgets itself.
enum HTTP2Fuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        var limits = HTTP2Session.Limits()
        limits.maximumFieldBytes = 400
        limits.maximumBodyBytes = 300
        limits.maximumFrames = 100
        guard let session = try? HTTP2Session(limits) else { return }
        var open: Set<Int32> = []
        do {
            for body in [[], Array("{}".utf8)] {
                open.insert(try session.send(HTTP2Request(.post, authority: "a", path: "/", body: body)))
            }
            for piece in input.pieces(of: Int(input.control & 63)) {
                for event in try session.receive(piece.span) + session.takeOutput({ _ in }) {
                    demand(open.remove(event.stream) != nil, "an answer came twice, or for nobody")
                }
            }
        } catch {
            return
        }
        demand((0...100).contains(session.room), "there is room for \(session.room)")
    }
}
