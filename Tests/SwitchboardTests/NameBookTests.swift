import Testing
import Vocabulary

@testable import Switchboard

@Suite("The book of names")
struct NameBookTests {
    private let alice = UserID("alice") ?? { preconditionFailure("no user id") }()
    private let first = ProfileSummary(DisplayName("Alice") ?? .nobody)
    private let second = ProfileSummary(DisplayName("Alice B.") ?? .nobody, AvatarLink("/a"))

    @Test("knows what somebody was called when they last came in")
    func latest() {
        var book = NameBook()
        #expect(book[self.alice] == nil)
        book.entered(self.alice, as: self.first)
        book.entered(self.alice, as: self.second)
        #expect(book[self.alice] == self.second)
    }

    @Test("A09 knows what somebody is called from now on, while they are there")
    func changes() {
        var book = NameBook()
        book.changed(self.alice, to: self.second)
        #expect(book.isEmpty)
        book.entered(self.alice, as: self.first)
        book.changed(self.alice, to: self.second)
        #expect(book[self.alice] == self.second)
    }

    @Test("forgets a name with the last line of its user, and not before")
    func forgets() {
        var book = NameBook()
        for _ in 0..<2 { book.entered(self.alice, as: self.first) }
        book.left(self.alice)
        book.forget(self.alice)
        #expect(book[self.alice] == self.first)
        book.left(self.alice)
        #expect(book[self.alice] == self.first)
        book.forget(self.alice)
        #expect(book[self.alice] == nil)
        #expect(book.isEmpty)
    }

    @Test("is empty again after any number of visitors")
    func visitors() throws {
        var book = NameBook()
        for number in 0..<1000 {
            let visitor = try #require(UserID("visitor-\(number)"))
            book.entered(visitor, as: self.first)
            book.left(visitor)
            book.forget(visitor)
        }
        book.left(self.alice)
        book.forget(self.alice)
        #expect(book.isEmpty)
    }
}
