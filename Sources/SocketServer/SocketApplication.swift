internal import Bytes
package import HTTPServer
internal import JSON
internal import SocketIO
package import Vocabulary

/// What stands behind the sockets of one loop: it is asked who may come in and told what they say. Always called on
/// the loop.
package protocol SocketApplication: AnyObject {
    /// A client wants to connect to a namespace. Answer now or later, once, through `arrival`.
    func arrived(_ arrival: SocketArrival)
    /// A socket that was let in before, and whose link broke, is back with everything it missed. Answer whether it
    /// may still come in: bans, tokens and memberships may have changed. Nil lets it in.
    func mayReturn(_ socket: Socket, _ arrival: SocketArrival) -> String?
    /// A request of a session that is not here. True when another node answers it.
    func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool
    /// A new session over Engine.IO 3. True when another node answers it: old clients are together on one.
    func forwardOldClient(_ exchange: HTTPExchange) -> Bool
    /// A client shows the key of a place that is not kept here. True when another node is asked for it: `answer` is called later,
    /// with nil when there is none.
    func fetchPlace(_ key: ResumeKey, _ answer: @escaping (HandedPlace?) -> Void) -> Bool
    /// The place was handed over to this node. Answer whether its client may come in; nil lets it in.
    func tookOver(_ socket: Socket, _ place: HandedPlace, _ arrival: SocketArrival) -> String?
    /// The event's bytes are lent for the time of the call.
    func received(_ event: SocketEvent, _ bytes: Span<UInt8>, from socket: Socket)
    /// The link is lost, or nothing was heard over it for too long; the socket may still come back, and what is sent
    /// to it is kept until then.
    func lost(_ socket: Socket, fellSilent: Bool)
    /// The link is there again.
    func returned(_ socket: Socket)
    /// The last call for this socket.
    func left(_ socket: Socket, _ end: SocketEnd)
}

extension SocketApplication {
    package func mayReturn(_ socket: Socket, _ arrival: SocketArrival) -> String? { nil }
    package func forward(_ exchange: HTTPExchange, of session: SessionID) -> Bool { false }
    package func forwardOldClient(_ exchange: HTTPExchange) -> Bool { false }
    package func fetchPlace(_ key: ResumeKey, _ answer: @escaping (HandedPlace?) -> Void) -> Bool { false }
    package func tookOver(_ socket: Socket, _ place: HandedPlace, _ arrival: SocketArrival) -> String? { nil }
    package func lost(_ socket: Socket, fellSilent: Bool) {}
    package func returned(_ socket: Socket) {}
}

/// How a socket came to its end.
package enum SocketEnd: Hashable, Sendable {
    /// The client went on purpose.
    case saidGoodbye
    /// We sent it away.
    case sentAway
    /// The line broke and its client did not come back for it, or could not have.
    case lineLost
}

/// An event as it came. Its ranges point into the bytes that come along.
package struct SocketEvent {
    /// With the quotes around it.
    package let name: Range<Int>
    /// Without the brackets and without the name: what is relayed goes on as these very bytes.
    package let arguments: Range<Int>
    package let argumentCount: Int
    /// The client waits for an answer to this.
    package let ackID: Int?
    package let attachments: [[UInt8]]
    /// Where each attachment is meant among the arguments, by its number.
    package let placeholders: [Range<Int>]
}

/// JSON for an argument, and the attachments that its placeholders mean.
package struct BinaryJSON {
    package let json: [UInt8]
    package let attachments: [[UInt8]]

    package init(json: [UInt8], attachments: [[UInt8]] = []) {
        self.json = json
        self.attachments = attachments
    }

    package var byteCount: Int { self.attachments.reduce(self.json.count) { $0 + $1.count } }
}

extension SocketEvent {
    /// A part of the arguments by itself: its attachments are numbered from 0.
    package func extract(_ range: Range<Int>, of bytes: Span<UInt8>) -> BinaryJSON {
        let numbers = self.placeholders.indices.filter { range.contains(self.placeholders[$0].lowerBound) }
        var json: [UInt8] = []
        var start = range.lowerBound
        let byPlace = numbers.enumerated().sorted {
            self.placeholders[$0.element].lowerBound < self.placeholders[$1.element].lowerBound
        }
        for (number, old) in byPlace {
            let place = self.placeholders[old]
            json += [UInt8](copying: bytes.extracting(start..<place.lowerBound))
            json += JSONWriter.bytes { $0.placeholder(number) }
            start = place.upperBound
        }
        json += [UInt8](copying: bytes.extracting(start..<range.upperBound))
        return BinaryJSON(json: json, attachments: numbers.map { self.attachments[$0] })
    }
}
