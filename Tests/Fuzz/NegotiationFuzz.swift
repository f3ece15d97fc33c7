import Negotiating
import SDP

/// Whatever the other side describes, and whenever: what is taken has an answer that can be read, and what is not leaves
/// everything as it was.
enum NegotiationFuzz {
    private static let transport = LocalTransport(
        usernameFragment: "frag", password: "0123456789012345678901",
        fingerprint: Array(repeating: "AB", count: 32).joined(separator: ":"))

    @Sendable static func run(_ bytes: [UInt8]) {
        let input = FuzzInput(bytes)
        let text = String(decoding: input.bytes, as: UTF8.self)
        var side = Negotiation(Negotiation.Settings(canonicalName: "fuzz"), random: Dice(state: 1))
        if input.control & 1 != 0 { side.add() }
        if input.control & 2 != 0 { side.add(.audio, .sendOnly) }
        if input.control & 4 != 0 {
            _ = try? side.createOffer(self.transport)
            try? side.setLocal(.offer)
            try? side.setRemote(.answer, text)
        } else {
            self.answer(text, &side)
            self.answer(text, &side)
        }
        guard side.state == .stable else { return }
        let offer = try? side.createOffer(self.transport)
        demand((try? side.setLocal(.offer)) != nil && offer != nil, "there is no offer after \(text)")
    }

    private static func answer(_ offer: String, _ side: inout Negotiation) {
        let before = side.state
        guard (try? side.setRemote(.offer, offer)) != nil else {
            demand(side.state == before, "a refused offer has left its mark")
            return
        }
        guard let answer = try? side.createAnswer(self.transport) else { return demand(false, "there is no answer") }
        demand((try? SDPDescription(parsing: answer.text)) == answer, "the answer reads as another one")
        demand(answer.media.count == side.remoteDescription?.media.count, "the answer has other sections")
        try? side.setLocal(.answer)
    }
}
