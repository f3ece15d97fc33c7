import JSON

/// What a client shows to take up where it left off.
struct Resumption {
    /// The secret the server gave us (`pid`).
    private var key: String?
    /// What the last event was called that can be counted.
    private var offset: String?

    func write(to json: inout JSONWriter) {
        guard let key = self.key else { return }
        json.field("pid", key)
        guard let offset = self.offset else { return }
        json.field("offset", offset)
    }

    /// Whether the session goes on: the server then names the key that we showed.
    mutating func joined(key: String?) -> Bool {
        let isRecovered = key != nil && key == self.key
        if !isRecovered { self.offset = nil }
        self.key = key
        return isRecovered
    }

    mutating func heard(_ offset: String) {
        if self.key != nil { self.offset = offset }
    }
}
