internal import COpenSSL

/// A key, a certificate or a handshake that did not work out.
package struct SecureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done, in words for the person who runs the server.
    package let attempt: String
    /// What OpenSSL said, the last thing first; empty when it said nothing.
    package let reasons: [String]

    /// Takes over what OpenSSL has queued up for this thread.
    init(_ attempt: String) {
        self.attempt = attempt
        self.reasons = Self.drainQueue()
    }

    /// OpenSSL says of a file only that some library of its own could not.
    init(_ attempt: String, ofFile path: String) {
        self.attempt = attempt
        let said = Self.drainQueue()
        switch said.last {
        case "system lib", "no such file": self.reasons = ["no such file, or it may not be read"]
        case "PEM lib", "no start line": self.reasons = ["this is not a PEM file ('-----BEGIN …')"]
        default: self.reasons = said
        }
    }

    package init(_ attempt: String, reason: String) {
        self.attempt = attempt
        self.reasons = [reason]
    }

    package var description: String {
        guard let reason = self.reasons.last else { return "\(self.attempt) failed" }
        return "\(self.attempt): \(reason)"
    }

    private static func drainQueue() -> [String] {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            guard let text = unsafe ERR_reason_error_string(code) else { continue }
            reasons.append(unsafe String(cString: text))
        }
        return reasons
    }
}
