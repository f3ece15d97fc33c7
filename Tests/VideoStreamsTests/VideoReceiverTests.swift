import MediaStreams
import RTP
import Testing
import VideoStreams
import Vocabulary

@Suite("A receiver of pictures")
struct VideoReceiverTests {
    @Test("J15.repair asks for missing packets after ten milliseconds, and again after each round trip until they come")
    func missing() {
        var stage = ReceiverStage()
        stage.take(65_534, at: 0, isKeyFrame: true)
        stage.take(2, at: 5)
        stage.run(from: 5, to: 100)
        #expect(stage.missing.map(\.time) == [15])
        #expect(stage.missing.first?.numbers == [65_535, 0, 1])
        let late = stage.take(0, at: 100)
        #expect(late?.sequence == 65_536)
        stage.run(from: 100, to: 200)
        #expect(stage.missing.map(\.time) == [15, 125])
        #expect(stage.missing.last?.numbers == [65_535, 1])
        stage.take(65_535, at: 200)
        stage.take(1, at: 200)
        stage.run(from: 200, to: 2000)
        #expect(stage.missing.count == 2 && stage.keyFrames.isEmpty)
        #expect(stage.receiver.statistics.packetsLost == 0 && stage.receiver.statistics.nackCount == 2)
    }

    @Test("J15 does not ask for what was only overtaken")
    func reordering() {
        var stage = ReceiverStage()
        stage.take(1, at: 0, isKeyFrame: true)
        stage.take(3, at: 1)
        stage.take(2, at: 6)
        stage.run(from: 0, to: 1000)
        #expect(stage.missing.isEmpty)
    }

    @Test("J15 passes each packet on once, whatever comes twice")
    func duplicates() {
        var stage = ReceiverStage()
        #expect(stage.take(1, at: 0, isKeyFrame: true) != nil)
        #expect(stage.take(1, at: 1) == nil)
        #expect(stage.take(4, at: 2) != nil)
        #expect(stage.take(2, at: 3) != nil)
        #expect(stage.take(2, at: 4) == nil)
        #expect(stage.receiver.statistics.packetsDiscarded == 2)
    }

    @Test("J15 asks for a key frame when packets do not come, twice a second until it does")
    func givingUp() {
        var stage = ReceiverStage()
        stage.take(1, at: 0, isKeyFrame: true)
        stage.take(3, at: 10)
        stage.run(from: 10, to: 2000)
        #expect(stage.missing.count > 5 && stage.missing.allSatisfy { $0.numbers == [2] && $0.time <= 1010 })
        #expect(stage.keyFrames.map(\.time).first.map { (1000...1130).contains($0) } == true)
        #expect(stage.keyFrames.count == 2 && stage.keyFrames.allSatisfy { $0.request == .pictureLoss })
        stage.take(4, at: 2000, isKeyFrame: true)
        stage.run(from: 2000, to: 5000)
        #expect(stage.keyFrames.count == 2)
        #expect(stage.receiver.statistics.keyFramesReceived == 2)
    }

    @Test("J15.keyframes relays requests for key frames at most twice a second, as FIR where the sender knows no PLI")
    func keyFrameRequests() {
        var stage = ReceiverStage { $0.usesPictureLoss = false }
        stage.take(1, at: 0)
        for time in 0..<1000 {
            stage.receiver.requestKeyFrame(at: .init(milliseconds: Int64(time)))
            stage.run(from: time, to: time + 1)
        }
        #expect(stage.keyFrames.map(\.time) == [0, 500])
        #expect(stage.keyFrames.map(\.request) == [.fullIntra(number: 1), .fullIntra(number: 2)])
    }

    @Test("J15 asks for no single packets where the sender takes no such requests")
    func withoutRequests() {
        var stage = ReceiverStage { $0.requestsMissing = false }
        stage.take(1, at: 0, isKeyFrame: true)
        stage.take(5, at: 1)
        stage.run(from: 0, to: 3000)
        #expect(stage.missing.isEmpty)
    }

    @Test("J15 takes a jump of the numbers for another stream, and another sender only after silence")
    func restarts() {
        var stage = ReceiverStage()
        let first = stage.take(1, at: 0, isKeyFrame: true)
        #expect(stage.take(20_000, at: 10) == nil)
        let second = stage.take(20_001, at: 20)
        #expect(second?.stream != first?.stream)
        #expect(stage.take(1, at: 100, ssrc: 10) == nil)
        let third = stage.take(2, at: 700, ssrc: 10)
        #expect(third != nil && third?.stream != second?.stream)
        stage.run(from: 0, to: 3000)
        #expect(stage.missing.isEmpty)
    }
}
