import Sound
import Testing

@Suite("Devices by their names")
struct SoundDeviceListTests {
    private static let list = SoundDeviceList([
        SoundDevice(name: "out.usb", title: "Headset Stereo", direction: .output),
        SoundDevice(
            name: "in.monitor", title: "Monitor of Speakers", direction: .input, isDefault: true, isMonitor: true),
        SoundDevice(name: "in.usb", title: "Headset Mono", direction: .input),
        SoundDevice(name: "in.webcam", title: "Head Camera", direction: .input),
        SoundDevice(name: "out.card", title: "Speakers", direction: .output, isDefault: true),
    ])

    @Test(
        "A device is found by a name, a title or a beginning of one",
        arguments: [
            ("in.usb", "in.usb"), ("IN.USB", "in.usb"), ("headset mono", "in.usb"), ("heads", "in.usb"),
            ("Head C", "in.webcam"), ("in.w", "in.webcam"), ("in.monitor", "in.monitor"), ("default", "in.usb"),
        ])
    func finds(text: String, name: String) throws {
        #expect(try Self.list.find(text, .input).name == name)
    }

    @Test("A beginning that several devices share is refused with their names")
    func refusesAmbiguous() {
        #expect(throws: SoundDeviceList.Refusal.ambiguous(Self.list.choice(of: .input))) {
            try Self.list.find("head", .input)
        }
    }

    @Test("A name of no device is refused", arguments: ["", "x", "in.mon", "Monitor", "out.card"])
    func refusesUnknown(text: String) {
        #expect(throws: SoundDeviceList.Refusal.unknown) { try Self.list.find(text, .input) }
    }

    @Test("What a loudspeaker plays is never the microphone by default")
    func neverMonitor() {
        #expect(Self.list.preset(.input)?.name == "in.usb" && Self.list.preset(.output)?.name == "out.card")
        let monitor = SoundDevice(name: "m", title: "M", direction: .input, isDefault: true, isMonitor: true)
        #expect(SoundDeviceList([monitor]).preset(.input) == nil)
        #expect(throws: SoundDeviceList.Refusal.unknown) { try SoundDeviceList([monitor]).find("default", .input) }
    }
}
