import BinaryCoding
import Bytes
import Clustering
import Vocabulary

/// Whatever comes over a connection between nodes, or by NOTIFY, without the secret: nothing is believed, nothing traps, and the cuts make no
/// difference.
enum NodeLinkFuzz {
    private struct Said: Equatable {
        var events: [NodeLink.Event] = []
        var answer: [UInt8] = []
        var error: LinkError?
    }

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let whole = self.said(input, pieces: input.pieces(of: 0))
        let cut = self.said(input, pieces: input.pieces(of: Int(input.control & 31) + 1))
        demand(whole == cut, "the cuts made a difference: \(whole) or \(cut)")
        demand(whole.events.isEmpty, "something was believed")
        self.readFrames(input)
        if let message = try? NodeMessage(decoding: input.bytes.span) {
            let again = try? NodeMessage(decoding: message.encoded.span)
            demand(again == message, "a message that is another one when it is written and read")
        }
        let text = String(decoding: input.bytes, as: UTF8.self)
        demand(NodeSeal([1]).open(text, on: "parley") == nil, "a seal that nobody made")
    }

    private static func said(_ input: FuzzInput, pieces: [[UInt8]]) -> Said {
        var dice = Dice(state: 1)
        let (own, peer) = (RandomToken(using: &dice), RandomToken(using: &dice))
        let (seal, nonce) = (NodeSeal([1, 2, 3]), [UInt8](repeating: 7, count: 16))
        var link =
            input.control & 32 == 0
            ? NodeLink(acceptingAs: own, seal, nonce: nonce) : NodeLink(dialing: peer, as: own, seal, nonce: nonce)
        var said = Said()
        for piece in pieces {
            do throws(LinkError) {
                try link.received(piece.span, answer: &said.answer, events: &said.events)
            } catch {
                said.error = error
                break
            }
        }
        return said
    }

    /// All that is read lies in what came, and no more is kept than the limit allows.
    private static func readFrames(_ input: FuzzInput) {
        var reader = LinkFrameReader()
        reader.limit = 512
        var bytes = 0
        for piece in input.pieces(of: Int(input.control & 31) + 1) {
            do throws(LinkError) {
                try reader.read(piece.span) { _, _, body throws(LinkError) in
                    demand(body.count <= 512, "a frame beyond the limit")
                    bytes += 5 + body.count
                }
            } catch {
                return
            }
        }
        demand(bytes <= input.bytes.count, "more was read than came")
    }
}
