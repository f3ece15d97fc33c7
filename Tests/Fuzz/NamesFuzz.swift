import Bytes
import Client
import Conversing
import ICEServers
import JSON
import Vocabulary

/// Names, addresses, prefixes and words of strangers: taken or refused, what was taken is read as the same again, and what is
/// shown steers no terminal.
enum NamesFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        let text = String(decoding: input.bytes, as: UTF8.self)
        switch input.control % 7 {
        case 0: self.names(text)
        case 1: self.addresses(text)
        case 2: self.shown(text)
        case 3: self.json(input.bytes)
        case 4: self.words(text)
        case 5: self.rules(text)
        default: self.lists(input.bytes, text)
        }
    }

    private static func names(_ text: String) {
        if let name = DisplayName(text) { demand(DisplayName(name.text) == name, "a display name changed") }
        if let name = try? UserName(text) { demand((try? UserName(name.text)) == name, "a user name changed") }
        if let label = FileLabel(cleaning: text) { demand(FileLabel(cleaning: label.text) == label, "a label changed") }
        if let id = UserID(text) { demand(id.text == text, "an id changed") }
        _ = (RoomName(text), ConversationID(text), MessageID(text), DeviceID(text), FileID(text), AvatarLink(text))
        _ = (RandomToken(text), ResumeKey(text), ContentHash(text), ChatTarget(text))
    }

    private static func addresses(_ text: String) {
        if let ip = IPAddress(text) { demand(IPAddress("\(ip)") == ip, "an address changed") }
        if let address = SocketAddress(text) { demand(SocketAddress("\(address)") == address, "an address changed") }
        if let network = IPNetwork(text) {
            demand(IPNetwork("\(network)") == network, "a network changed")
            demand(network.contains(network.address), "a network does not hold itself")
        }
        if let url = ServerURL(text) { demand(ServerURL("\(url)") == url, "a server changed") }
        if let url = ICEServerURL(text) { demand(ICEServerURL(url.text) == url, "a server changed") }
    }

    private static func shown(_ text: String) {
        let line = PlainText.line(text)
        demand(PlainText.of(line) == line && !line.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a line steers")
        demand(line.count <= PlainText.maximumCharacters + 1, "a line is too long")
        let lines = PlainText.of(text, keepsLines: true)
        demand(!lines.utf8.contains { $0 < 0x20 && $0 != 0x0A }, "lines steer")
    }

    private static func json(_ bytes: [UInt8]) {
        guard let value = RawJSON(bytes) else { return }
        let line = PlainText.json("\(value)")
        demand(PlainText.of(line) == line, "JSON steers")
        guard let again = RawJSON(line) else { return demand(false, "JSON became none") }
        demand(again.string == value.string, "a string changed")
        demand(again.memberList.map(\.name) == value.memberList.map(\.name), "the names changed")
    }

    private static func words(_ text: String) {
        let words = SearchWords.indexed(text).split(separator: " ")
        demand(words.count <= SearchWords.maximumWords, "too many words")
        for phrase in SearchWords.phrases(text) {
            switch phrase {
            case .prefix(let word): demand(!word.contains("\""), "a word is more than a word")
            case .sequence(let words): demand(!words.isEmpty && words.allSatisfy { !$0.contains("\"") }, "no words")
            }
        }
    }

    /// An operator's words and a user's text: what is masked keeps its length, and has nothing left to mask.
    private static func rules(_ text: String) {
        let lines = text.split(separator: "\n", maxSplits: 5)
        let rules = WordRules(lines.dropLast().compactMap { WordRule(String($0), .mask) })
        let said = lines.last.map(String.init) ?? ""
        let masked = rules.masked(said)
        demand(masked.unicodeScalars.count == said.unicodeScalars.count, "masking changed a length")
        for line in lines.dropLast() {
            guard let word = WordRule.compared(String(line)) else { continue }
            demand(WordRule.compared(word) == word, "a compared word is compared to something else")
        }
        if rules.count == 0 { demand(masked == said, "nothing was masked to something else") }
    }

    private static func lists(_ bytes: [UInt8], _ text: String) {
        if let list = try? ICEServerList(parsing: bytes, environment: [:]) {
            demand(list.servers.count <= ICEServerList.maximumServers, "too many servers")
        }
        if let decoded = try? Base64.decode(bytes, as: .url) { demand(decoded.count <= bytes.count, "more came out") }
    }
}
