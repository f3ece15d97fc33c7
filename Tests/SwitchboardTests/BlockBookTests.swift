import Testing
import Vocabulary

@testable import Switchboard

@Suite("The book of who is blocked")
struct BlockBookTests {
    private let alice: UserID
    private let bob: UserID
    private var book = BlockBook()

    init() throws {
        self.alice = try #require(UserID("alice"))
        self.bob = try #require(UserID("bob"))
    }

    @Test("D23 knows it for as long as somebody has lines")
    mutating func lines() {
        self.book.entered(self.alice, blocking: [self.bob])
        self.book.entered(self.alice, blocking: nil)
        #expect(self.book.has(self.bob, blockedBy: self.alice) && !self.book.has(self.alice, blockedBy: self.bob))
        self.book.left(self.alice)
        #expect(self.book.has(self.bob, blockedBy: self.alice))
        self.book.left(self.alice)
        #expect(self.book.isEmpty && !self.book.has(self.bob, blockedBy: self.alice))
    }

    @Test("D23 follows what its people say meanwhile, and nobody else")
    mutating func changes() {
        self.book.entered(self.alice, blocking: [])
        self.book.changed(self.alice, blocks: self.bob, true)
        self.book.changed(self.bob, blocks: self.alice, true)
        #expect(self.book.has(self.bob, blockedBy: self.alice) && !self.book.has(self.alice, blockedBy: self.bob))
        self.book.changed(self.alice, blocks: self.bob, false)
        #expect(!self.book.has(self.bob, blockedBy: self.alice))
        self.book.entered(self.alice, blocking: [self.bob])
        #expect(self.book.has(self.bob, blockedBy: self.alice))
    }
}
