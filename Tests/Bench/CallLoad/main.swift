import AudioStreams
import Client
import JSON
import MediaStreams
import System
import Negotiating
import Pathways
import Peer
import Reactor
import Vocabulary
import Web

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// Calls to somebody who takes offers over HTTP, made one after the other; then all talk at 50 packets a second, spread over
// the 20 ms. Prints one line of JSON when the calls stand, waits for a line, and one more at the end.
//
// usage: CallLoadBench URL CALLS SECONDS

final class Load: PeerConnectionHandler, @unchecked Sendable {
    // Unchecked because it is touched on its loop only.
    private let server: ServerURL
    private let wanted: Int
    private let done: @Sendable () -> Void
    private var factory: PeerConnectionFactory?
    private var calls: [PeerConnection] = []
    private var began = SteadyClock.now
    private var setUps: [Duration] = []
    private var ticks = 0
    private var start: Instant?
    /// As long as speech at 24 kbit/s.
    private let packet: [UInt8] = [0x78] + [UInt8](repeating: 0x55, count: 59)

    init(_ server: ServerURL, _ wanted: Int, done: @escaping @Sendable () -> Void) {
        self.server = server
        self.wanted = wanted
        self.done = done
    }

    func begin(on reactor: Reactor) {
        do {
            self.factory = try PeerConnectionFactory(on: reactor)
            self.next()
        } catch {
            give(up: "\(error)")
        }
    }

    private func next() {
        guard self.calls.count < self.wanted, let factory = self.factory else { return self.done() }
        var settings = PeerSettings()
        settings.sound.isPlayed = false
        self.began = SteadyClock.now
        let call = factory.make(settings, servers: FoundServers(), handler: self)
        self.calls.append(call)
        call.addTransceiver()
        do { try call.setLocalDescription(.offer, try call.createOffer()) } catch { give(up: "\(error)") }
    }

    func happened(_ event: PeerEvent, at connection: PeerConnection) {
        switch event {
        case .candidatesEnded: self.post(connection)
        case .stateChanged(.connected):
            self.setUps.append(self.began.duration(to: SteadyClock.now))
            self.next()
        case .stateChanged(.failed): give(up: "a call failed")
        default: return
        }
    }

    private func post(_ connection: PeerConnection) {
        guard let reactor = self.factory?.reactor, let offer = connection.localDescription else { return }
        let body = RawJSON { json in
            json.field("type", "offer")
            json.field("sdp", offer)
        }
        HTTPCall(self.server, on: reactor) { outcome in
            guard case .success(let answer) = outcome, let sdp = RawJSON(answer.body)?.text("sdp") else {
                give(up: "no answer: \(outcome)")
            }
            do { try connection.setRemoteDescription(.answer, sdp) } catch { give(up: "\(error)") }
        }
        .send(.post, "/offer", json: body.bytes, timeout: .seconds(10))
    }

    /// Each call has a moment of its own in each 20 ms, as in life. To the microsecond: it looks at the clock all the time.
    func talk(on loop: EventLoop) {
        let (start, packet) = (self.start ?? SteadyClock.now, self.packet)
        self.start = start
        while start + .milliseconds(20) * self.ticks / self.calls.count <= SteadyClock.now {
            self.calls[self.ticks % self.calls.count].forward(packet.span, duration: 960)
            self.ticks += 1
        }
        loop.execute { _ in self.talk(on: loop) }
    }

    func report() -> String {
        let times = self.setUps.map { $0 / .milliseconds(1) }.sorted()
        var (sent, heard) = (UInt64(0), UInt64(0))
        for line in self.calls.flatMap({ $0.getStats().lines }) {
            sent += line.outbound?.packetsSent ?? 0
            heard += line.inbound?.packetsReceived ?? 0
        }
        return """
            {"calls":\(times.count),"p50":\(times[times.count / 2]),"p95":\(times[times.count * 95 / 100]),\
            "sent":\(sent),"heard":\(heard)}
            """
    }

    func end() { for call in self.calls { call.close() } }
}

/// A load that cannot be made is no measurement.
func give(up reason: String) -> Never {
    print(reason)
    exit(70)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let server = ServerURL(arguments[1]), let calls = Int(arguments[2]),
    let seconds = Double(arguments[3])
else {
    print("usage: CallLoadBench URL CALLS SECONDS")
    exit(64)
}
let group = try EventLoopGroup(count: 1)
let stands = Gate()
let load = Load(server, calls) { stands.open() }
group.loops[0].execute { load.begin(on: $0) }
stands.wait()

/// What the load says of itself, from its own loop.
func report() -> String {
    let (line, done) = (Locked(""), Gate())
    group.loops[0].execute { _ in
        line.withLock { $0 = load.report() }
        done.open()
    }
    done.wait()
    return line.withLock(\.self)
}

print(report())
fflush(nil)
_ = readLine()
let isOver = Gate()
group.loops[0].execute { reactor in
    load.talk(on: group.loops[0])
    reactor.schedule(after: .seconds(seconds)) { isOver.open() }
}
isOver.wait()
print(report())
fflush(nil)
_ = readLine()
group.loops[0].execute { _ in load.end() }
group.shutDown()
