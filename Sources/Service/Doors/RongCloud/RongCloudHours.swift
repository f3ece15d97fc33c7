internal import Conversing
internal import HTTPServer
internal import JSON
internal import Keeping
internal import Switchboard
internal import Vocabulary
internal import Web

/// `message/history`: what was said in an hour, as a file of lines that programs fetch. It is made when it is asked for, from what
/// is kept, and stays for a day.
struct RongCloudHours {
    private let visit: RongCloudVisit

    /// More of an hour is left out, and the last line says so.
    private static let maximumBytes = 64 << 20
    private static let maximumHours = 10_000
    /// A file that nobody shows stays a little longer.
    private static let life = Duration.seconds(20 * 3600)

    init(_ visit: RongCloudVisit) { self.visit = visit }

    // MARK: - Which hour

    /// `2026112516`, by the clock of Beijing.
    static func span(_ text: String) -> Range<WallTime>? {
        guard text.utf8.count == 10, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        func part(_ start: Int, _ length: Int) -> Substring { text.dropFirst(start).prefix(length) }
        let start = BeijingTime("\(part(0, 4))-\(part(4, 2))-\(part(6, 2)) \(part(8, 2)):00:00")
        return start.map { $0.wall..<($0.wall + .seconds(3600)) }
    }

    private func hour(_ form: RongCloudForm) throws(RongCloudProblem) -> (name: String, span: Range<WallTime>) {
        let name = try form.required("date")
        guard let span = Self.span(name) else { throw .illegal("date", "yyyyMMddHH in Beijing") }
        return (name, span)
    }

    /// Nothing is told of it any more. What was said stays.
    func forget(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (name, _) = try self.hour(form)
        self.visit.write(
            [self.visit.record(RongCloudBook.forgottenHours, name)], removing: [.init(RongCloudBook.hours, name)],
            maximum: Self.maximumHours)
    }

    func find(_ form: RongCloudForm) throws(RongCloudProblem) {
        let (name, span) = try self.hour(form)
        let books = [RongCloudBook.forgottenHours, RongCloudBook.hours]
        self.visit.find(books.map { DoorRecord.Place($0, name) }) { records in
            guard !records.contains(where: { $0.place.book == RongCloudBook.forgottenHours }) else {
                return self.answer(name, nil)
            }
            let now = self.visit.chat.now
            if let known = records.first, now < known.time + Self.life, let file = FileID(known.value) {
                return self.answer(name, file)
            }
            self.read(name, span, from: .init(), [])
        }
    }

    // MARK: - Making the file

    private func read(_ name: String, _ span: Range<WallTime>, from place: MessagesInTime.Place, _ lines: [UInt8]) {
        self.visit.fetch(MessagesInTime(from: place, in: span)) { portion in
            var lines = lines
            for message in portion.messages where message.entry.isToldToPrograms {
                lines += self.line(message) + [UInt8(ascii: "\n")]
            }
            guard let next = portion.next else { return self.keep(name, span, lines) }
            guard lines.count <= Self.maximumBytes else {
                return self.keep(name, span, lines + Array("{\"truncated\":true}\n".utf8))
            }
            self.read(name, span, from: next, lines)
        }
    }

    private func line(_ message: MessagesInTime.Message) -> [UInt8] {
        let (target, type) = Self.target(of: message)
        let time = BeijingTime(message.entry.time).text
        return Array("\(time) ".utf8)
            + JSONWriter.object { json in
                json.field("appId", self.visit.key)
                json.field("fromUserId", message.entry.sender.text)
                json.field("targetId", target)
                json.field("targetType", type.rawValue)
                json.field("GroupId", type == .group ? target : "")
                let words = RongCloudWords(message.entry)
                json.field("classname", words.type)
                json.field("content", words.content)
                json.field("dateTime", time)
                json.field("msgTimestamp", message.entry.time.milliseconds)
                let key = EntryKey(message.conversation.key, message.entry.number)
                json.field("msgUID", RongCloudMessageUID(key).text)
            }
    }

    static func target(of message: MessagesInTime.Message) -> (name: String, kind: RongCloudTarget.Kind) {
        let row = message.conversation
        if let (_, kind) = RongCloudPlace.base(of: row.id) { return (RongCloudPlace.name(of: row), kind) }
        switch row.kind {
        case .direct:
            let other = message.members.first { $0 != message.entry.sender } ?? message.entry.sender
            return (other.text, .direct)
        case .system: return (row.id.text, .system)
        case .room: return (row.id.text, .room)
        case .group, .bound: return (row.id.text, .group)
        }
    }

    /// An hour in which nothing was said has no file, and one that is not over yet gets another each time.
    private func keep(_ name: String, _ span: Range<WallTime>, _ lines: [UInt8]) {
        guard !lines.isEmpty else { return self.answer(name, nil) }
        let dependencies = self.visit.dependencies
        let label = FileLabel(cleaning: "\(name).log.gz")
        dependencies.files.take(
            GzipEncoder.compress(lines), called: label, by: RongCloudPlace.server, stay: .usual,
            on: dependencies.reactor
        ) { result in
            guard case .success(let file) = result else { return self.visit.refuse(.unavailable) }
            guard span.upperBound <= self.visit.chat.now else { return self.answer(name, file.id) }
            self.visit.write([self.visit.record(RongCloudBook.hours, name, file.id.text)], maximum: Self.maximumHours) {
                self.answer(name, file.id)
            }
        }
    }

    private func answer(_ name: String, _ file: FileID?) {
        let host = ForwardedRequest.host(of: self.visit.exchange.request)
        let scheme = self.visit.isEncrypted ? "https" : "http"
        let link = file.map { file in
            let links = self.visit.dependencies.files.links
            return "\(scheme)://\(host)"
                + links.link(to: file, .content, for: RongCloudPlace.server, at: self.visit.chat.now)
        }
        self.visit.answer { json in
            json.field("url", link ?? "")
            json.field("date", name)
        }
    }
}
