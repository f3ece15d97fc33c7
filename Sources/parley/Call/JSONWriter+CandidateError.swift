import JSON
import Pathways

extension JSONWriter {
    /// A server that was of no use, as fields.
    mutating func write(_ error: CandidateError) {
        self.field("server", error.url)
        self.field("code", error.code)
        self.field("error", error.text)
    }
}
