import Calling
import Conversing
import JSON
import Keeping
import Vocabulary

extension CallRecord {
    /// What is kept of the call between the two, as a message of the caller's: how it ended, and how long they talked.
    func message(in fresh: ConversationID, at now: WallTime) -> ChangeRequest {
        let talked = self.answered.map { $0.duration(to: self.ended).clampedMilliseconds / 1000 }
        let json = JSONWriter.object { json in
            json.field("call", self.id.text)
            json.field("kind", self.kind.rawValue)
            json.field("outcome", self.outcome.rawValue)
            json.field("seconds", talked ?? 0)
        }
        let draft = Draft(.call, MessageBody(proven: json))
        return ChangeRequest(
            .user(self.callee, new: fresh), .post(draft), by: self.caller, as: MessageID("call-\(self.id.text)"),
            at: now)
    }
}
