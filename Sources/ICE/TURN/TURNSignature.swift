import STUN

/// In whose name requests are signed: that of the account, or still that of the one the allocation was made in.
struct TURNSignature: Sendable {
    private(set) var authentication: STUNAuthentication?
    /// Counts the changes, so that an answer to an older signature can be told from one to this.
    private var age = 0
    /// As it was when the allocation was granted.
    private var granted: TURNAccount?
    private var account: TURNAccount?

    init() {}

    func isNewer(than other: TURNSignature) -> Bool { self.age > other.age }

    /// Signs for a new realm or with a new nonce. False when the server asks for what we cannot do.
    mutating func answer(_ challenge: STUNChallenge, as account: TURNAccount) -> Bool {
        self.sign(self.account ?? account, challenge)
        return self.authentication != nil
    }

    mutating func change(to account: TURNAccount) {
        self.account = account
        if let challenge = self.authentication?.challenge { self.sign(account, challenge) }
    }

    /// The allocation is in this name now.
    mutating func wasTaken() { self.granted = self.account }

    /// The new name was not taken for an allocation that was made in another; that other may be taken to its end.
    /// False when there is none.
    mutating func goBack() -> Bool {
        guard let granted = self.granted, granted != self.account,
            let challenge = self.authentication?.challenge
        else { return false }
        self.sign(granted, challenge)
        return true
    }

    private mutating func sign(_ account: TURNAccount, _ challenge: STUNChallenge) {
        self.account = account
        self.age += 1
        self.authentication = STUNAuthentication(
            username: account.username, password: account.password, challenge: challenge)
    }
}
