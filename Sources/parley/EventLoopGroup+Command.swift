import Arguments
import Reactor

extension EventLoopGroup {
    /// The one loop a command works on. Its creator shuts it down.
    static func forCommand() throws(CommandFailure) -> EventLoopGroup {
        do throws(ReactorError) {
            return try EventLoopGroup(count: 1)
        } catch {
            throw CommandFailure("\(error)", exitCode: .osError)
        }
    }
}
