/// What both ends agreed on about compression (RFC 7692 §7).
///
/// Neither end ever keeps its window between messages: a connection that waits holds no compressor, and one
/// pair of them serves all connections of a loop.
package struct PerMessageDeflate: Hashable, Sendable {
    private static let name = "permessage-deflate"

    /// The window for what this end compresses: 9 to 15 bits.
    package let windowBits: Int
    private let mentionsWindow: Bool

    /// The value of `Sec-WebSocket-Extensions` in a server's answer.
    package var answer: String {
        let window = self.mentionsWindow ? "; server_max_window_bits=\(self.windowBits)" : ""
        return "\(Self.name); server_no_context_takeover; client_no_context_takeover\(window)"
    }

    /// The value of `Sec-WebSocket-Extensions` in a client's request.
    package static let offer = "\(name); server_no_context_takeover; client_no_context_takeover"

    /// Takes the first offer that can be kept; nil when there is none.
    package static func negotiate(_ fields: HTTPFields) -> PerMessageDeflate? {
        let values = fields.values(of: .webSocketExtensions)
        guard !values.isEmpty, let offers = HTTPListItem.parse(values.joined(separator: ",")) else { return nil }
        for offer in offers {
            guard let parameters = PerMessageDeflateParameters(offer, isOffer: true) else { continue }
            // zlib cannot compress with a raw window of 8 bits.
            guard let bits = parameters.serverWindowBits else {
                return PerMessageDeflate(windowBits: 15, mentionsWindow: false)
            }
            if bits > 8 { return PerMessageDeflate(windowBits: bits, mentionsWindow: true) }
        }
        return nil
    }

    enum Answer: Hashable {
        case declined
        case agreed(PerMessageDeflate)
        case unacceptable
    }

    /// What a server made of `offer`.
    static func read(answer fields: HTTPFields) -> Answer {
        let values = fields.values(of: .webSocketExtensions)
        guard !values.isEmpty else { return .declined }
        guard let items = HTTPListItem.parse(values.joined(separator: ",")), items.count == 1,
            let parameters = PerMessageDeflateParameters(items[0], isOffer: false),
            parameters.serverForgets, !parameters.mentionsClientWindow
        else { return .unacceptable }
        return .agreed(PerMessageDeflate(windowBits: 15, mentionsWindow: false))
    }
}

/// The parameters of one offer or answer, each at most once and none unknown (RFC 7692 §7.1).
private struct PerMessageDeflateParameters {
    var serverForgets = false
    var clientForgets = false
    var serverWindowBits: Int?
    var mentionsClientWindow = false

    init?(_ item: HTTPListItem, isOffer: Bool) {
        guard item.name == "permessage-deflate" else { return nil }
        for parameter in item.parameters {
            guard self.take(parameter, isOffer: isOffer) else { return nil }
        }
    }

    private mutating func take(_ parameter: HTTPListItem.Parameter, isOffer: Bool) -> Bool {
        switch parameter.name {
        case "server_no_context_takeover":
            defer { self.serverForgets = true }
            return parameter.value == nil && !self.serverForgets
        case "client_no_context_takeover":
            defer { self.clientForgets = true }
            return parameter.value == nil && !self.clientForgets
        case "server_max_window_bits":
            guard self.serverWindowBits == nil, let bits = Self.bits(parameter.value) else { return false }
            self.serverWindowBits = bits
            return true
        case "client_max_window_bits":
            defer { self.mentionsClientWindow = true }
            // A client may leave the number out: it then only says that it understands the parameter.
            let isFine = isOffer && parameter.value == nil || Self.bits(parameter.value) != nil
            return isFine && !self.mentionsClientWindow
        default:
            return false
        }
    }

    /// 8 to 15, without leading zeros.
    private static func bits(_ text: String?) -> Int? {
        guard let text, let bits = Int(text), (8...15).contains(bits), String(bits) == text else { return nil }
        return bits
    }
}
