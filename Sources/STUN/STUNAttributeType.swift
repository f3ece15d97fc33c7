/// The name of an attribute.
package struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    private init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Who does not know it must not go on as if it were not there (RFC 8489 §14).
    package var mustBeUnderstood: Bool { self.rawValue < 0x8000 }
}

// MARK: - STUN (RFC 8489 §18.3)

extension STUNAttributeType {
    package static let mappedAddress = Self(0x0001)
    package static let username = Self(0x0006)
    package static let messageIntegrity = Self(0x0008)
    package static let errorCode = Self(0x0009)
    package static let unknownAttributes = Self(0x000A)
    package static let realm = Self(0x0014)
    package static let nonce = Self(0x0015)
    package static let messageIntegritySHA256 = Self(0x001C)
    package static let passwordAlgorithm = Self(0x001D)
    package static let userHash = Self(0x001E)
    package static let xorMappedAddress = Self(0x0020)
    package static let passwordAlgorithms = Self(0x8002)
    package static let alternateDomain = Self(0x8003)
    package static let software = Self(0x8022)
    package static let alternateServer = Self(0x8023)
    package static let fingerprint = Self(0x8028)
}

// MARK: - TURN (RFC 8656 §18), over TCP (RFC 6062 §6.2), mobile (RFC 8016 §5)

extension STUNAttributeType {
    package static let channelNumber = Self(0x000C)
    package static let lifetime = Self(0x000D)
    package static let xorPeerAddress = Self(0x0012)
    package static let data = Self(0x0013)
    package static let xorRelayedAddress = Self(0x0016)
    package static let requestedAddressFamily = Self(0x0017)
    package static let evenPort = Self(0x0018)
    package static let requestedTransport = Self(0x0019)
    package static let dontFragment = Self(0x001A)
    package static let reservationToken = Self(0x0022)
    package static let connectionID = Self(0x002A)
    package static let additionalAddressFamily = Self(0x8000)
    package static let addressErrorCode = Self(0x8001)
    package static let icmp = Self(0x8004)
    package static let mobilityTicket = Self(0x8030)
}

// MARK: - The behaviour of NATs (RFC 5780 §9.1)

extension STUNAttributeType {
    package static let changeRequest = Self(0x0003)
    package static let padding = Self(0x0026)
    package static let responsePort = Self(0x0027)
    package static let responseOrigin = Self(0x802B)
    package static let otherAddress = Self(0x802C)
}

// MARK: - ICE (RFC 8445 §16.1)

extension STUNAttributeType {
    package static let priority = Self(0x0024)
    package static let useCandidate = Self(0x0025)
    package static let iceControlled = Self(0x8029)
    package static let iceControlling = Self(0x802A)
}
