package import MulticastDNS
package import Vocabulary

/// What becomes of a search for a name: where it is, or that it has no holder.
package struct NameFound: Hashable, Sendable {
    package let name: HostName
    package let ip: IPAddress?
}

/// Finds the addresses behind `.local` names, and answers for ours, on all links at once
/// (RFC 6762, draft-ietf-mmusic-mdns-ice-candidates).
///
/// It neither sends nor waits. A path of its outbox is a link: a network that a packet to the group reaches.
package struct NameExchange: Sendable {
    package static let group4 = SocketAddress(.v4(0xE000_00FB), port: 5353)
    package static let group6 = SocketAddress(.v6(0xFF02 << 48, 0xFB), port: 5353)

    private struct Link: Sendable {
        let id: PathID
        let group: SocketAddress
        /// Ours on it. Those on other links are not told here.
        var addresses: [IPAddress]
        var nextLegacyAnswer = Instant(nanoseconds: .min)
    }

    private struct Search: Sendable {
        let name: HostName
        let end: Instant
        var next: Instant
        var pause = Duration.seconds(1)
    }

    private struct Holding: Sendable {
        let name: HostName
        let ip: IPAddress
        /// When to say it unasked; twice is what RFC 6762 §8.3 wants.
        var announcements: [Instant] = []
        var lastSaid: [PathID: Instant] = [:]
    }

    private var links: [Link] = []
    private var searches: [Search] = []
    private var holdings: [Holding] = []
    /// What was found, and until when it is good.
    private var found: [HostName: (ip: IPAddress, end: Instant)] = [:]

    package init() {}

    /// So long an answer is good (RFC 6762 §10), and one to a client that knows only the older DNS (§6.7).
    private static let lifetime: UInt32 = 120
    private static let legacyLifetime: UInt32 = 10
    private static let timeout = Duration.seconds(5)
    private static let maximumSearches = 64
    private static let maximumFound = 256

    package var deadline: Instant? {
        let searches = self.searches.lazy.map { min($0.next, $0.end) }
        let holdings = self.holdings.lazy.compactMap(\.announcements.first)
        return [searches.min(), holdings.min()].compactMap(\.self).min()
    }
}

// MARK: - Links

extension NameExchange {
    package mutating func linkAdded(
        _ id: PathID, to group: SocketAddress, addresses: [IPAddress], at now: Instant,
        into outbox: inout Outbox<NameFound>
    ) {
        self.links.append(Link(id: id, group: group, addresses: addresses))
        for index in self.searches.indices { self.searches[index].next = now }
        self.clockAdvanced(to: now, into: &outbox)
    }

    package mutating func linkChanged(
        _ id: PathID, addresses: [IPAddress], at now: Instant, into outbox: inout Outbox<NameFound>
    ) {
        guard let index = self.links.firstIndex(where: { $0.id == id }), self.links[index].addresses != addresses else {
            return
        }
        let new = addresses.filter { !self.links[index].addresses.contains($0) }
        self.links[index].addresses = addresses
        for index in self.holdings.indices where new.contains(self.holdings[index].ip) {
            self.holdings[index].announcements = [now, now + .seconds(1)]
        }
        self.clockAdvanced(to: now, into: &outbox)
    }

    package mutating func linkRemoved(_ id: PathID) {
        self.links.removeAll { $0.id == id }
        for index in self.holdings.indices { self.holdings[index].lastSaid[id] = nil }
    }
}

// MARK: - Names of others

extension NameExchange {
    /// Asks until an answer comes, but not for ever; `NameFound` tells, once for each name.
    package mutating func resolve(_ name: HostName, at now: Instant, into outbox: inout Outbox<NameFound>) {
        if let own = self.holdings.first(where: { $0.name == name }) {
            return outbox.events.append(NameFound(name: name, ip: own.ip))
        }
        if let found = self.found[name], now < found.end {
            return outbox.events.append(NameFound(name: name, ip: found.ip))
        }
        guard !self.searches.contains(where: { $0.name == name }) else { return }
        guard name.isLocal, self.searches.count < Self.maximumSearches else {
            return outbox.events.append(NameFound(name: name, ip: nil))
        }
        self.searches.append(Search(name: name, end: now + Self.timeout, next: now))
        self.clockAdvanced(to: now, into: &outbox)
    }

    private mutating func ask(_ index: Int, at now: Instant, into outbox: inout Outbox<NameFound>) {
        let name = self.searches[index].name
        let message = NameMessage(
            isResponse: false, questions: [NameMessage.Question(name, .v4), NameMessage.Question(name, .v6)])
        for link in self.links { outbox.packets.append(from: link.id, to: link.group) { message.write(to: &$0) } }
        // RFC 6762 §5.2: a second at first, and then twice as long each time.
        self.searches[index].next = now + self.searches[index].pause
        self.searches[index].pause = self.searches[index].pause * 2
    }

    /// Only what is looked for is kept: on a busy network there is much else to hear.
    private mutating func answered(
        _ answers: [NameMessage.Answer], at now: Instant, into outbox: inout Outbox<NameFound>
    ) {
        for answer in answers {
            if answer.lifetime == 0, self.found[answer.name]?.ip == answer.ip { self.found[answer.name] = nil }
            guard answer.lifetime > 0, !Self.needsLink(answer.ip),
                let index = self.searches.firstIndex(where: { $0.name == answer.name })
            else { continue }
            self.searches.remove(at: index)
            self.remember(answer, at: now)
            outbox.events.append(NameFound(name: answer.name, ip: answer.ip.unmapped))
        }
    }

    /// Where a link-local address is cannot be said without naming the link, and candidates do not.
    private static func needsLink(_ ip: IPAddress) -> Bool {
        if case .v6(let high, _) = ip { high >> 54 == 0x3FA } else { false }
    }

    private mutating func remember(_ answer: NameMessage.Answer, at now: Instant) {
        if self.found.count >= Self.maximumFound { self.found = self.found.filter { now < $0.value.end } }
        guard self.found.count < Self.maximumFound else { return }
        let lifetime = min(answer.lifetime, Self.lifetime)
        self.found[answer.name] = (answer.ip.unmapped, now + .seconds(Int64(lifetime)))
    }
}

// MARK: - Our names

extension NameExchange {
    /// From now on answers for a name. It has to be a random one: there is no probing whether it is free.
    ///
    /// Nor is it announced, since no cache can hold anything else of it; and for a second after an announcement who
    /// asks would get no answer (RFC 6762 §6).
    package mutating func publish(_ name: HostName, _ ip: IPAddress) {
        self.holdings.append(Holding(name: name, ip: ip))
    }

    /// Takes it back, so that no cache holds it for longer.
    package mutating func withdraw(_ name: HostName, at now: Instant, into outbox: inout Outbox<NameFound>) {
        guard let index = self.holdings.firstIndex(where: { $0.name == name }) else { return }
        let holding = self.holdings.remove(at: index)
        let message = Self.answer(holding, lifetime: 0)
        for link in self.links where link.addresses.contains(holding.ip) {
            outbox.packets.append(from: link.id, to: link.group) { message.write(to: &$0) }
        }
    }

    private static func answer(_ holding: Holding, lifetime: UInt32 = Self.lifetime) -> NameMessage {
        let answer = NameMessage.Answer(holding.name, holding.ip, lifetime: lifetime, isAll: true)
        return NameMessage(isResponse: true, answers: [answer])
    }

    /// Tells all hosts on a link, though nothing twice within a second (RFC 6762 §6).
    private mutating func say(_ index: Int, on link: Link, at now: Instant, into outbox: inout Outbox<NameFound>) {
        let holding = self.holdings[index]
        guard link.addresses.contains(holding.ip), now >= (holding.lastSaid[link.id] ?? .start) + .seconds(1) else {
            return
        }
        self.holdings[index].lastSaid[link.id] = now
        outbox.packets.append(from: link.id, to: link.group) { Self.answer(holding).write(to: &$0) }
    }

    private mutating func asked(
        _ message: NameMessage, on place: Int, from peer: SocketAddress, at now: Instant,
        into outbox: inout Outbox<NameFound>
    ) {
        let link = self.links[place]
        for question in message.questions {
            for index in self.holdings.indices
            where self.holdings[index].name == question.name && question.wanted.includes(self.holdings[index].ip) {
                guard peer.port != link.group.port else {
                    self.say(index, on: link, at: now, into: &outbox)
                    continue
                }
                self.answerLegacy(message.id, question, self.holdings[index], place, peer, at: now, into: &outbox)
            }
        }
    }

    /// Who asks from another port knows only the older DNS, and is answered alone (RFC 6762 §6.7); not often, since the
    /// address it asks from may be another's.
    private mutating func answerLegacy(
        _ id: UInt16, _ question: NameMessage.Question, _ holding: Holding, _ place: Int, _ peer: SocketAddress,
        at now: Instant, into outbox: inout Outbox<NameFound>
    ) {
        let link = self.links[place]
        guard link.addresses.contains(holding.ip), now >= link.nextLegacyAnswer else { return }
        self.links[place].nextLegacyAnswer = now + .milliseconds(100)
        let answer = NameMessage.Answer(holding.name, holding.ip, lifetime: Self.legacyLifetime, isAll: false)
        let message = NameMessage(id: id, isResponse: true, questions: [question], answers: [answer])
        outbox.packets.append(from: link.id, to: peer) { message.write(to: &$0) }
    }
}

// MARK: - Packets and time

extension NameExchange {
    package mutating func received(
        _ packet: Span<UInt8>, on link: PathID, from peer: SocketAddress, at now: Instant,
        into outbox: inout Outbox<NameFound>
    ) {
        guard let place = self.links.firstIndex(where: { $0.id == link }),
            let message = try? NameMessage(parsing: packet)
        else { return }
        guard message.isResponse else { return self.asked(message, on: place, from: peer, at: now, into: &outbox) }
        // Answers come from the group's port, or they are forged (RFC 6762 §6).
        if peer.port == self.links[place].group.port {
            self.answered(message.answers, at: now, into: &outbox)
        }
    }

    package mutating func clockAdvanced(to now: Instant, into outbox: inout Outbox<NameFound>) {
        for search in self.searches where now >= search.end {
            outbox.events.append(NameFound(name: search.name, ip: nil))
        }
        self.searches.removeAll { now >= $0.end }
        for index in self.searches.indices where now >= self.searches[index].next {
            self.ask(index, at: now, into: &outbox)
        }
        for index in self.holdings.indices {
            guard let due = self.holdings[index].announcements.first, now >= due else { continue }
            self.holdings[index].announcements.removeFirst()
            for link in self.links { self.say(index, on: link, at: now, into: &outbox) }
        }
    }
}

extension Instant {
    /// Before everything, and far enough from the end of numbers to be counted from.
    fileprivate static let start = Instant(nanoseconds: .min / 2)
}
