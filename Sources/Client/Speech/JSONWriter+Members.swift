import JSON

extension JSONWriter {
    /// Texts under their names, in the middle of an object; what is nil stays away.
    mutating func members(_ members: [(String, String?)]) {
        for case (let name, let text?) in members {
            self.field(name, text)
        }
    }
}
