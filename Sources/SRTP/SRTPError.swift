internal import CSRTP

/// Why a packet could not be protected, or is not to be believed.
package struct SRTPError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// It is not authentic.
        case forged
        /// It was there before, or is too old to tell.
        case replayed
        /// It is no packet of its kind.
        case malformed
        /// The trailer does not fit behind it.
        case noRoom
        /// More senders than one call has.
        case tooManySources
        /// So much was sent under this key that it must not be used any more.
        case keyExpired
        /// What libsrtp says and should not.
        case failed(Int)
    }

    package let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }

    init(_ status: srtp_err_status_t) {
        switch status {
        case srtp_err_status_auth_fail: self.reason = .forged
        case srtp_err_status_replay_fail, srtp_err_status_replay_old: self.reason = .replayed
        case srtp_err_status_bad_param, srtp_err_status_parse_err: self.reason = .malformed
        case srtp_err_status_key_expired: self.reason = .keyExpired
        default: self.reason = .failed(Int(status.rawValue))
        }
    }

    package var description: String {
        switch self.reason {
        case .forged: "SRTP: not written by the other side"
        case .replayed: "SRTP: seen before, or too old"
        case .malformed: "SRTP: not a packet"
        case .noRoom: "SRTP: no room for the trailer"
        case .tooManySources: "SRTP: too many senders"
        case .keyExpired: "SRTP: the key is used up"
        case .failed(let code): "SRTP: libsrtp answers \(code)"
        }
    }
}
