/// What is wrong in `ice-servers.json`, and where: `iceServers[1].urls[0]`.
package struct ICEServerFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Problem: Hashable, Sendable {
        case unreadable(String)
        case tooLarge
        case notJSON(offset: Int)
        case wrongKind(wanted: String)
        case missing(String)
        case unknownMember
        case duplicatedMember
        case tooMany(limit: Int)
        case noURL
        case wrongURL
        /// A TURN server wants `username` and `credential`, or `secret`.
        case noCredentials
        /// `secret` makes names and passwords; one beside it has no meaning.
        case credentialsBesideSecret
        /// A STUN server takes no credentials.
        case uselessCredentials
        case empty
        case noSuchVariable(String)
        case lifeOutOfRange
    }

    /// The place inside of the file; empty for the whole.
    package let path: String
    package let problem: Problem

    init(_ problem: Problem, at path: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { self.path.isEmpty ? self.words : "\(self.path): \(self.words)" }

    private var words: String {
        switch self.problem {
        case .unreadable(let reason): "the file cannot be read: \(reason)"
        case .tooLarge: "the file is larger than \(ICEServerList.maximumBytes) bytes"
        case .notJSON(let offset): "the file is no JSON from byte \(offset) on"
        case .wrongKind(let wanted): "this should be \(wanted)"
        case .missing(let name): "\"\(name)\" is missing"
        case .unknownMember: "unknown member"
        case .duplicatedMember: "this stands here twice"
        case .tooMany(let limit): "these are more than \(limit)"
        case .noURL: "there is no URL"
        case .wrongURL: "this is no URL of a STUN or TURN server (stun:host:port, turn:host:port?transport=udp)"
        case .noCredentials: "a TURN server needs \"username\" and \"credential\", or \"secret\""
        case .credentialsBesideSecret: "\"secret\" makes the name and password itself; take these out"
        case .uselessCredentials: "a STUN server takes no credentials"
        case .empty: "this is empty"
        case .noSuchVariable(let name): "there is no environment variable \(name)"
        case .lifeOutOfRange: "this should be a whole number of seconds from 60 to 600"
        }
    }
}
