import Arguments
import AudioStreams
import Operations
import Pathways
import Handset
import Peer
import Sound

/// What a call is to be like.
struct CallPlan: Sendable {
    var settings = PeerSettings()
    var play: PlayedThing?
    var recording = RecordingPlan()
    /// The microphone and the loudspeaker; nil where there is none or none is wanted.
    var devices: SoundStation.Plan?
    /// Of devices that are not there: said when it matters.
    var deviceRemark: String?
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
    /// How we come into a room.
    var roomKey = RoomKey()
    /// Those of a file, in place of what the server advises.
    var servers: [AdvisedServer]?

    /// What is said, from its beginning.
    func openFeed() throws(CommandFailure) -> (any SoundFeed)? {
        try self.play?.open(channels: self.settings.sound.channels)
    }
}
