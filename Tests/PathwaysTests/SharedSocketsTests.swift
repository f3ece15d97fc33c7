import Pathways
import Reactor
import Testing
import Vocabulary

@Suite("A socket for many", .timeLimit(.minutes(1)))
struct SharedSocketsTests {
    private static func expectOwnWords(_ outcome: SharedTable.Outcome) {
        #expect(outcome.ending == "heard")
        for (index, heard) in outcome.heard.enumerated() { #expect(heard == ["\(index) by \(index)"]) }
    }

    @Test("J09 carries calls that are told apart")
    func shared() async throws {
        let outcome = try await SharedTable.play(SharedTable.Wishes(pairs: 8))
        Self.expectOwnWords(outcome)
        #expect(Set(outcome.remotes).count == 1)
    }

    @Test("J09 has so many seats, and then there is another one")
    func seats() async throws {
        let outcome = try await SharedTable.play(SharedTable.Wishes(pairs: 65))
        Self.expectOwnWords(outcome)
        #expect(Set(outcome.remotes).count == 2)
    }

    @Test("J09 is left to the first of those whose peers are at one address")
    func crowded() async throws {
        let outcome = try await SharedTable.play(SharedTable.Wishes(pairs: 3, callersShare: true))
        Self.expectOwnWords(outcome)
        #expect(Set(outcome.remotes).count == 3)
    }

    @Test("J09 knows its people by their new names after a restart")
    func restarts() async throws {
        let outcome = try await SharedTable.play(SharedTable.Wishes(restarts: true))
        Self.expectOwnWords(outcome)
        #expect(Set(outcome.remotes).count == 1)
    }
}

@Suite("Who follows the addresses of a machine")
struct InterfaceWatchTests {
    private final class Follower: InterfaceFollower {
        var seen: [IPAddress] = []
        func addressesAre(_ addresses: [InterfaceAddress]) { self.seen = addresses.map(\.ip) }
    }

    @Test("J09 hears at once what is known, and nobody looks for each alone")
    func shared() async throws {
        let group = try EventLoopGroup(count: 1)
        defer { group.shutDown() }
        let (looks, seen) = await withCheckedContinuation { continuation in
            group.loops[0].execute { reactor in
                var looks = 0
                let watch = InterfaceWatch(on: reactor, every: .seconds(60)) {
                    looks += 1
                    return [InterfaceAddress(.loopback, on: "lo", index: 1)]
                }
                let followers = [Follower(), Follower(), Follower()]
                for follower in followers { watch.add(follower) }
                for follower in followers { watch.remove(follower) }
                continuation.resume(returning: (looks, followers.map(\.seen)))
            }
        }
        #expect(looks == 1)
        #expect(seen == [[.loopback], [.loopback], [.loopback]])
    }
}
