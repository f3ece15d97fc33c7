/// How a peer may be reached, and what others may know of us.
package struct PeerPathSettings {
    package var speaksUDP = true
    /// Where UDP is blocked between two who could reach each other, TCP may not be.
    package var speaksTCP = true
    /// Others may dial us, which costs one more descriptor for each address; without it we only dial.
    package var takesConnections = true
    /// Those that are used together with others; each connection has its own without them.
    package var sockets: SharedSockets?
    package var names = Names.unknown
    /// What is done to all that is sent; nil, as nearly always, for nothing.
    package var impairment: NetworkImpairment?

    /// What `.local` names are to us.
    package enum Names {
        /// Candidates that are names are lost.
        case unknown
        /// Theirs are looked up.
        case known(LocalNames)
        /// And ours are told in the place of addresses. Only who is on the same network learns what they mean.
        case told(LocalNames)
    }

    var resolver: LocalNames? {
        switch self.names {
        case .unknown: nil
        case .known(let names), .told(let names): names
        }
    }

    var publisher: LocalNames? {
        if case .told(let names) = self.names { names } else { nil }
    }

    package init() {}
}
