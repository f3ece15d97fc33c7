package import ICE
package import ICEServers

/// One server to be looked at, over every transport that its URL allows.
package struct SurveyTarget: Hashable, Sendable {
    package let url: ICEServerURL
    /// Where it asks who we are.
    package let account: TURNAccount?
    package let transports: [TURNTransport]

    package init(_ url: ICEServerURL, account: TURNAccount? = nil) {
        self.url = url
        self.account = account
        self.transports =
            switch (url.scheme.isProtected, url.transport) {
            case (false, .udp): [.udp]
            case (false, .tcp): [.tcp]
            case (false, nil): [.udp, .tcp]
            case (true, .udp): [.dtls]
            case (true, .tcp): [.tls]
            case (true, nil): [.tls, .dtls]
            }
    }

    /// Over transports that the URL does not speak of.
    package init(_ url: ICEServerURL, transports: [TURNTransport]) {
        self.url = url
        self.account = nil
        self.transports = transports
    }

    package func port(for transport: TURNTransport) -> UInt16 {
        self.url.port ?? (transport == .tls || transport == .dtls ? 5349 : 3478)
    }
}

extension ICEServerURL.Scheme {
    var isProtected: Bool { self == .stuns || self == .turns }
}
