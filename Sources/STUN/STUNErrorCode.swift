/// Why a request was refused, as a number between 300 and 699 (RFC 8489 §14.8).
package struct STUNErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: Int

    package init?(rawValue: Int) {
        guard (300...699).contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let tryAlternate = Self(300)
    package static let badRequest = Self(400)
    package static let unauthenticated = Self(401)
    package static let forbidden = Self(403)
    package static let unknownAttribute = Self(420)
    package static let allocationMismatch = Self(437)
    package static let staleNonce = Self(438)
    package static let addressFamilyNotSupported = Self(440)
    package static let wrongCredentials = Self(441)
    package static let unsupportedTransport = Self(442)
    package static let peerAddressFamilyMismatch = Self(443)
    package static let connectionAlreadyExists = Self(446)
    package static let connectionTimedOut = Self(447)
    package static let allocationQuotaReached = Self(486)
    package static let roleConflict = Self(487)
    package static let serverError = Self(500)
    package static let insufficientCapacity = Self(508)

    package var description: String { String(self.rawValue) }
}
