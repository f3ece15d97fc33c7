import Calling
import Conversing
import JSON
import Keeping
import Vocabulary

extension CallRecord {
    /// What is kept of the call between the two, as a message of the caller's: how it ended, and how long they talked.
    func message(in fresh: ConversationID, at now: WallTime) -> ChangeRequest {
        var json = JSONWriter()
        json.object { json in
            json.key("call")
            json.string(self.id.text)
            json.key("kind")
            json.string(self.kind.rawValue)
            json.key("outcome")
            json.string(self.outcome.rawValue)
            json.key("seconds")
            json.integer(Int(self.answered.map { $0.duration(to: self.ended).clampedMilliseconds / 1000 } ?? 0))
        }
        let draft = Draft(.call, MessageBody(proven: json.bytes))
        return ChangeRequest(
            .user(self.callee, new: fresh), .post(draft), by: self.caller, as: MessageID("call-\(self.id.text)"),
            at: now)
    }
}
