import Bytes
import ICE
import STUN
import Vocabulary

/// Whatever a peer says that knows the password, and whatever a candidate line says, an agent goes on, and its deadlines
/// pass.
enum ICEFuzz {
    private static let peer = SocketAddress(.v4(0x0A00_0002), port: 6000)
    private static let path = PathID(rawValue: 0)

    @Sendable static func run(_ bytes: [UInt8]) {
        let input = FuzzInput(bytes)
        self.line(String(decoding: input.bytes, as: UTF8.self))
        guard let message = try? STUNMessage(parsing: input.bytes.span) else { return }
        var random = Dice(state: 1)
        let ours = ICECredentials(using: &random)
        let theirs = ICECredentials(using: &random)
        var outbox = Outbox<ICEEvent>()
        var now = Instant(nanoseconds: 0)
        let role: ICERole = input.control & 1 == 0 ? .controlling : .controlled
        var settings = ICESettings()
        settings.isLite = input.control & 2 != 0
        var agent = ICEAgent(role, ours, settings: settings, random: random)
        agent.pathAdded(
            ICEPath(self.path, address: SocketAddress(.v4(0x0A00_0001), port: 5000)), at: now, into: &outbox)
        if input.control & 8 != 0 { agent.handshake.begin() }
        if input.control & 4 != 0 { agent.remoteDescribed(theirs, at: now, into: &outbox) }
        for _ in 0..<3 {
            let packet = self.signed(message, input.bytes, ours, theirs)
            _ = agent.received(packet.span, on: self.path, from: self.peer, at: now, into: &outbox)
            // As a session of DTLS would that answers with what it heard.
            agent.handshake.carry(agent.handshake.takeDatagrams())
            agent.answerCheck(into: &outbox)
            self.pass(&agent, &now, &outbox)
        }
    }

    /// The attributes that were thought of, behind the right name and with the right code.
    private static func signed(
        _ message: STUNMessage, _ bytes: [UInt8], _ ours: ICECredentials, _ theirs: ICECredentials
    ) -> [UInt8] {
        var writer = STUNWriter(message.type.class, STUNMethod.binding, message.transaction)
        writer.append(.username, text: "\(ours.usernameFragment):\(theirs.usernameFragment)")
        var attributes = message.attributes
        while let attribute = attributes.next() {
            writer.append(attribute.type, bytes.span.extracting(attribute.range))
        }
        let isRequest = message.type.class == .request
        writer.appendIntegrity(STUNKey(shortTerm: isRequest ? ours.password : theirs.password))
        writer.appendFingerprint()
        return writer.finish().bytes
    }

    private static func pass(_ agent: inout ICEAgent, _ now: inout Instant, _ outbox: inout Outbox<ICEEvent>) {
        outbox.removeAll()
        let end = now + .seconds(1)
        var steps = 0
        while let deadline = agent.deadline, deadline <= end {
            now = max(now, deadline)
            agent.clockAdvanced(to: now, into: &outbox)
            steps += 1
            demand(steps < 500, "the deadline does not pass")
        }
        now = end
    }

    private static func line(_ text: String) {
        guard let candidate = ICECandidate(text) else { return }
        demand(ICECandidate(candidate.text) == candidate, "a candidate came back changed")
    }
}
