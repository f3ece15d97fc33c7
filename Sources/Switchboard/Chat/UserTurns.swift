internal import Vocabulary

/// Lets one heavy question of each user go on at a time. The user's others wait in their order, and no more of them than may.
final class UserTurns {
    typealias Work = () -> Void

    /// Whoever has an entry has a question under way.
    private var waiting: [UserID: [Work]] = [:]

    /// False when as many wait as may. Work that began ends with `leave`.
    func enter(_ user: UserID, maximumWaiting: Int, _ work: @escaping Work) -> Bool {
        guard let others = self.waiting[user] else {
            self.waiting[user] = []
            work()
            return true
        }
        guard others.count < maximumWaiting else { return false }
        self.waiting[user, default: []].append(work)
        return true
    }

    /// The next one of this user begins.
    func leave(_ user: UserID) {
        guard let others = self.waiting[user], !others.isEmpty else {
            self.waiting[user] = nil
            return
        }
        self.waiting[user, default: []].removeFirst()()
    }
}
