import Arguments
import Calling
import JSON
import Operations

/// How one comes into a room, and what one asks of others when opening it.
struct RoomKeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Password of the room; whoever opens a room with one sets it for everybody. Better in PARLEY_ROOM_PASSWORD, since other users of this machine can read command lines.",
            valueName: "TEXT"))
    var roomPassword: String?

    @Flag(help: "Open the room by invitation only; where it is open that way already, ask to be let in.")
    var byInvitation = false

    func validate() throws(ValidationError) {
        if self.roomPassword != nil, self.byInvitation {
            throw ValidationError("--room-password and --by-invitation cannot be combined")
        }
        guard let password = self.roomPassword else { return }
        guard (1...RoomPassword.maximumBytes).contains(password.utf8.count) else {
            throw ValidationError("--room-password has 1 to \(RoomPassword.maximumBytes) bytes")
        }
    }

    var isGiven: Bool { self.roomPassword != nil || self.byInvitation }

    var json: [UInt8] { JSONWriter.object { Field.roomKey(self.key).write(to: &$0) } }

    var key: RoomKey { RoomKey(password: self.roomPassword, isByInvitation: self.byInvitation) }
}
