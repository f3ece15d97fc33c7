/// What a session left to be written when it ends, and for whom.
package struct LeftWrite: Hashable, Sendable {
    package let session: String
    /// Where, as clients write it.
    package let path: String
    /// What else is to be done follows in the order of these.
    package let number: Int64
    /// JSON, as it came.
    package let value: [UInt8]
    /// Who left it: the claims of their sign-in as JSON, or nothing.
    package let auth: [UInt8]

    package init(session: String, path: String, number: Int64, value: [UInt8], auth: [UInt8]) {
        self.session = session
        self.path = path
        self.number = number
        self.value = value
        self.auth = auth
    }
}
