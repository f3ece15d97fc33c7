import Arguments
import Client
import Handset
import Pathways
import Peer
import Reactor
import Secure
import Sound

/// Makes the connections of one program, with the servers that are good for them.
final class PeerDependencies {
    let reactor: Reactor
    private let factory: PeerConnectionFactory
    private let plan: CallPlan
    private var servers = FoundServers()
    private var finder: ServerFinder?
    private let capture: CaptureFile?
    /// Servers that were of no use to any of the connections, each once.
    private(set) var serverErrors: [CandidateError] = []
    private var opened = 0
    private var interrupts: [SignalWatch] = []
    /// What all connections share to speak into and to listen with.
    let station: SoundStation?
    private var isClosed = false

    init(_ plan: CallPlan, on reactor: Reactor) throws(CommandFailure) {
        self.capture = try CaptureFile.open(plan.capture)
        self.plan = plan
        self.reactor = reactor
        self.station = plan.devices.map { SoundStation($0) }
        do throws(SecureError) {
            self.factory = try PeerConnectionFactory(on: reactor)
        } catch {
            throw CommandFailure("\(error)", exitCode: .osError)
        }
    }

    /// Says when the program is to end.
    func watchInterrupts(_ interrupted: @escaping () -> Void) throws(CommandFailure) {
        do throws(ReactorError) {
            self.interrupts = try SignalWatch.interrupts(on: self.reactor, interrupted)
        } catch {
            throw CommandFailure("\(error)", exitCode: .osError)
        }
    }

    /// Looks up the servers of a file, or else those that are advised.
    func find(_ advised: [AdvisedServer], done: @escaping () -> Void) {
        let finder = ServerFinder(of: self.plan.servers ?? advised, on: self.reactor)
        self.finder = finder
        finder.find { found in
            self.servers = found
            self.finder = nil
            done()
        }
    }

    /// - Parameters:
    ///   - begins: this side offers.
    ///   - name: of the call, for those who look into captures; a number where it has none.
    ///   - sinks: who gets what is heard, besides a level detector, and who what is said.
    func open(
        _ name: String? = nil, begins: Bool, feed: (any SoundFeed)?,
        sinks: (heard: [any SoundSink], said: [any SoundSink]),
        signal: @escaping (SignalMessage.Content) -> Void, told: @escaping (PeerEvent) -> Void
    ) -> PeerLink {
        self.opened += 1
        let echo = self.plan.echoesDecoded ? DecodedEcho() : nil
        let line = self.station.map { SoundLine($0, channels: self.plan.settings.sound.channels) }
        // Who has a microphone and plays something says what is played.
        let microphone = line?.hasMicrophone == true ? line : nil
        let link = PeerLink(
            { handler in
                self.factory.make(
                    self.plan.settings, servers: self.servers, isCalled: !begins,
                    takesConnections: self.plan.takesConnections, handler: handler)
            }, begins: begins,
            feed: echo ?? feed ?? microphone,
            sinks: sinks.heard + [echo].compactMap(\.self) + [line].compactMap(\.self), ownSinks: sinks.said,
            sound: self.plan.settings.sound, on: self.reactor, signal: signal,
            told: { [weak self] event in
                if case .candidateError(let error) = event { self?.note(error) }
                told(event)
            })
        if let capture = self.capture { link.connection.setTap(capture.tap(for: name ?? "\(self.opened)")) }
        return link
    }

    private func note(_ error: CandidateError) {
        guard self.serverErrors.count < Self.maximumErrors, !self.serverErrors.contains(error) else { return }
        self.serverErrors.append(error)
        Terminal.complain("parley: \(error.url): \(error.text)")
    }

    private static let maximumErrors = 32

    /// Unless they are closed by then.
    func after(_ delay: Duration, _ body: @escaping () -> Void) {
        self.reactor.schedule(after: delay) { if !self.isClosed { body() } }
    }

    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        for interrupt in self.interrupts { interrupt.close() }
        self.station?.close()
        if let failure = self.capture?.failure { Terminal.complain("parley: \(failure)") }
        self.factory.close()
    }
}
