import ICE
import MediaStreams
import Negotiating
import Peer
import SDP
import TestSupport
import Testing
import VideoStreams
import VirtualPeers
import Vocabulary

@Suite("A call with pictures")
struct VideoCallTests {
    /// A caller with a camera, whose pictures begin anew when the other side asks for it.
    final class Camera {
        let caller: VirtualCaller
        private(set) var camera: TestCamera
        private let network: VirtualNetwork
        private let transceiver: Int

        init(_ caller: VirtualCaller, _ codec: VideoCodec, on network: VirtualNetwork, transceiver: Int = 1) {
            self.caller = caller
            self.camera = TestCamera(codec)
            self.network = network
            self.transceiver = transceiver
            caller.onEvent = { [weak self] event in if case .keyFrameWanted = event { self?.camera.makeKeyFrame() } }
        }

        func begin() {
            let packets = self.camera.next()
            self.caller.act { session, now, outbox in
                for packet in packets { session.forward(packet, on: self.transceiver, at: now, into: &outbox) }
            }
            self.network.after(.milliseconds(33)) { [weak self] in self?.begin() }
        }
    }

    private static func settings(_ codecs: [Codec] = [.vp8, .h264], echoes: Bool = false) -> PeerSettings {
        var settings = PeerSettings()
        var video = VideoSettings()
        video.codecs = codecs
        video.echoes = echoes
        video.lendsPackets = !echoes
        settings.video = video
        return settings
    }

    private static func video(_ caller: VirtualCaller) throws -> CallStatistics.Line {
        try #require(caller.session.statistics.lines.first { $0.kind == .video })
    }

    private static func echo(_ codec: VideoCodec, loss: Double) throws -> (CallScene, Camera) {
        let codecs: [Codec] = codec == .vp8 ? [.vp8] : [.h264]
        let scene = CallScene(loss: loss, settings: self.settings(codecs), calleeSettings: self.settings(echoes: true))
        scene.caller.session.addTransceiver()
        scene.callee.session.addTransceiver(isForTrack: true)
        scene.caller.session.addTransceiver(.video)
        try scene.caller.offer()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.session.state == .connected } })
        let camera = Camera(scene.caller, codec, on: scene.network)
        camera.begin()
        return (scene, camera)
    }

    private static func comesBack(_ codec: VideoCodec) throws {
        let (scene, camera) = try Self.echo(codec, loss: 0)
        scene.network.run(for: .seconds(5))
        let inbound = try #require(try Self.video(scene.caller).inbound)
        #expect(inbound.framesReceived + 5 >= camera.camera.pictures && inbound.packetsLost == 0)
        #expect(inbound.keyFramesReceived >= 1)
        let echoed = try #require(try Self.video(scene.callee).outbound)
        #expect(echoed.framesSent == (try Self.video(scene.callee)).inbound?.framesReceived)
    }

    @Test("J15.echo pictures in VP8 come back as they went")
    func vp8() throws { try Self.comesBack(.vp8) }

    @Test("J16.echo pictures in H.264 come back as they went")
    func h264() throws { try Self.comesBack(.h264) }

    @Test("J15.repair pictures come back whole although packets get lost both ways")
    func losses() throws {
        let (scene, camera) = try Self.echo(.vp8, loss: 0.1)
        scene.network.run(for: .seconds(20))
        let line = try Self.video(scene.caller)
        let inbound = try #require(line.inbound)
        // Three packets a picture, each lost with one of ten each way: without repetition half of them would be whole.
        #expect(Double(inbound.packetsReceived) > 0.985 * Double(3 * camera.camera.pictures))
        #expect(inbound.nackCount > 100)
        let callee = try Self.video(scene.callee)
        #expect(callee.outbound.map { $0.retransmittedPacketsSent > 50 && $0.nackCount > 50 } == true)
        #expect(callee.inbound.map { $0.nackCount > 50 } == true)
    }

    @Test("J15.rejected pictures that were never wanted are rejected, and the sound goes on")
    func rejection() throws {
        let scene = CallScene(settings: Self.settings(), calleeSettings: PeerSettings())
        scene.caller.session.addTransceiver()
        scene.caller.session.addTransceiver(.video)
        scene.callee.session.addTransceiver(isForTrack: true)
        try scene.caller.offer()
        scene.callee.talk()
        scene.caller.talk()
        #expect(scene.run(until: 5000) { scene.callers.allSatisfy { $0.audibleAt != nil } })
        let transceivers = scene.caller.session.negotiation.transceivers
        #expect(transceivers.map(\.kind) == [.audio, .video] && transceivers.map(\.isStopped) == [false, true])
        #expect(scene.callee.session.negotiation.localDescription?.media.map(\.isRejected) == [false, true])
    }

    /// A camera, a viewer, and between them one who passes on what comes: two calls on one network.
    private final class Relay {
        let network = VirtualNetwork(seed: 3)
        let camera: Camera
        let incoming: VirtualCaller
        let outgoing: VirtualCaller
        let viewer: VirtualCaller

        init(_ codec: VideoCodec, codecs: [Codec]) {
            let network = self.network
            let link = LinkProfile(delay: .milliseconds(20))
            let callers = (0..<4).map { index in
                VirtualCaller(
                    VideoCallTests.settings(codecs), CallScene.contexts[index % 2], on: network,
                    network.addHost(.v4(0xCB00_7105 + UInt32(index)), link: link, down: link), signalling: .zero)
            }
            (self.incoming, self.outgoing, self.viewer) = (callers[1], callers[2], callers[3])
            for (one, other) in [(callers[0], callers[1]), (callers[2], callers[3])] {
                one.other = other
                other.other = one
            }
            self.camera = Camera(callers[0], codec, on: network, transceiver: 0)
            let (incoming, outgoing) = (self.incoming, self.outgoing)
            incoming.onEvent = { [unowned incoming, unowned outgoing] event in
                guard case .picturesWaiting(let transceiver) = event else { return }
                for packet in incoming.session.takePictures(of: transceiver) {
                    outgoing.act { $0.forward(packet, on: 0, at: $1, into: &$2) }
                }
            }
            outgoing.onEvent = { [unowned incoming] event in
                guard case .keyFrameWanted = event else { return }
                incoming.act { $0.requestKeyFrame(of: 0, at: $1, into: &$2) }
            }
        }

        func connect(_ caller: VirtualCaller, _ direction: SDPDirection) throws {
            caller.session.addTransceiver(.video, direction)
            try caller.offer()
            network.run(for: .seconds(1))
        }
    }

    private static func joinsLate(_ codec: VideoCodec, _ codecs: [Codec]) throws {
        let relay = Relay(codec, codecs: codecs)
        try relay.connect(relay.camera.caller, .sendOnly)
        relay.camera.begin()
        relay.network.run(for: .seconds(5))
        #expect(relay.camera.camera.keyFrames == 1)
        try relay.connect(relay.outgoing, .sendOnly)
        relay.network.run(for: .seconds(2))
        let seen = try #require(try Self.video(relay.viewer).inbound)
        #expect(relay.camera.camera.keyFrames == 2 && seen.keyFramesReceived == 1)
        #expect(seen.framesReceived > 70)
        // Whoever loses sight asks, and is seen to: at most twice a second.
        for _ in 0..<20 {
            relay.viewer.act { $0.requestKeyFrame(of: 0, at: $1, into: &$2) }
            relay.network.run(for: .milliseconds(100))
        }
        #expect((3...5).contains(relay.camera.camera.keyFrames - 2), "\(relay.camera.camera.keyFrames)")
    }

    @Test("J15.keyframes a viewer who joins late gets a key frame of VP8 from the camera, through a relay")
    func lateVP8() throws { try Self.joinsLate(.vp8, [.vp8, .h264]) }

    @Test("J16.keyframes a viewer who joins late gets a key frame of H.264 from the camera, through a relay")
    func lateH264() throws { try Self.joinsLate(.h264, [.h264]) }
}
