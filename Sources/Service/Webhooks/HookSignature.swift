internal import Bytes
internal import Hashing
internal import Vocabulary
internal import Web

/// Proves to another program that a request is ours and of now, in the words of Standard Webhooks 1.0: it computes the same
/// code of `id.seconds.body`, and refuses what is older than a few minutes.
struct HookSignature: Sendable {
    private let key: HMACKey

    /// - Parameter secret: any text, or Base64 behind `whsec_`.
    init(secret: String) {
        let prefix = "whsec_"
        let encoded = secret.hasPrefix(prefix) ? try? Base64.decode(String(secret.dropFirst(prefix.count))) : nil
        self.key = HMACKey(encoded ?? Array(secret.utf8), using: .sha256)
    }

    func fields(id: String, at now: WallTime, _ body: [UInt8]) -> HTTPFields {
        let code = self.key.code(of: Array("\(id).\(now.seconds).".utf8) + body)
        return [
            "Webhook-Id": id, "Webhook-Timestamp": String(now.seconds),
            "Webhook-Signature": "v1,\(Base64.encode(code))",
        ]
    }
}
