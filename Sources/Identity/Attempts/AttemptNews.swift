package import Vocabulary

/// What one node counts of those who guess, and all others count too.
package struct AttemptNews: Hashable, Sendable {
    package enum Word: String, Sendable {
        /// It counts as failed until something else is said.
        case began, succeeded, cancelled
        /// An account was made.
        case created
    }

    package let word: Word
    /// Whose password was shown; nil for other secrets and for new accounts.
    package let account: String?
    package let address: IPAddress

    package init(_ word: Word, account: String? = nil, from address: IPAddress) {
        self.word = word
        self.account = account
        self.address = address
    }
}
