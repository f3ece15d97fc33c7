import Keeping
import Testing
import Vocabulary

@testable import Switchboard

@Suite("An audience")
struct AudienceTests {
    private final class Ear: ChatListener {
        let user: UserID

        init(_ user: UserID) { self.user = user }

        func hear(_ news: ChatNews) {}
    }

    private let kitchen: ConversationID
    private let hall: ConversationID
    private let ann: UserID
    private let bob: UserID

    init() throws {
        self.kitchen = try #require(ConversationID("kitchen"))
        self.hall = try #require(ConversationID("hall"))
        self.ann = try #require(UserID("ann"))
        self.bob = try #require(UserID("bob"))
    }

    private func head(_ id: ConversationID) -> ConversationHead { ConversationHead(id, 0) }

    private func names(_ audience: Audience, _ id: ConversationID) -> Set<UserID> {
        Set(audience.listeners(to: id).map(\.user))
    }

    @Test("F03 hears of what its members are in, and of nothing else")
    func members() {
        var audience = Audience()
        let (ann, bob) = (Ear(self.ann), Ear(self.bob))
        audience.add(ann, to: [self.head(self.kitchen), self.head(self.hall)])
        audience.add(bob, to: [self.head(self.hall)])
        #expect(self.names(audience, self.kitchen) == [self.ann])
        #expect(self.names(audience, self.hall) == [self.ann, self.bob])
        #expect(audience.hears(ann, self.kitchen) && !audience.hears(bob, self.kitchen))
    }

    @Test("F01 follows who comes and who goes, on all their lines")
    func movements() {
        var audience = Audience()
        let (phone, page) = (Ear(self.bob), Ear(self.bob))
        for ear in [phone, page] { audience.add(ear, to: []) }
        audience.came(self.bob, to: self.head(self.kitchen))
        audience.came(self.bob, to: self.head(self.kitchen))
        #expect(audience.listeners(to: self.kitchen).map { ObjectIdentifier($0) }.count == 2)
        audience.came(self.ann, to: self.head(self.kitchen))
        #expect(self.names(audience, self.kitchen) == [self.bob])
        audience.went(self.bob, from: ConversationHead(self.kitchen, 1))
        #expect(self.names(audience, self.kitchen) == [])
        #expect(audience.count == 2)
    }

    @Test("Y02 tells who comes again nothing that they heard before they went, however far back they are let in")
    func comingAgain() {
        var audience = Audience()
        let ear = Ear(self.bob)
        audience.add(ear, to: [self.head(self.kitchen), self.head(self.hall)])
        audience.went(self.bob, from: ConversationHead(self.kitchen, 11))
        audience.went(self.bob, from: ConversationHead(self.hall, .max), heard: 7)
        audience.came(self.bob, to: ConversationHead(self.kitchen, 9), isEstimate: true)
        audience.came(self.bob, to: self.head(self.hall), isEstimate: true)
        let hears = { (id: ConversationID, number: UInt64) in
            audience.listeners(to: ConversationHead(id, number)).contains { _ in true }
        }
        #expect(!hears(self.kitchen, 11) && hears(self.kitchen, 12) && !hears(self.hall, 7) && hears(self.hall, 8))
        audience.went(self.bob, from: ConversationHead(self.kitchen, 20))
        audience.came(self.bob, to: ConversationHead(self.kitchen, 30), isEstimate: true)
        #expect(!hears(self.kitchen, 30) && hears(self.kitchen, 31))
        audience.went(self.bob, from: ConversationHead(self.hall, 20))
        audience.came(self.bob, to: ConversationHead(self.hall, 9))
        #expect(!hears(self.hall, 9) && hears(self.hall, 10), "the entry that brings one in says where it is")
    }

    @Test("remembers of a thousand conversations how far they were heard, and forgets one for each that is left beyond")
    func bound() throws {
        var audience = Audience()
        audience.add(Ear(self.bob), to: [])
        let ids = try (0..<1_001).map { try #require(ConversationID("c\($0)")) }
        for id in ids {
            audience.came(self.bob, to: self.head(id))
            audience.went(self.bob, from: ConversationHead(id, 5))
        }
        for id in ids { audience.came(self.bob, to: self.head(id), isEstimate: true) }
        let forgotten = ids.filter { audience.listeners(to: ConversationHead($0, 5)).contains { _ in true } }
        #expect(forgotten.count == 1)
    }

    @Test("forgets a listener as a whole, and takes it once however often it comes")
    func leaving() {
        var audience = Audience()
        let ear = Ear(self.ann)
        audience.add(ear, to: [self.head(self.kitchen)])
        audience.add(ear, to: [self.head(self.hall)])
        #expect(self.names(audience, self.kitchen) == [])
        audience.remove(ear)
        audience.remove(ear)
        audience.came(self.ann, to: self.head(self.kitchen))
        #expect(
            audience.count == 0 && self.names(audience, self.hall) == [] && self.names(audience, self.kitchen) == [])
    }
}
