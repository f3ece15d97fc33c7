/// What libpq says when a connection does not come about. With the verbosity we ask for, the server's words
/// have their SQLSTATE in front: `… failed: FATAL:  28P01: password authentication failed for user "x"`.
enum ConnectFailure {
    static func error(_ text: String, at endpoint: String) -> PostgresError {
        guard let (state, message) = self.serverWords(text) else { return self.own(text, endpoint) }
        let reason = PostgresError.Reason(state: state)
        if self.isPoolers(message) { return PostgresError(.pooled, state: state, "\(endpoint): \(self.pooler)") }
        return PostgresError(reason == .broken ? .unreachable : reason, state: state, "\(endpoint): \(message)")
    }

    /// Why a shared connection will not do.
    static let pooler = """
        there is a connection pooler (such as PgBouncer) in between: Parley keeps its sessions, their settings and \
        prepared statements, so it has to speak to PostgreSQL itself
        """

    /// SQLSTATE and message of the last thing a server said in there.
    private static func serverWords(_ text: String) -> (state: String, message: String)? {
        for line in text.split(separator: "\n").reversed() {
            guard let (_, words) = self.cut(line, at: ":  "), let (state, message) = self.cut(words, at: ": ") else {
                continue
            }
            let isState =
                state.utf8.count == 5 && state.utf8.allSatisfy { $0 < 128 && ($0 < 58 || $0 > 64) && $0 >= 48 }
            if isState { return (String(state), String(message)) }
        }
        return nil
    }

    private static func cut(_ text: Substring, at mark: String) -> (Substring, Substring)? {
        text.firstRange(of: mark).map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
    }

    private static func own(_ text: String, _ endpoint: String) -> PostgresError {
        let line = text.split(separator: "\n").first ?? "no answer"
        let message = self.cut(line, at: "failed: ")?.1 ?? line
        return PostgresError(self.reason(text), "\(endpoint): \(message)")
    }

    private static func reason(_ text: String) -> PostgresError.Reason {
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        if self.isPoolers(text) { return .pooled }
        if says("read-only", "hot standby") { return .readOnly }
        if says("certificate", "SSL") { return .untrusted }
        if says("password", "SCRAM", "authentication") { return .authentication }
        return .unreachable
    }

    private static func isPoolers(_ text: String) -> Bool { text.contains("unsupported startup parameter") }
}
