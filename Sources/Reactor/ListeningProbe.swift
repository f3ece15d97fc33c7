package import Vocabulary

/// Finds out whether an address could be listened on, and lets it go again.
package enum ListeningProbe {
    package static func attempt(on address: SocketAddress, takesBoth: Bool = false) throws(ReactorError) {
        SystemSocket.close(
            try SystemSocket.bound(to: address, type: SystemSocket.stream, takesBoth: takesBoth, for: .listen))
    }
}
