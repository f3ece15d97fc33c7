import System
import Client
import Vocabulary

extension ParleyClient {
    /// More of one name help nobody to choose.
    static let maximumNamesakes = 10

    /// Who comes without a token has an id that cannot be guessed. A user at a terminal who writes to a name is told of it;
    /// that another user is called so is no reason to send them what was meant for another.
    func hint(about target: ChatTarget) async {
        guard case .user(let user) = target, FileDescriptor.standardError.isTerminal,
            let everybody = try? await self.watchEverybody(), !everybody.contains(where: { $0.user == user })
        else { return }
        try? await self.unwatchEverybody()
        for namesake in everybody.filter({ $0.name == user.text }).prefix(Self.maximumNamesakes) {
            Terminal.complain("no user here has the id \(user.text); @\(namesake.user.text) is called so")
        }
    }
}
