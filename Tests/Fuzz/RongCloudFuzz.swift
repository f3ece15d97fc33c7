import Conversing
import JSON
import Service
import Vocabulary
import Web

/// What comes in by RongCloud's Server API: forms, templates, signatures and names of messages.
enum RongCloudFuzz {
    @Sendable static func run(_ input: [UInt8]) {
        let input = FuzzInput(input)
        switch input.control % 4 {
        case 0: self.form(input.bytes)
        case 1: self.template(input.bytes)
        case 2: self.signature(input.bytes)
        default: self.name(String(decoding: input.bytes, as: UTF8.self))
        }
    }

    private static func form(_ body: [UInt8]) {
        guard let form = RongCloudForm(body) else { return }
        let pairs = form.items.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode($0.value) }
        demand(RongCloudForm(Array(pairs.joined(separator: "&").utf8)) == form, "a form changed")
        if let message = try? RongCloudMessage(form) { self.check(message) }
    }

    private static func template(_ body: [UInt8]) {
        guard let template = try? RongCloudTemplate(body, 1...100) else { return }
        demand((1...100).contains(template.messages.count), "more messages than users")
        for message in template.messages { self.check(message) }
    }

    private static func check(_ message: RongCloudMessage) {
        let draft = message.draft(showing: nil)
        demand((try? JSONObject(draft.body.json.span)) != nil, "the body of a message is no JSON")
        demand(draft.mentions.count <= 100, "too many are mentioned")
        _ = (draft.body.words, draft.body.alert)
    }

    private static func signature(_ head: [UInt8]) {
        var fields = HTTPFields()
        let names: [HTTPFieldName] = ["App-Key", "Nonce", "Timestamp", "RC-Signature"]
        for (name, value) in zip(names, head.split(separator: 10, omittingEmptySubsequences: false)) {
            fields.set(name, to: String(decoding: value, as: UTF8.self))
        }
        guard let shown = try? RongCloudSignature(fields) else { return }
        demand(!shown.isSigned(with: "a secret that nobody guesses"), "a signature was forged")
        let now = WallTime(seconds: 1_408_706_400)
        guard (try? shown.checkAge(at: now)) != nil else { return }
        var known = RongCloudReplayGuard()
        demand(known.take(shown, at: now) == .fresh, "what is new is not taken")
        demand(known.take(shown, at: now) == .replayed, "what came before is taken again")
    }

    private static func name(_ text: String) {
        guard let name = RongCloudMessageUID(text) else { return }
        demand(name.text == text, "a message has two names: \(text)")
    }
}
