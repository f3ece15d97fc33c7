import Sound
import Testing
import Vocabulary

@Suite("One direction of sound while devices come and go")
struct DeviceFollowerTests {
    private let start = Instant(milliseconds: 0)

    private func opened() -> DeviceFollower {
        var follower = DeviceFollower(.input, device: "headset")
        #expect(follower.observed(.gone, at: self.start) == (.open(device: "headset"), nil))
        #expect(follower.observed(.opening, at: self.start) == (.nothing, nil))
        #expect(follower.observed(.open(name: "headset"), at: self.start) == (.nothing, nil))
        return follower
    }

    @Test("The chosen device is opened without a word")
    func opensChosen() {
        #expect(self.opened().isOpen)
    }

    @Test("A device that vanishes is told, and the default takes its place")
    func goesOnWithDefault() {
        var follower = self.opened()
        #expect(follower.observed(.gone, at: self.start) == (.nothing, .lost(.input)))
        #expect(!follower.isOpen)
        #expect(follower.observed(.gone, at: self.start) == (.open(device: nil), nil))
        #expect(follower.observed(.open(name: "camera"), at: self.start) == (.nothing, .uses(.input, name: "camera")))
        #expect(follower.observed(.open(name: "camera"), at: self.start) == (.nothing, nil))
    }

    @Test("Where no device is left the default is tried every two seconds, and told once")
    func triesAgain() {
        var follower = self.opened()
        _ = follower.observed(.gone, at: self.start)
        _ = follower.observed(.gone, at: self.start)
        #expect(follower.observed(.gone, at: self.start) == (.nothing, nil))
        #expect(follower.observed(.gone, at: self.start + .milliseconds(1999)) == (.nothing, nil))
        #expect(follower.observed(.gone, at: self.start + .seconds(2)) == (.open(device: nil), nil))
        #expect(
            follower.observed(.open(name: "headset"), at: self.start) == (.nothing, .uses(.input, name: "headset")))
    }

    @Test("A stream that the sound server moved elsewhere is told")
    func isMoved() {
        var follower = self.opened()
        #expect(follower.observed(.open(name: "camera"), at: self.start) == (.nothing, .uses(.input, name: "camera")))
    }
}
