import Arguments
import AudioStreams
import Pathways
import Handset
import Peer

/// What a call is to be like.
struct CallPlan: Sendable {
    var settings = PeerSettings()
    var play: PlayedThing?
    var recording = RecordingPlan()
    var keys = ""
    /// After so long the call is ended; nil leaves that to others.
    var duration: Duration?
    /// What is said ends the call when it is over.
    var endsWithSound = false
    var expectsAudio = false
    /// What is heard is said again, through the codec.
    var echoesDecoded = false
    var isJSON = false
    /// A peer that cannot send UDP may come over TCP.
    var takesConnections = true
    /// Where packets are written for others to look into.
    var capture: String?
    /// Those of a file, in place of what the server advises.
    var servers: [AdvisedServer]?

    /// What is said, from its beginning.
    func openFeed() throws(CommandFailure) -> (any SoundFeed)? {
        try self.play?.open(channels: self.settings.sound.channels)
    }
}
