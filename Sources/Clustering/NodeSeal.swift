internal import Bytes
internal import Hashing

/// What proves that text was written by a node with the cluster's secret: HMAC-SHA256, cut to 16 bytes, under a key that follows from it, behind
/// the text.
package struct NodeSeal: Sendable {
    /// Of 32; who guesses needs 2^128 attempts.
    package static let codeBytes = 16
    /// A space and the code in Base64.
    package static let textBytes = 1 + 22

    private let key: HMACKey

    package init(_ key: [UInt8]) { self.key = HMACKey(key, using: .sha256) }

    /// - Parameter channel: where it is said; elsewhere the seal is none.
    package func seal(_ text: String, on channel: String) -> String {
        "\(text) \(Base64.encode(self.code(of: Array(text.utf8).span, on: channel), as: .url))"
    }

    /// The text in front of the seal; nil where it is not sealed, or with another secret.
    package func open(_ sealed: String, on channel: String) -> String? {
        let bytes = Array(sealed.utf8)
        let count = bytes.count - Self.textBytes
        guard count >= 0, bytes[count] == UInt8(ascii: " "),
            let claimed = try? Base64.decode(Array(bytes[(count + 1)...]), as: .url)
        else { return nil }
        let code = self.code(of: bytes.span.extracting(first: count), on: channel)
        return ConstantTime.areEqual(code, claimed) ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Neither of a name of a channel nor of what stands in it can be told apart otherwise.
    private func code(of text: Span<UInt8>, on channel: String) -> [UInt8] {
        self.code(of: Array("\(channel)\n".utf8).span, text)
    }

    func code(of first: Span<UInt8>, _ second: Span<UInt8>) -> [UInt8] {
        let code = self.key.code(of: first, second)
        return (0..<Self.codeBytes).map { code.bytes[$0] }
    }

    func isCode(_ claimed: Span<UInt8>, of first: Span<UInt8>, _ second: Span<UInt8>) -> Bool {
        claimed.count == Self.codeBytes && self.key.code(of: first, second).begins(with: claimed)
    }

    /// A key of its own for one purpose.
    func derived(for purpose: [UInt8]) -> NodeSeal {
        let code = self.key.code(of: purpose)
        return NodeSeal(code)
    }
}
