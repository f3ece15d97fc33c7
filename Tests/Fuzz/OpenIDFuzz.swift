import Identity
import Secure
import Vocabulary
import Web

/// What an OpenID provider and the browser between us send: each is refused, or it keeps its promises.
enum OpenIDFuzz {
    private static let issuer = "https://id.example"
    private static let key = Array("what only the server knows, 40 bytes or so".utf8)
    private static let now = WallTime(seconds: 1_700_000_000)

    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let text = String(decoding: input.bytes, as: UTF8.self)
        switch input.control % 5 {
        case 0:
            guard let found = try? OpenIDDiscovery(parsing: input.bytes, issuer: self.issuer) else { return }
            let places = [found.authorizationEndpoint, found.tokenEndpoint, found.keySetURL]
            demand(places.allSatisfy { $0.hasPrefix("https://") }, "an endpoint without TLS")
        case 1:
            guard let keys = (try? JSONWebKeySet(parsing: input.bytes))?.keys else { return }
            demand((1...JSONWebKeySet.maximumKeys).contains(keys.count), "too many keys, or none")
            demand(keys.allSatisfy { $0.algorithm == .es256 || $0.algorithm == .rs256 }, "a key of another kind")
        case 2: demand(SignInTicket(opening: text, with: self.key, at: self.now) == nil, "a ticket was forged")
        case 3:
            let words = OpenIDExchange.shown(text, text)
            demand(words.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "words that cannot be written down")
            let way = SignInTicket(redirectURL: "", returnPath: text, at: self.now).returnPath(saying: "a")
            demand(way.hasPrefix("/") && !way.hasPrefix("//") && !way.hasPrefix("/\\"), "a way out of the server")
        default: _ = try? OpenIDExchange.idToken(in: input.bytes, status: .ok)
        }
    }
}
