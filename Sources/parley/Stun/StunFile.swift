import System
import Arguments
import ICE
import ICEServers
import Journal
import Pathways
import SoundFiles
import Vocabulary

/// The `ice-servers.json` that is looked at, and the one that is written.
struct StunFile {
    private let bytes: [UInt8]
    private let list: ICEServerList

    init(_ path: String) throws(CommandFailure) {
        do {
            self.bytes = Array(try TextFile.read(path).utf8)
            self.list = try ICEServerList(parsing: self.bytes, environment: ProcessEnvironment.variables)
        } catch {
            throw CommandFailure("\(path): \(error)", exitCode: .noInput)
        }
    }

    /// Each URL with the credentials that a user would be given now.
    func targets(into selection: inout ICEServerSelection) throws(CommandFailure) -> [SurveyTarget] {
        guard let somebody = UserID("parley-stun") else { throw CommandFailure("no name for the credentials") }
        selection.add(file: self.bytes)
        let now = WallTime(seconds: LogTime.now().secondsSince1970)
        return self.list.offer(to: somebody, at: now).servers.flatMap { server in
            let account = server.username.map { TURNAccount(username: $0, password: server.credential ?? "") }
            return server.urls.map { SurveyTarget($0, account: account) }
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
        do throws(SystemError) {
            let file = try OutputFile(path: path)
            try file.write(bytes.span)
            try file.commit()
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
    }
}
