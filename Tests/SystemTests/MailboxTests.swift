import System
import Testing

@Suite("A mailbox")
struct MailboxTests {
    @Test("hands out what came in its order, and nothing after its end")
    func order() throws {
        let mailbox = Mailbox<Int>(limit: 3)
        for number in 0..<3 { try mailbox.post(number) }
        #expect(throws: Mailbox<Int>.Refusal.full) { try mailbox.post(3) }
        #expect(mailbox.takeAll() == [0, 1, 2])
        try mailbox.post(4)
        mailbox.close()
        #expect(throws: Mailbox<Int>.Refusal.closed) { try mailbox.post(5) }
        #expect(mailbox.takeAll() == [4])
        #expect(mailbox.takeAll() == nil)
    }

    @Test("hands out nothing after a timeout, and what has come before it")
    func timeout() throws {
        let mailbox = Mailbox<Int>(limit: 3)
        #expect(mailbox.takeAll(timeout: .milliseconds(1)) == [])
        try mailbox.post(1)
        #expect(mailbox.takeAll(timeout: .seconds(60)) == [1])
        mailbox.close()
        #expect(mailbox.takeAll(timeout: .seconds(60)) == nil)
    }
}
