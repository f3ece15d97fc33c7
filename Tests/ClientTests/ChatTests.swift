import Client
import TestSupport
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

    @Test("D05 bring a file in pieces, and are told what the server found in it, or why it does not take it")
    func upload() async throws {
        let ann = try await self.stage.guest("Ann")
        let uploads = await ann.client.uploads()
        let front = Array("GIF89a".utf8)
        let id = try await uploads.begin(front.count + 2, called: "图 1.gif")
        await #expect(throws: ClientError.self) { try await uploads.type(of: id) }
        try await uploads.send(front, at: 0, to: id)
        let refused = await #expect(throws: ClientError.self) { try await uploads.send([1, 0], at: 0, to: id) }
        guard case .refused(let refusal) = refused else { throw try #require(refused) }
        #expect(refusal.code == "wrong_offset")
        try await uploads.send([1, 0], at: front.count, to: id)
        #expect(try await uploads.type(of: id) == "image/gif")
    }

    @Test("A09 A10 hear at once what the other one is called now and looks like")
    func profiles() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        _ = try await bob.client.sync()
        _ = try await ann.client.send(text: "hello", to: .user(bob.signedIn.user))
        let uploads = await ann.client.uploads()
        let picture = Array("GIF89a".utf8) + [8, 0, 8, 0, 0, 0, 0]
        let file = try await uploads.begin(picture.count, called: "me.gif")
        try await uploads.send(picture, at: 0, to: file)
        let changed = try await ann.client.changeProfile(name: DisplayName("Anna"), avatar: file)
        #expect(changed.name == "Anna" && changed.avatar == "/v1/avatars/\(file.text)")
        #expect(try await bob.hears { if case .profile(let profile) = $0 { profile } else { nil } } == changed)
        #expect(try await bob.client.profiles(of: [ann.signedIn.user]) == [changed])
        try await ann.client.removeAvatar()
        #expect(try await ann.client.ownProfile().avatar == nil)
    }

    @Test("D03 D04 are told what becomes of what they say, and it is there once whatever becomes of the line")
    func outgoing() async throws {
        let cable = try self.stage.cable()
        let (ann, bob) = (try await self.stage.guest("Ann", by: cable), try await self.stage.guest("Bob"))
        var states: [OutgoingMessage.State] = []
        for number in 0..<5 {
            let id = try #require(MessageID("m-\(number)"))
            let body = try #require(RawJSON(#"{"text":"\#(number)"}"#))
            ann.client.post(OutgoingMessage(body, to: .user(bob.signedIn.user), as: id))
            cable.cut()
            states.append(
                try await ann.hears { event in
                    if case .outgoing(id, let state) = event, state != .sending { state } else { nil }
                })
        }
        let sent = states.compactMap { if case .sent(let outcome) = $0 { outcome.number } else { nil } }
        #expect(sent == [1, 2, 3, 4, 5])
        let conversation = try #require(try await bob.client.conversations().first?.id)
        let texts = try await bob.client.history(of: conversation).entries.map { $0.body?.text("text") }
        #expect(texts == ["0", "1", "2", "3", "4"])
    }

    @Test("D20 E04 E12 count as the server does, from the newest entries on")
    func inbox() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let team = try await ann.client.createGroup(with: [bob.signedIn.user]).conversation
        for number in 0..<30 { _ = try await ann.client.send(text: "\(number)", to: .conversation(team)) }
        var inbox = Inbox(of: bob.signedIn.user)
        var latest = LatestEntries()
        for piece in try await bob.client.sync(newest: 25) {
            inbox.took(piece.view)
            #expect(latest.took(piece.entries).map(\.number) == Array(7...31) && piece.remaining == 0)
        }
        #expect(inbox.badge == 30)
        let direct = try await ann.client.send(text: "you", to: .user(bob.signedIn.user)).conversation
        _ = try await ann.client.send(text: "live", to: .conversation(team))
        _ = try await ann.client.recall(31, in: team)
        for _ in 0..<3 {
            let entry = try await bob.hears { if case .entry(let entry) = $0 { entry } else { nil } }
            inbox.heard(entry)
            if entry.conversation == team { #expect(latest.added(entry) == .added) }
        }
        #expect(inbox.unread(in: direct) == 1 && inbox.unread(in: team) == 30)
        #expect(latest.entries.map(\.number) == Array(9...33))
        try await bob.client.markRead(31, in: team)
        let receipt = try await bob.hears { if case .receipt(let receipt) = $0 { receipt } else { nil } }
        inbox.heard(receipt)
        #expect(receipt.badge == 2 && inbox.badge == 2 && inbox.unread(in: team) == 1)
    }

    @Test("E04 count as the server does, whatever is said, changed, taken back and read")
    func countsAlways() async throws {
        let (ann, bob) = (try await self.stage.guest("Ann"), try await self.stage.guest("Bob"))
        let team = try await ann.client.createGroup(with: [bob.signedIn.user]).conversation
        let direct = try await ann.client.send(text: "hello", to: .user(bob.signedIn.user)).conversation
        var (inbox, random) = (Inbox(of: bob.signedIn.user), SeededRandom(seed: 20))
        for piece in try await bob.client.sync() { inbox.took(piece.view) }
        var (latest, read): ([ConversationID: UInt64], [ConversationID: UInt64]) = ([team: 1, direct: 1], [:])
        for step in 0..<200 {
            let place = Bool.random(using: &random) ? team : direct
            let number = UInt64.random(in: 1...latest[place, default: 1], using: &random)
            var outcome: ChatOutcome?
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: outcome = try await ann.client.send(text: "\(step)", to: .conversation(place))
            case 5: outcome = try await bob.client.send(text: "\(step)", to: .conversation(place))
            case 6: outcome = try? await ann.client.recall(number, in: place)
            case 7: outcome = try? await bob.client.recall(number, in: place)
            default:
                guard number > read[place, default: 0] else { continue }
                read[place] = number
                try await bob.client.markRead(number, in: place)
                let own = bob.signedIn.user
                inbox.heard(
                    try await bob.hears { if case .receipt(let it) = $0, it.user == own { it } else { nil } })
            }
            if let outcome {
                latest[place] = outcome.number
                let entry = try await bob.hears { if case .entry(let entry) = $0 { entry } else { nil } }
                #expect(entry.number == outcome.number && inbox.heard(entry))
                if entry.from == bob.signedIn.user, entry.type == "message" { read[place] = entry.number }
            }
            let views = try await bob.client.conversations()
            for view in views { try #require(inbox.unread(in: view.id) == view.unread, "step \(step): \(view.json)") }
            try #require(inbox.badge == views.reduce(0) { $0 + $1.unread })
        }
    }
}
