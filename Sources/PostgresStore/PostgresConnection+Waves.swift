internal import PostgresLink

extension PostgresConnection {
    /// Calls back when everything that was sent is answered, well or not, with the first error. When the connection breaks before, nobody is
    /// called: the link brings another one.
    func synchronize(_ done: @escaping (PostgresError?) -> Void) {
        self.sync { error in
            if error?.reason != .broken { done(error) }
        }
    }
}
