import Client
import Testing
import Vocabulary

@Suite("What waits to be read")
struct InboxTests {
    private let (here, there): (ConversationID, ConversationID)
    private var inbox: Inbox

    init() throws {
        self.here = try #require(ConversationID("here"))
        self.there = try #require(ConversationID("there"))
        self.inbox = Inbox(of: try #require(UserID("me")))
        self.inbox.took(try Samples.view("here", last: 5, read: 3, unread: 2))
        self.inbox.took(try Samples.view("there", last: 9, read: 8, unread: 1))
    }

    @Test("D20 in another conversation only raises that one's count")
    func elsewhere() throws {
        var inbox = self.inbox
        inbox.opened(self.here)
        #expect(inbox.elsewhere == (1, 1) && inbox.unread(in: self.here) == 0)
        inbox.heard(try Samples.entry(10, in: "there"))
        inbox.heard(try Samples.entry(6, in: "here"))
        #expect(inbox.unread(in: self.here) == 0 && inbox.unread(in: self.there) == 2)
        inbox.heard(try Samples.entry(1, in: "new"))
        #expect(inbox.elsewhere == (3, 2))
        inbox.opened(nil)
        inbox.heard(try Samples.entry(7, in: "here"))
        #expect(inbox.unread(in: self.here) == 1)
    }

    @Test("E04 is summed up on the badge, which goes down by what was read on whatever device")
    func badge() throws {
        var inbox = self.inbox
        #expect(inbox.badge == 3)
        inbox.heard(try Samples.entry(10, in: "there"))
        #expect(inbox.badge == 4)
        let words = #"{"conversation":"there","user":"me","delivered":9,"read":9,"unread":1,"badge":3}"#
        inbox.heard(try #require(ChatReceipt(Samples.json(words))))
        #expect(inbox.badge == 3 && inbox.unread(in: self.there) == 1)
        let others = #"{"conversation":"there","user":"bob","delivered":10,"read":10}"#
        inbox.heard(try #require(ChatReceipt(Samples.json(others))))
        #expect(inbox.badge == 3, "what others read changes nothing")
    }

    @Test("What waits to be read is counted within limits, whatever numbers a server sends")
    func limits() throws {
        var inbox = self.inbox
        for name in ["here", "there"] { inbox.took(try Samples.view(name, last: 9, read: 0, unread: .max)) }
        inbox.heard(try Samples.entry(10, in: "here"))
        #expect(inbox.badge == 2 * Inbox.maximumUnread)
        inbox.took(try Samples.view("here", last: 9, read: 0, unread: .min))
        #expect(inbox.badge == Inbox.maximumUnread && inbox.elsewhere == (Inbox.maximumUnread, 1))
        for number in 0..<Inbox.maximumConversations { inbox.heard(try Samples.entry(1, in: "c\(number)")) }
        #expect(inbox.elsewhere.conversations == Inbox.maximumConversations - 1)
    }

    @Test("is counted once, not after one's own words, and no more when it is taken back")
    func counts() throws {
        var inbox = self.inbox
        inbox.heard(try Samples.entry(6, in: "here"))
        #expect(!inbox.heard(try Samples.entry(6, in: "here")))
        #expect(inbox.unread(in: self.here) == 3)
        inbox.heard(try Samples.entry(7, in: "here", type: "recalled", target: 6))
        inbox.heard(try Samples.entry(8, in: "here", type: "recalled", target: 3))
        #expect(inbox.unread(in: self.here) == 2, "what was read before does not count twice")
        inbox.heard(try Samples.entry(9, in: "here", type: "joined"))
        #expect(inbox.unread(in: self.here) == 2)
        inbox.heard(try Samples.entry(10, "me", in: "here"))
        #expect(inbox.unread(in: self.here) == 0)
    }
}

@Suite("The newest entries")
struct LatestEntriesTests {
    private func entries(_ numbers: ClosedRange<UInt64>) throws -> [ChatEntry] {
        try numbers.map { try Samples.entry($0) }
    }

    @Test("E12 D19.shown are so many, then what is added live: nothing is missing and nothing comes twice")
    func live() throws {
        var latest = LatestEntries(limit: 25)
        #expect(latest.took(try self.entries(76...100)).count == 25)
        #expect(latest.added(try Samples.entry(100)) == .known)
        for number in UInt64(101)...103 { #expect(latest.added(try Samples.entry(number)) == .added) }
        #expect(latest.entries.map(\.number) == Array(79...103))
        #expect(latest.added(try Samples.entry(105)) == .missing(after: 103))
        #expect(latest.took(try self.entries(102...105)).map(\.number) == [104, 105])
    }

    @Test("E12 begin anew where more was missed than is sent")
    func gap() throws {
        var latest = LatestEntries(limit: 3)
        latest.took(try self.entries(1...3))
        #expect(latest.took(try self.entries(10...12)).count == 3)
        #expect(latest.entries.map(\.number) == [10, 11, 12])
    }
}

@Suite("Entries in runs")
struct SenderRunsTests {
    @Test("E13 name a sender once, until somebody else speaks or something else happens")
    func runs() throws {
        let entries = try [
            Samples.entry(1, "ann"), Samples.entry(2, "ann"), Samples.entry(3, "bob"), Samples.entry(4, "ann"),
            Samples.entry(5, "ann", type: "renamed"), Samples.entry(6, "ann"), Samples.entry(7, "ann"),
        ]
        let runs = SenderRuns(entries).runs
        #expect(runs.map(\.sender.text) == ["ann", "bob", "ann", "ann", "ann"])
        #expect(runs.map { $0.entries.map(\.number) } == [[1, 2], [3], [4], [5], [6, 7]])
        #expect(runs.flatMap(\.entries) == entries, "nothing is lost and the order stays")
        #expect(SenderRuns([]).runs.isEmpty)
    }

    @Test("E13 grow by what comes live")
    func live() throws {
        var runs = SenderRuns(try [Samples.entry(1, "ann")])
        #expect(try !runs.append(Samples.entry(2, "ann")))
        #expect(try runs.append(Samples.entry(3, "bob")))
        #expect(runs.runs.count == 2)
    }
}
