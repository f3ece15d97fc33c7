import Bytes
import MulticastDNS
import TestSupport
import Testing
import Vocabulary

@Suite("A message of multicast DNS")
struct NameMessageTests {
    /// What aioice sends when it looks for `ab.local`.
    private static let query = "000000000001000000000000" + "02616205 6c6f63616c 00 0001 0001".filter { $0 != " " }

    private static func parse(_ bytes: [UInt8]) throws -> NameMessage { try NameMessage(parsing: bytes.span) }

    private static func written(_ message: NameMessage) -> [UInt8] {
        var writer = ByteWriter()
        message.write(to: &writer)
        return writer.bytes
    }

    private static func name(_ text: String) throws -> HostName { try #require(HostName(text)) }

    @Test("is read as others write it")
    func read() throws {
        let message = try Self.parse(try Hex.decode(Self.query))
        let name = try Self.name("ab.local")
        #expect(message == NameMessage(isResponse: false, questions: [NameMessage.Question(name, .v4)]))
    }

    @Test("has names that end where another one does")
    func compressed() throws {
        // An answer for AB.local with the cache-flush bit, an additional one for cd.local that ends like the first.
        let head = "000084000000000100000001"
        let first = "02414205" + "6c6f63616c" + "00" + "0001" + "8001" + "00000078" + "0004" + "0a000001"
        let second = "026364" + "c00f" + "001c" + "0001" + "00000000" + "0010" + "20010db8000000000000000000000001"
        let message = try Self.parse(try Hex.decode(head + first + second))
        #expect(
            message.answers == [
                NameMessage.Answer(try Self.name("ab.local"), .v4(0x0A00_0001), lifetime: 120, isAll: true),
                NameMessage.Answer(
                    try Self.name("cd.local"), .v6(0x2001_0DB8 << 32, 1), lifetime: 0, isAll: false),
            ])
    }

    @Test("is refused when its names go round in circles", arguments: ["c00c", "c00e", "0161c00c", "c0ff"])
    func circles(name: String) throws {
        let bytes = try Hex.decode("000000000001000000000000" + name + "00010001")
        #expect(throws: ByteError.self) { try Self.parse(bytes) }
    }

    @Test("is refused with too many entries, another operation or an error")
    func refused() throws {
        for head in ["000000000081000000000000", "000028000000000000000000", "000084030000000000000000"] {
            let bytes = try Hex.decode(head)
            #expect(throws: ByteError.self) { try Self.parse(bytes) }
        }
    }

    @Test("passes over what is not about addresses, and over wishes")
    func other() throws {
        let service = "085f73657276696365056c6f63616c00" + "000c" + "0001"
        let wish = "026162056c6f63616c00" + "0001" + "0001" + "00000078" + "0004" + "0a000001"
        let bytes = try Hex.decode("000000000001000000010000" + service + wish)
        let message = try Self.parse(bytes)
        #expect(message.questions.isEmpty && message.answers.isEmpty)
    }

    @Test("is refused wherever it is cut")
    func cut() throws {
        let name = try Self.name("ab.local")
        let bytes = Self.written(
            NameMessage(
                isResponse: true, questions: [NameMessage.Question(name, .any)],
                answers: [NameMessage.Answer(name, .v4(1), lifetime: 120, isAll: true)]))
        for count in 0..<bytes.count {
            #expect(throws: ByteError.self) { try Self.parse(Array(bytes.prefix(count))) }
        }
    }

    @Test("means the same after it was written and read", arguments: 0..<50)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var message = NameMessage(isResponse: false)
        let questions = (0..<Int.random(in: 0...5, using: &random)).map { _ in
            NameMessage.Question(.random(using: &random), NameMessage.Wanted.allCases.randomElement(using: &random)!)
        }
        let answers = (0..<Int.random(in: 0...5, using: &random)).map { index in
            NameMessage.Answer(
                .random(using: &random), index % 2 == 0 ? .v4(random.next()) : .v6(random.next(), random.next()),
                lifetime: random.next(), isAll: Bool.random(using: &random))
        }
        message = NameMessage(
            id: random.next(), isResponse: Bool.random(using: &random), questions: questions, answers: answers)
        #expect(try Self.parse(Self.written(message)) == message)
    }

    @Test("is refused or means something, whatever the bytes are")
    func garbage() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<20_000 {
            var bytes = try Hex.decode(Self.query)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = random.next()
            }
            guard let message = try? Self.parse(bytes) else { continue }
            #expect(try Self.parse(Self.written(message)) == message)
        }
    }
}

@Suite("A host's name")
struct HostNameTests {
    @Test("is made of labels, and capital letters count as small ones")
    func valid() {
        #expect(HostName("Ab-1.LOCAL")?.text == "ab-1.local")
        #expect(HostName("a.local")?.isLocal == true)
        #expect(HostName("local")?.isLocal == false)
    }

    @Test("is no name with empty or long labels or other letters")
    func invalid() {
        let long = String(repeating: "a", count: 64)
        let many = Array(repeating: "abcdefg", count: 32).joined(separator: ".")
        for text in ["", ".", "a..local", ".local", "a.", "\(long).local", many, "ä.local", "a b.local"] {
            #expect(HostName(text) == nil, "\(text)")
        }
    }

    @Test("is never made twice")
    func random() {
        var random = SeededRandom(seed: 7)
        let names = (0..<1000).map { _ in HostName.random(using: &random) }
        #expect(Set(names).count == 1000)
        for name in names {
            #expect(name.isLocal && name.text.utf8.count == 42)
            #expect(Array(name.text.utf8)[14] == UInt8(ascii: "4"))
        }
    }
}
