import Client
import Testing
import Vocabulary

@Suite("Two clients who write to each other", .timeLimit(.minutes(1)))
struct ChatTests {
    private let stage: Stage

    init() throws {
        self.stage = try Stage()
    }

    @Test("D01 E10 G01 hear what is said, who types, and who has read it")
    func talk() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        for person in [ann, bob] { _ = try await person.client.sync() }
        let outcome = try await ann.client.send(text: "你好", to: .user(bob.signedIn.user))
        let entry = try await bob.hears { if case .entry(let entry) = $0 { entry } else { nil } }
        #expect(entry.number == outcome.number && entry.id == outcome.id && entry.body?.text("text") == "你好")
        try await bob.client.typing(true, in: entry.conversation)
        let typing = try await ann.hears { if case .typing(let typing) = $0 { typing } else { nil } }
        #expect(typing.user == bob.signedIn.user && typing.isOn)
        #expect(try await bob.client.markRead(entry.number, in: entry.conversation) == 0)
        let receipt = try await ann.hears { if case .receipt(let receipt) = $0 { receipt } else { nil } }
        #expect(receipt.read == 1)
        _ = try await ann.client.recall(1, in: entry.conversation)
        #expect(try await bob.client.history(of: entry.conversation).entries.first?.isRecalled == true)
    }

    @Test("D04 E09 find once what was said twice while they were away, with the same number")
    func away() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let id = MessageID("m-1")
        let target = ChatTarget.user(bob.signedIn.user)
        let first = try await ann.client.send(text: "once", to: target, as: id)
        #expect(try await ann.client.send(text: "once", to: target, as: id) == first)
        let missed = try await bob.client.sync()
        #expect(missed.map(\.entries.count) == [1] && missed.first?.view.unread == 1)
        #expect(try await bob.client.search("once").entries.map(\.number) == [1])
        let group = try await bob.client.createGroup(titled: DisplayName("Team"), with: [ann.signedIn.user])
        #expect(Set(try await ann.client.conversations().map(\.id)) == [group.conversation, first.conversation])
    }
}
