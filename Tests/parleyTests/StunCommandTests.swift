import Arguments
import Testing

@testable import parley

@Suite("parley stun")
struct StunCommandTests {
    private static func parse(_ words: String...) -> CommandParser.Outcome {
        CommandParser(ParleyCommand.self, environment: [:], readFile: { _ in "" }).parse(["stun"] + words)
    }

    @Test("takes hosts, URLs and a file")
    func takes() throws {
        guard
            case .run(let command, _) = Self.parse(
                "stun.example.org", "[2001:db8::1]:99", "stuns:a", "turn:b?transport=tcp", "--username", "u",
                "--credential", "c", "--ice-servers", "x.json", "--json", "--watch", "--every", "2s", "--lifetime",
                "3m",
                "--best", "y.json", "--insecure")
        else {
            Issue.record("it was not understood")
            return
        }
        let stun = try #require(command as? StunCommand)
        #expect(stun.servers.count == 4 && stun.iceServers == "x.json" && stun.best == "y.json")
        #expect(stun.json && stun.watch && stun.insecure && stun.every == .seconds(2) && stun.lifetime == .seconds(180))
    }

    @Test(
        "refuses what cannot be asked",
        arguments: [
            ([], "name a server"), (["stun://a"], "not a host or a URL"), (["a b"], "not a host or a URL"),
            (["turn:a"], "--username"), (["a", "--username", "u"], "must be given together"),
            (["a", "--lifetime", "2h"], "at most 1h"),
        ] as [([String], String)])
    func refuses(words: [String], reason: String) {
        let parser = CommandParser(ParleyCommand.self, environment: [:], readFile: { _ in "" })
        guard case .refuse(let error) = parser.parse(["stun"] + words) else {
            Issue.record("\(words) was taken")
            return
        }
        #expect(error.description.contains(reason))
    }
}
