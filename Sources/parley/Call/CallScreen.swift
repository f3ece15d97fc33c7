import System
import AudioStreams
import Handset
import MediaStreams
import Peer
import Reactor
import Vocabulary

/// The line on a terminal that tells how a call is going. In a pipe it says nothing.
final class CallScreen {
    private let isInteractive = FileDescriptor.standardError.isTerminal
    private var hasLine = false

    /// A step on the way, on a line of its own.
    func say(_ text: String) {
        guard self.isInteractive else { return }
        self.wipe()
        Terminal.complain(text)
    }

    /// What matters beyond a terminal, too.
    func warn(_ text: String) {
        self.wipe()
        Terminal.complain(text)
    }

    /// Somebody keeps what is said: that matters to scripts as well.
    func tell(_ name: String, recordsSince start: WallTime?) {
        let name = PlainText.line(name)
        self.warn(start == nil ? "\(name) no longer records" : "\(name) is recording")
    }

    func show(_ link: PeerLink, for duration: Duration, isMuted: Bool = false) {
        guard self.isInteractive else { return }
        let statistics = link.connection.getStats()
        let line = statistics.sound
        var text = "\(Self.clock(duration))  in \(Self.bar(link.detector.level))"
        if let outbound = line?.outbound { text += "  out \(Self.bar(Float(outbound.audioLevel)))" }
        if isMuted { text += " muted" }
        if let inbound = line?.inbound {
            text += "  lost \(inbound.packetsLost)  jitter \((inbound.jitter / .milliseconds(1)).fixed(0)) ms"
        }
        if let roundTrip = statistics.roundTrip { text += "  round trip \((roundTrip / .milliseconds(1)).fixed(0)) ms" }
        FileDescriptor.standardError.print("\r\u{1B}[K\(text)")
        self.hasLine = true
    }

    func wipe() {
        guard self.hasLine else { return }
        self.hasLine = false
        FileDescriptor.standardError.print("\r\u{1B}[K")
    }

    private static func clock(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }

    /// Ten steps of six decibels.
    private static func bar(_ level: Float) -> String {
        let decibels = level > 0 ? 20 * Math.log10(Double(level)) : -100
        let filled = max(0, min(10, Int((decibels + 60) / 6)))
        return String(repeating: "▮", count: filled) + String(repeating: "▯", count: 10 - filled)
    }
}
