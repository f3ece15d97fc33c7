import Arguments
import Client
import ICE
import ICEServers
import Pathways
import Vocabulary

/// How others are reached.
struct TransportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use the STUN and TURN servers of this file instead of those the server gives.", valueName: "FILE"),
        completion: .file)
    var iceServers: String?

    @Flag(help: "Connect through TURN servers only; the other side learns no address of this machine.")
    var relayOnly = false

    @Option(
        help: ArgumentHelp(
            "Write all packets to a pcapng file, decrypted.", valueName: "FILE"),
        completion: .file)
    var pcap: String?

    /// The servers of the file; nil without one.
    func servers() throws(CommandFailure) -> [AdvisedServer]? {
        guard let path = self.iceServers else { return nil }
        var selection = ICEServerSelection()
        return try StunFile(path).targets(into: &selection).map { AdvisedServer($0.url, account: $0.account) }
    }

    var settings: ICESettings {
        var settings = ICESettings()
        settings.policy = self.relayOnly ? .relay : .all
        return settings
    }
}

extension ICEServerAdvice {
    /// What the server advises, as far as it makes sense.
    var advised: [AdvisedServer] {
        (self.servers.elements ?? []).flatMap { entry -> [AdvisedServer] in
            let urls = entry.list("urls")?.compactMap(\.string) ?? entry.text("urls").map { [$0] } ?? []
            let account = entry.text("username").flatMap { name in
                entry.text("credential").map { TURNAccount(username: name, password: $0) }
            }
            return urls.compactMap { ICEServerURL($0) }.map { AdvisedServer($0, account: account) }
        }
    }
}
