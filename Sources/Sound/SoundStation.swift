package import Vocabulary

/// The microphone and the loudspeaker of calls. Whoever has a line looks after it at each of their ticks; it never makes them
/// wait, and goes on in silence when the sound server or a device is gone.
package final class SoundStation {
    package struct Plan: Hashable, Sendable {
        /// nil for none.
        package var input: SoundDevice?
        package var output: SoundDevice?
        package var canceller = EchoCanceller.Settings()
        package var isMuted = false

        package init(input: SoundDevice?, output: SoundDevice?) {
            self.input = input
            self.output = output
        }
    }

    private var desk: SoundDesk
    private var connection: PulseConnection?
    private var input: Way?
    private var output: Way?
    private var retryAt: Instant?
    private var isOver = false
    /// Hears what becomes of the devices.
    package var onNotice: ((DeviceFollower.Notice) -> Void)?

    /// One direction of sound.
    private struct Way {
        let direction: SoundDevice.Direction
        var follower: DeviceFollower
        var stream: PulseStream?

        init(_ device: SoundDevice) {
            self.direction = device.direction
            self.follower = DeviceFollower(device.direction, device: device.name)
        }
    }

    package init(_ plan: Plan) {
        var canceller = plan.canceller
        // Without a loudspeaker there is no echo.
        canceller.cancelsEcho = canceller.cancelsEcho && plan.output != nil
        self.desk = SoundDesk(canceller, isMuted: plan.isMuted)
        self.input = plan.input.map { Way($0) }
        self.output = plan.output.map { Way($0) }
    }

    package var hasMicrophone: Bool { self.input != nil }

    package var isMuted: Bool {
        get { self.desk.isMuted }
        set { self.desk.isMuted = newValue }
    }

    package func openLine() -> Int { self.desk.openLine() }
    package func closeLine(_ line: Int) { self.desk.closeLine(line) }

    package func heard(_ sound: Span<Float>, on line: Int, at now: Instant) {
        self.lookAfter(at: now)
        self.desk.heard(sound, on: line)
        self.play()
    }

    package func read(into sound: inout MutableSpan<Float>, on line: Int) -> Int {
        self.desk.read(into: &sound, on: line)
    }

    /// Microphone and loudspeaker are let go.
    package func close() {
        self.isOver = true
        (self.input, self.output, self.connection) = (nil, nil, nil)
    }
}

// MARK: - Devices

extension SoundStation {
    private func lookAfter(at now: Instant) {
        guard !self.isOver else { return }
        self.connect(at: now)
        self.connection?.pump()
        self.input = self.followed(self.input, at: now)
        self.output = self.followed(self.output, at: now)
        self.input?.stream?.read { self.desk.captured($0) }
    }

    private func play() {
        self.output?.stream?.write { self.desk.play(into: &$0, isDry: $1) }
    }

    /// A server that ended is looked for again.
    private func connect(at now: Instant) {
        if case .failed = self.connection?.state {
            self.input?.stream = nil
            self.output?.stream = nil
            self.connection = nil
        }
        guard self.connection == nil, self.retryAt.map({ $0 <= now }) ?? true else { return }
        self.retryAt = now + DeviceFollower.retryInterval
        self.connection = try? PulseConnection()
    }

    private func followed(_ way: Way?, at now: Instant) -> Way? {
        guard var way else { return nil }
        let connection = self.connection?.state == .ready ? self.connection : nil
        // Without a server nothing is opened, but what was open is known to be lost.
        guard connection != nil || way.follower.isOpen else { return way }
        let (order, notice) = way.follower.observed(way.stream?.observation ?? .gone, at: now)
        if case .open(let device) = order, let connection {
            way.stream = PulseStream(connection, way.direction, device: device)
            if way.direction == .input { self.desk.microphoneChanged() }
        }
        if let notice { self.onNotice?(notice) }
        return way
    }
}
