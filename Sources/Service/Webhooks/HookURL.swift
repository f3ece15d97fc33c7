internal import Client

/// Where another program listens. Only the person who runs the server says so, never a client.
package struct HookURL: Hashable, Sendable, CustomStringConvertible {
    let server: ServerURL
    let target: String

    /// `http://` or `https://`, a host, and perhaps a path with a query.
    package init?(_ text: String) {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let start = text[scheme.upperBound...].firstIndex { "/?".contains($0) } ?? text.endIndex
        guard let server = ServerURL(String(text[..<start])) else { return nil }
        let rest = String(text[start...])
        guard rest.utf8.count <= 2048, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { return nil }
        self.server = server
        self.target = rest.hasPrefix("/") ? rest : "/\(rest)"
    }

    package var description: String { "\(self.server)\(self.target)" }
}

/// Other programs that want to hear of what is said, or to have a say in it.
package struct HookSettings: Sendable {
    /// What becomes of a message when the one who was asked says nothing in time.
    package enum Silence: String, Hashable, Sendable, CaseIterable {
        case allow, refuse
    }

    /// Hears of every entry once it is on the disk.
    package var webhook: HookURL?
    /// Is asked before something is said.
    package var preSend: HookURL?
    /// What every request is signed with.
    package var secret = ""
    package var deliveryTime = Duration.seconds(10)
    package var preSendTime = Duration.seconds(1)
    package var preSendSilence = Silence.allow

    package init() {}
}
