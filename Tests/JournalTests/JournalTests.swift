import Journal
import Testing

extension LogName {
    fileprivate static let tried = LogName("test.tried")
    fileprivate static let other = LogName("test.other")
}

@Suite("A journal")
struct JournalTests {
    let recorder = JournalRecorder()

    @Test("writes down its own level and what matters more", arguments: LogLevel.allCases)
    func levels(threshold: LogLevel) {
        let journal = Journal(level: threshold, sink: self.recorder)
        for level in LogLevel.allCases { journal.log(level, .tried, "Tried") }
        #expect(self.recorder.events.map(\.level) == LogLevel.allCases.filter { $0 >= threshold })
        #expect(journal.listens(at: threshold))
    }

    @Test("has a word for each level")
    func words() {
        let journal = Journal(level: .trace, sink: self.recorder)
        journal.trace(.tried, "Tried")
        journal.debug(.tried, "Tried")
        journal.info(.tried, "Tried")
        journal.notice(.tried, "Tried")
        journal.warning(.tried, "Tried")
        journal.error(.tried, "Tried")
        journal.critical(.tried, "Tried")
        #expect(self.recorder.events.map(\.level) == LogLevel.allCases)
        #expect(LogLevel.allCases.allSatisfy { LogLevel(name: $0.name.description) == $0 })
        #expect(LogLevel(name: "loud") == nil)
    }

    @Test("does not compute the fields of what nobody reads")
    func laziness() {
        var computed = 0
        func count() -> LogValue {
            computed += 1
            return 1
        }
        let journal = Journal(level: .info, sink: self.recorder)
        journal.debug(.tried, "Tried", [.count: count()])
        Journal.silent.critical(.tried, "Tried", [.count: count()])
        #expect(computed == 0 && self.recorder.events.isEmpty)
        journal.info(.tried, "Tried", [.count: count()])
        #expect(computed == 1)
    }

    @Test("lets an event's own field stand before the one it carries everywhere")
    func standingFields() throws {
        let journal = Journal(sink: self.recorder).with([.connection: 7, .room: "a"]).with([.peer: "x"])
        journal.info(.tried, "Tried", [.room: "b", .count: 1])
        let event = try #require(self.recorder.events.first)
        #expect(event.fields.map(\.key) == [.connection, .room, .peer, .count])
        #expect(event[.room] == "b" && event[.connection] == 7 && event[.user] == nil)
    }

    @Test("is found again by name")
    func names() {
        let journal = Journal(sink: self.recorder)
        journal.info(.tried, "Tried")
        journal.info(.other, "Something else")
        #expect(self.recorder.events(named: .other).count == 1)
    }

    @Test("loses nothing when many threads write")
    func threads() async {
        let journal = Journal(sink: self.recorder)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for count in 0..<500 { journal.info(.tried, "Tried", [.count: .integer(writer * 500 + count)]) }
                }
            }
        }
        let values = Set(self.recorder.events.compactMap { $0[.count] })
        #expect(values.count == 4000)
    }
}

@Suite("Something private")
struct PrivateTests {
    let name = Private("Anna Müller")

    @Test("does not print, interpolate, dump or reflect")
    func silence() {
        var dumped = ""
        dump(self.name, to: &dumped)
        let texts = [
            "\(self.name)", String(reflecting: self.name), String(describing: [self.name]), dumped,
            "\(Optional(self.name) as Any)",
        ]
        for text in texts { #expect(!text.contains("Anna")) }
        #expect(self.name.exposed == "Anna Müller")
    }

    @Test("shows a stand-in in both formats, and itself only where that is asked for", arguments: [true, false])
    func reveal(inJSON: Bool) {
        let style: LogFormat.Style = inJSON ? .json : .text(colours: false)
        let event = event([.user: .private(self.name)])
        #expect(!LogFormat(style).line(of: event).contains("Anna"))
        #expect(LogFormat(style).line(of: event).contains("private:"))
        #expect(LogFormat(style, revealsPrivate: true).line(of: event).contains("Anna Müller"))
    }

    @Test("has the same stand-in as its equal and another one than its neighbour")
    func standIn() {
        let format = LogFormat(.json)
        let anna = format.line(of: event([.user: .private("Anna")]))
        #expect(anna == format.line(of: event([.user: .private(Private("Anna"))])))
        #expect(anna != format.line(of: event([.user: .private("Berta")])))
    }

    private func event(_ fields: KeyValuePairs<LogKey, LogValue>) -> LogEvent { recorded(fields) }
}

/// What a journal made of these fields, at a time that is always the same.
func recorded(
    _ fields: KeyValuePairs<LogKey, LogValue>,
    at time: LogTime = LogTime(secondsSince1970: 1_795_158_181, milliseconds: 7)
) -> LogEvent {
    let recorder = JournalRecorder()
    Journal(sink: recorder, now: { time }).info(.tried, "Tried it", fields)
    return recorder.events[0]
}
