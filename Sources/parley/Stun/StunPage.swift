import ICE
import ICEServers
import JSON
import Pathways
import STUN
import Vocabulary

/// A survey's report as it is printed.
enum StunPage {
    static func show(_ report: SurveyReport, asJSON: Bool, isRepeated: Bool) {
        if asJSON { return print(report.json) }
        // A person who watches sees one table that changes; a file gets one below the other.
        if isRepeated { print(Terminal.isInteractive ? "\u{1B}[H\u{1B}[2J" : "") }
        print(PlainText.of(report.page, keepsLines: true))
    }
}

extension SurveyReport {
    private static let columns = ["SERVER", "OVER", "ADDRESS", "MIN", "MEDIAN", "MAX", "LOST", "SEEN AS", "RELAY"]

    /// For people.
    var page: String {
        let table = AdminTable.aligned([Self.columns] + self.rows.map(\.cells))
        let networks = STUNAddressFamily.allCases.compactMap { family in
            self.networks[family].flatMap { $0.line(family) }
        }
        let (working, all) = self.urls
        let servers =
            all == 1 ? "The server \(working == 1 ? "works" : "does not work")" : "\(working) of \(all) servers work"
        return (table + [""] + networks + ["\(servers); \(self.verdict.words)"]).joined(separator: "\n")
    }

    /// For programs.
    var json: String {
        JSONWriter.line { json in
            json.field("verdict", self.verdict.rawValue)
            json.field("words", self.verdict.words)
            json.field("working", self.urls.working)
            json.field("asked", self.urls.all)
            json.object("networks") { json in
                for family in STUNAddressFamily.allCases {
                    guard let network = self.networks[family] else { continue }
                    json.object(family.name, network.write)
                }
            }
            json.array("servers", of: self.rows) { $0.object($1.write) }
        }
    }
}

extension SurveyReport.Row {
    fileprivate var cells: [String] {
        let times = [self.binding.fastest, self.binding.median, self.binding.slowest].map { $0.map(\.shown) ?? "" }
        let lost = self.binding.requests > 0 ? "\(self.binding.lost)/\(self.binding.requests)" : ""
        return [self.url.text, "\(self.transport)", self.address?.description ?? ""] + times
            + [lost, self.binding.mapped?.description ?? self.problem, self.relayCell]
    }

    /// Instead of an address.
    private var problem: String {
        if let failure = self.failure { return failure }
        return self.binding.refusal.map { "refused: \($0)" } ?? "no answer"
    }

    private var relayCell: String {
        switch self.relay {
        case .granted(let allocation, let after):
            "\(allocation.relayed.map(\.description).joined(separator: " ")) in \(after.shown)"
        case .refused(let failure): "\(failure)"
        case nil: self.url.scheme.needsCredentials ? "not asked" : ""
        }
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.field("url", self.url.text)
        json.field("transport", "\(self.transport)")
        json.nullable("address", self.address?.description)
        json.field("works", self.works)
        json.nullable("error", self.binding.isReachable ? nil : self.problem)
        json.field("connect_ms", self.connecting?.milliseconds, digits: 3)
        json.nullable("rtt_ms", self.binding.isReachable ? self : nil) { $0.object($1.writeTimes) }
        json.field("requests", self.binding.requests)
        json.field("lost", self.binding.lost)
        json.nullable("mapped", self.binding.mapped?.description)
        json.nullable("other_address", self.binding.other?.description)
        json.nullable("software", self.binding.software)
        json.nullable("relay", self.relay) { $0.object($1.write) }
    }

    private func writeTimes(_ json: inout JSONWriter) {
        json.field("min", self.binding.fastest?.milliseconds, digits: 3)
        json.field("median", self.binding.median?.milliseconds, digits: 3)
        json.field("max", self.binding.slowest?.milliseconds, digits: 3)
    }
}

extension SurveyReport.Row.Relay {
    fileprivate func write(_ json: inout JSONWriter) {
        switch self {
        case .granted(let allocation, let after):
            json.array("addresses", of: allocation.relayed) { $0.string("\($1)") }
            json.field("lifetime", Int(allocation.lifetime.components.seconds))
            json.field("after_ms", after.milliseconds, digits: 3)
        case .refused(let failure):
            json.field("error", "\(failure)")
            json.nullable("code", failure.code?.rawValue)
        }
    }
}

extension SurveyReport.Network {
    fileprivate func line(_ family: STUNAddressFamily) -> String? {
        guard let mapped = self.mapped else { return nil }
        let name = family == .ipv4 ? "IPv4" : "IPv6"
        var parts: [String] = []
        switch self.nat.isTranslated {
        case false: parts.append("\(mapped.ip), not translated")
        case true: parts.append("\(self.local?.description ?? "this host") is seen as \(mapped.ip)")
        case nil: parts.append("seen as \(mapped.ip)")
        }
        if let mapping = self.nat.mapping { parts.append("mapping \(mapping.rawValue)") }
        if let filtering = self.nat.filtering { parts.append("filtering \(filtering.rawValue)") }
        if let hairpins = self.nat.hairpins { parts.append(hairpins ? "hairpin" : "no hairpin") }
        if let lifetime = self.lifetime { parts.append(lifetime.words) }
        return "\(name): \(parts.joined(separator: ", "))"
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.nullable("local", self.local?.description)
        json.nullable("mapped", self.mapped?.description)
        json.nullable("translated", self.nat.isTranslated)
        json.nullable("mapping", self.nat.mapping?.rawValue)
        json.nullable("filtering", self.nat.filtering?.rawValue)
        json.nullable("hairpin", self.nat.hairpins)
        json.nullable("lifetime_s", self.lifetime) { $0.object($1.write) }
    }
}

extension BindingLifetime {
    fileprivate var words: String {
        let known = "\(self.known.components.seconds) s"
        guard let forgotten = self.forgotten else { return "bindings live longer than \(known)" }
        return "bindings live \(known) to \(forgotten.components.seconds) s"
    }

    fileprivate func write(_ json: inout JSONWriter) {
        json.field("known", Int(self.known.components.seconds))
        json.nullable("forgotten", self.forgotten.map { Int($0.components.seconds) })
    }
}

extension STUNAddressFamily {
    fileprivate var name: String {
        switch self {
        case .ipv4: "ipv4"
        case .ipv6: "ipv6"
        }
    }
}

extension Duration {
    fileprivate var milliseconds: Double { Double(self.clampedNanoseconds) / 1e6 }
    fileprivate var shown: String { "\(self.milliseconds.fixed(self < .milliseconds(10) ? 2 : 1)) ms" }
}
