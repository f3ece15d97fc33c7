package import Vocabulary

/// Keeps one direction of sound open while devices come and go: the one that was chosen, then whatever is the default.
///
///     closed ──time to try──▶ opening ──ready──▶ open ──gone──▶ closed
///                                 └───────gone───────────────────▲
package struct DeviceFollower: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        /// Is opened when it is time. Can become: opening.
        case closed(retryAt: Instant?)
        /// Was asked for. Can become: open, closed.
        case opening
        /// Sound flows from or to that device. Can become: open with another one, closed.
        case open(name: String)
    }

    /// What is seen of the stream.
    package enum Observation: Hashable, Sendable {
        case opening
        case open(name: String)
        /// There is none, or none any more.
        case gone
    }

    package enum Order: Hashable, Sendable {
        case nothing
        /// nil is the default.
        case open(device: String?)
    }

    package enum Notice: Hashable, Sendable {
        case lost(SoundDevice.Direction)
        case uses(SoundDevice.Direction, name: String)
    }

    private var state = State.closed(retryAt: nil)
    private let direction: SoundDevice.Direction
    /// Chosen, until it is gone.
    private var device: String?
    /// Where sound flowed last, or is expected to; nil after it was lost.
    private var known: String?
    private var hasTold = false

    /// Devices come back, as headsets do.
    package static let retryInterval = Duration.seconds(2)

    package init(_ direction: SoundDevice.Direction, device: String) {
        self.direction = direction
        self.device = device
        self.known = device
    }

    package var isOpen: Bool {
        if case .open = self.state { return true }
        return false
    }

    package mutating func observed(_ stream: Observation, at now: Instant) -> (order: Order, notice: Notice?) {
        switch (self.state, stream) {
        case (.closed(let retryAt), _):
            if let retryAt, now < retryAt { return (.nothing, nil) }
            self.state = .opening
            return (.open(device: self.device), nil)
        case (.opening, .open(let name)), (.open, .open(let name)):
            self.state = .open(name: name)
            return (.nothing, self.flows(name))
        case (.opening, .opening), (.open, .opening): return (.nothing, nil)
        case (.opening, .gone), (.open, .gone): return (.nothing, self.lost(at: now))
        }
    }

    private mutating func flows(_ name: String) -> Notice? {
        self.hasTold = false
        guard name != self.known else { return nil }
        self.known = name
        return .uses(self.direction, name: name)
    }

    /// The default is tried at once, and then from time to time. It is told once.
    private mutating func lost(at now: Instant) -> Notice? {
        self.state = .closed(retryAt: self.device == nil ? now + Self.retryInterval : nil)
        (self.device, self.known) = (nil, nil)
        guard !self.hasTold else { return nil }
        self.hasTold = true
        return .lost(self.direction)
    }
}
