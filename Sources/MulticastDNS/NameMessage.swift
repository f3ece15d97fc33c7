package import Bytes
package import Vocabulary

/// A message of multicast DNS, as far as it is about the addresses of hosts (RFC 6762, RFC 1035 §4). What else is in one
/// is passed over.
package struct NameMessage: Hashable, Sendable {
    package struct Question: Hashable, Sendable {
        package let name: HostName
        package let wanted: Wanted

        package init(_ name: HostName, _ wanted: Wanted) {
            self.name = name
            self.wanted = wanted
        }
    }

    /// Which addresses a question asks for.
    package enum Wanted: UInt16, Hashable, Sendable, CaseIterable {
        case v4 = 1
        case v6 = 28
        case any = 255

        package func includes(_ ip: IPAddress) -> Bool {
            switch (self, ip) {
            case (.any, _), (.v4, .v4), (.v6, .v6): true
            case (.v4, .v6), (.v6, .v4): false
            }
        }
    }

    package struct Answer: Hashable, Sendable {
        package let name: HostName
        package let ip: IPAddress
        /// In seconds; none says that it is over (RFC 6762 §10.1).
        package let lifetime: UInt32
        /// There is no other answer, and what was known before is wrong (§10.2).
        package let isAll: Bool

        package init(_ name: HostName, _ ip: IPAddress, lifetime: UInt32, isAll: Bool) {
            self.name = name
            self.ip = ip
            self.lifetime = lifetime
            self.isAll = isAll
        }
    }

    /// Nothing but 0, unless it comes from a legacy unicast resolver (§18.1).
    package let id: UInt16
    package let isResponse: Bool
    package private(set) var questions: [Question] = []
    package private(set) var answers: [Answer] = []

    package init(
        id: UInt16 = 0, isResponse: Bool, questions: [Question] = [], answers: [Answer] = []
    ) {
        self.id = id
        self.isResponse = isResponse
        self.questions = questions
        self.answers = answers
    }

    /// Limit on questions and records in one message.
    private static let maximumEntries = 128
}

// MARK: - Reading

extension NameMessage {
    package init(parsing bytes: Span<UInt8>) throws(ByteError) {
        var reader = ByteReader(bytes)
        let id: UInt16 = try reader.read()
        let flags: UInt16 = try reader.read()
        // Other operations, and answers that are errors, are to be passed over in silence (RFC 6762 §18.3, §18.11).
        guard flags & 0x780F == 0 else { throw ByteError(.outOfRange, at: 2) }
        let counts = (try reader.read(UInt16.self), try reader.read(UInt16.self))
        let more = (try reader.read(UInt16.self), try reader.read(UInt16.self))
        guard [counts.0, counts.1, more.0, more.1].allSatisfy({ $0 <= Self.maximumEntries }) else {
            throw ByteError(.outOfRange, at: 4)
        }
        self.init(id: id, isResponse: flags & 0x8000 != 0)
        for _ in 0..<counts.0 { if let question = try Self.question(&reader) { self.questions.append(question) } }
        for _ in 0..<counts.1 { if let answer = try Self.answer(&reader) { self.answers.append(answer) } }
        // In between is what its sender would like to be true (§8.2).
        for _ in 0..<more.0 { _ = try Self.answer(&reader) }
        for _ in 0..<more.1 { if let answer = try Self.answer(&reader) { self.answers.append(answer) } }
    }

    private static func question(_ reader: inout ByteReader) throws(ByteError) -> Question? {
        let name = try Self.name(&reader)
        let wanted = Wanted(rawValue: try reader.read())
        let group: UInt16 = try reader.read()
        guard let name, let wanted, group & 0x7FFF == 1 else { return nil }
        return Question(name, wanted)
    }

    private static func answer(_ reader: inout ByteReader) throws(ByteError) -> Answer? {
        let name = try Self.name(&reader)
        let kind: UInt16 = try reader.read()
        let group: UInt16 = try reader.read()
        let lifetime: UInt32 = try reader.read()
        let length: UInt16 = try reader.read()
        var data = ByteReader(try reader.slice(Int(length)))
        guard let name, group & 0x7FFF == 1, let ip = try Self.address(kind, &data) else { return nil }
        return Answer(name, ip, lifetime: lifetime, isAll: group & 0x8000 != 0)
    }

    private static func address(_ kind: UInt16, _ data: inout ByteReader) throws(ByteError) -> IPAddress? {
        switch (kind, data.remaining) {
        case (Wanted.v4.rawValue, 4): .v4(try data.read())
        case (Wanted.v6.rawValue, 16): .v6(try data.read(), try data.read())
        default: nil
        }
    }

    /// Nil for names that no host has.
    private static func name(_ reader: inout ByteReader) throws(ByteError) -> HostName? {
        let name = try CompressedName(in: reader.bytes, at: reader.offset)
        _ = try reader.skip(name.end - reader.offset)
        return HostName(String(decoding: name.text, as: UTF8.self))
    }
}

/// A name whose end may stand earlier in the message (RFC 1035 §4.1.4).
private struct CompressedName {
    private(set) var text: [UInt8] = []
    /// Where what follows it begins.
    private(set) var end: Int

    init(in bytes: Span<UInt8>, at start: Int) throws(ByteError) {
        var (place, first) = (start, start)
        self.end = start
        var hasJumped = false
        while true {
            guard place < bytes.count else { throw ByteError(.truncated, at: bytes.count) }
            let head = Int(bytes[place])
            switch head >> 6 {
            case 0 where head == 0:
                if !hasJumped { self.end = place + 1 }
                return
            case 0:
                guard place + 1 + head <= bytes.count else { throw ByteError(.truncated, at: bytes.count) }
                try self.append(bytes.extracting((place + 1)..<(place + 1 + head)), at: place)
                place += 1 + head
            case 3:
                guard place + 1 < bytes.count else { throw ByteError(.truncated, at: bytes.count) }
                let target = (head & 0x3F) << 8 | Int(bytes[place + 1])
                // Only ever further back, or it would never end.
                guard target < first else { throw ByteError(.outOfRange, at: place) }
                if !hasJumped { self.end = place + 2 }
                hasJumped = true
                (place, first) = (target, target)
            default: throw ByteError(.unexpected(bytes[place]), at: place)
            }
        }
    }

    private mutating func append(_ label: Span<UInt8>, at place: Int) throws(ByteError) {
        guard self.text.count + label.count < 255 else { throw ByteError(.outOfRange, at: place) }
        if !self.text.isEmpty { self.text.append(UInt8(ascii: ".")) }
        for index in label.indices {
            // A dot within a label is none between labels.
            self.text.append(label[index] == UInt8(ascii: ".") ? 0 : label[index])
        }
    }
}

// MARK: - Writing

extension NameMessage {
    package func write(to writer: inout ByteWriter) {
        writer.write(self.id)
        writer.write(self.isResponse ? 0x8400 as UInt16 : 0)
        for count in [self.questions.count, self.answers.count, 0, 0] { writer.write(UInt16(clamping: count)) }
        for question in self.questions {
            Self.write(question.name, question.wanted.rawValue, isAll: false, to: &writer)
        }
        for answer in self.answers { Self.write(answer, to: &writer) }
    }

    private static func write(_ answer: Answer, to writer: inout ByteWriter) {
        switch answer.ip {
        case .v4(let ip):
            self.write(answer.name, Wanted.v4.rawValue, isAll: answer.isAll, to: &writer)
            writer.write(answer.lifetime)
            writer.write(4 as UInt16)
            writer.write(ip)
        case .v6(let high, let low):
            self.write(answer.name, Wanted.v6.rawValue, isAll: answer.isAll, to: &writer)
            writer.write(answer.lifetime)
            writer.write(16 as UInt16)
            writer.write(high)
            writer.write(low)
        }
    }

    private static func write(_ name: HostName, _ kind: UInt16, isAll: Bool, to writer: inout ByteWriter) {
        for label in name.text.utf8.split(separator: UInt8(ascii: ".")) {
            writer.write(UInt8(truncatingIfNeeded: label.count))
            writer.write(contentsOf: label)
        }
        writer.write(0 as UInt8)
        writer.write(kind)
        writer.write(isAll ? 0x8001 as UInt16 : 1)
    }
}
