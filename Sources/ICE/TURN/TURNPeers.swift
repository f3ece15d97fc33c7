import STUN
import Vocabulary

/// Whom the server lets through to us, and the short names of those we speak with much.
struct TURNPeers: Sendable {
    /// How long something lives at the server, and when to ask for more.
    struct Lease: Hashable, Sendable {
        var until: Instant?
        var renewal: Instant?
        /// A request is under way.
        var isAsked = true
        var isRefused = false

        mutating func granted(for lifetime: Duration, at now: Instant) {
            self = Lease(until: now + lifetime, renewal: now + lifetime - TURNSettings.margin, isAsked: false)
        }

        func isAlive(at now: Instant) -> Bool { self.until.map { $0 > now } ?? false }
        func isDue(at now: Instant) -> Bool { !self.isAsked && self.renewal.map { $0 <= now } ?? false }
    }

    struct Channel: Hashable, Sendable {
        let number: ChannelNumber
        var lease = Lease()
    }

    private(set) var permissions: [IPAddress: Lease] = [:]
    private(set) var channels: [SocketAddress: Channel] = [:]
    private var owners: [ChannelNumber: SocketAddress] = [:]
    private var nextNumber = ChannelNumber.all.lowerBound

    var deadline: Instant? {
        let leases = [
            self.permissions.values.lazy.filter { !$0.isAsked }.compactMap(\.renewal).min(),
            self.channels.values.lazy.map(\.lease).filter { !$0.isAsked }.compactMap(\.renewal).min(),
        ]
        return leases.compactMap { $0 }.min()
    }
}

// MARK: - Permissions

extension TURNPeers {
    /// Whether this one has to be asked for first.
    mutating func wantsPermission(_ ip: IPAddress) -> Bool {
        guard self.permissions[ip] == nil else { return false }
        self.permissions[ip] = Lease()
        return true
    }

    func isForbidden(_ ip: IPAddress) -> Bool { self.permissions[ip]?.isRefused ?? false }

    /// A peer whom we asked the server to let through; until the answer is here it may have been faster.
    func isExpected(_ ip: IPAddress) -> Bool { self.permissions[ip].map { !$0.isRefused } ?? false }

    /// Whether this is the first time.
    mutating func permitted(_ ip: IPAddress, at now: Instant) -> Bool {
        guard let former = self.permissions[ip] else { return false }
        self.permissions[ip]?.granted(for: TURNSettings.permissionLifetime, at: now)
        return former.until == nil
    }

    mutating func forbid(_ ip: IPAddress) {
        self.permissions[ip] = Lease(isAsked: false, isRefused: true)
    }

    /// No answer. While its lifetime lasts it is requested again; afterwards it is gone, and this says so.
    mutating func lostPermission(_ ip: IPAddress, at now: Instant) -> Bool {
        guard let lease = self.permissions[ip] else { return false }
        guard lease.isAlive(at: now) else {
            self.permissions[ip] = nil
            return true
        }
        self.permissions[ip]?.isAsked = false
        return false
    }

    mutating func forget(_ ip: IPAddress) {
        self.permissions[ip] = nil
        for (peer, channel) in self.channels where peer.ip == ip {
            self.channels[peer] = nil
            self.owners[channel.number] = nil
        }
    }

    /// Those to be renewed now, marked as asked for.
    mutating func duePermissions(at now: Instant) -> [IPAddress] {
        let due = self.permissions.filter { $0.value.isDue(at: now) }.map(\.key)
        for ip in due { self.permissions[ip]?.isAsked = true }
        return due.sorted { "\($0)" < "\($1)" }
    }
}

// MARK: - Channels

extension TURNPeers {
    /// The channel to ask for, unless that has been done. A number is not used twice: the server would have to forget
    /// its former peer first (RFC 8656 §12.2), and there are four thousand.
    mutating func wantsChannel(_ peer: SocketAddress) -> ChannelNumber? {
        guard self.channels[peer] == nil, ChannelNumber.all.contains(self.nextNumber),
            let number = ChannelNumber(rawValue: self.nextNumber)
        else { return nil }
        self.nextNumber += 1
        self.channels[peer] = Channel(number: number)
        self.owners[number] = peer
        return number
    }

    func peer(of number: ChannelNumber) -> SocketAddress? { self.owners[number] }

    /// The number that may be used now.
    func channel(to peer: SocketAddress, at now: Instant) -> ChannelNumber? {
        guard let channel = self.channels[peer], channel.lease.isAlive(at: now) else { return nil }
        return channel.number
    }

    /// The peer, the first time.
    mutating func bound(_ number: ChannelNumber, at now: Instant) -> SocketAddress? {
        guard let peer = self.owners[number], let former = self.channels[peer]?.lease else { return nil }
        self.channels[peer]?.lease.granted(for: TURNSettings.channelLifetime, at: now)
        return former.until == nil ? peer : nil
    }

    /// Indications do as well.
    mutating func refuseChannel(_ number: ChannelNumber) {
        guard let peer = self.owners[number] else { return }
        self.channels[peer]?.lease = Lease(isAsked: false, isRefused: true)
    }

    mutating func lostChannel(_ number: ChannelNumber, at now: Instant) {
        guard let peer = self.owners[number], let channel = self.channels[peer] else { return }
        guard !channel.lease.isAlive(at: now) else {
            self.channels[peer]?.lease.isAsked = false
            return
        }
        self.channels[peer] = nil
        self.owners[number] = nil
    }

    /// Those to be renewed now, marked as asked for.
    mutating func dueChannels(at now: Instant) -> [ChannelNumber] {
        let due = self.channels.filter { $0.value.lease.isDue(at: now) }
        for peer in due.keys { self.channels[peer]?.lease.isAsked = true }
        return due.values.map(\.number).sorted { $0.rawValue < $1.rawValue }
    }
}
