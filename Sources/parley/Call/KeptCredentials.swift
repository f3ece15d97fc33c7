import System
import Arguments
import Client
import JSON
import Reactor
import SoundFiles
import Vocabulary

/// Who we are to servers, kept between one time and the next in the user's configuration directory: for each server and
/// name the tokens we got last. No other user may read it.
struct KeptCredentials: Sendable {
    struct Entry: Hashable, Sendable {
        var user: String
        var accessToken: String
        var refreshToken: String
        /// When the access token ends.
        var expires: WallTime
        /// Of an account with a password, which no anonymous user takes the place of.
        var isRegistered = false
    }

    let path: String

    /// As the XDG base directories have it.
    static func usual(environment: [String: String]) throws(CommandFailure) -> KeptCredentials {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return KeptCredentials(path: "\(folder)/parley/credentials.json")
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return KeptCredentials(path: "\(home)/.config/parley/credentials.json")
        }
        throw CommandFailure("--as keeps credentials in the home directory, but HOME is not set", exitCode: .usage)
    }

    /// Two programs at once would each spend the token of the other.
    func whileLocked<Result>(_ body: () async throws(CommandFailure) -> Result) async throws(CommandFailure) -> Result {
        try self.makeFolder()
        let lock = try self.attempt("locking") { () throws(SystemError) in
            try FileHandle("\(self.path).lock", for: .locking)
        }
        try await self.take(lock)
        return try await body()
    }

    /// Its holder asks a server meanwhile, and the loop has calls to carry: it is looked at again and again, and
    /// not waited for.
    private func take(_ lock: borrowing FileHandle) async throws(CommandFailure) {
        for _ in 0..<Self.attempts {
            if try self.attempt("locking", { () throws(SystemError) in try lock.lock() }) { return }
            do {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                throw CommandFailure("waiting for \(self.path).lock: \(error)", exitCode: .temporaryFailure)
            }
        }
        throw CommandFailure("another program has kept \(self.path).lock for too long", exitCode: .temporaryFailure)
    }

    /// Longer than a server has to answer.
    private static let attempts = 600

    func entry(for name: String, at server: ServerURL) throws(CommandFailure) -> Entry? {
        guard let json = try self.read(), let entry = json.member(server.description)?.member(name) else { return nil }
        guard let user = entry.text("user"), let access = entry.text("accessToken"),
            let refresh = entry.text("refreshToken"), let expires = entry.integer("expires")
        else { return nil }
        return Entry(
            user: user, accessToken: access, refreshToken: refresh, expires: WallTime(milliseconds: Int64(expires)),
            isRegistered: entry.bool("registered") ?? false)
    }

    func keep(_ entry: Entry, for name: String, at server: ServerURL) throws(CommandFailure) {
        let old = try self.read()
        let json = RawJSON { json in
            for (url, names) in old?.memberList ?? [] where url != server.description {
                json.field(url, raw: names.bytes)
            }
            json.object(server.description) { json in
                for (other, value) in old?.member(server.description)?.memberList ?? [] where other != name {
                    json.field(other, raw: value.bytes)
                }
                json.object(name) { json in
                    json.field("user", entry.user)
                    json.field("accessToken", entry.accessToken)
                    json.field("refreshToken", entry.refreshToken)
                    json.field("expires", Int(entry.expires.milliseconds))
                    if entry.isRegistered { json.field("registered", true) }
                }
            }
        }
        try self.write(json.bytes)
    }

    private func read() throws(CommandFailure) -> RawJSON? {
        guard FileSystem.exists(self.path) else { return nil }
        var bytes: [UInt8] = []
        do throws(SystemError) {
            try InputFile(path: self.path).read(into: &bytes, upTo: 1 << 20)
        } catch {
            throw CommandFailure("\(error)", exitCode: .noInput)
        }
        guard let json = RawJSON(bytes) else {
            throw CommandFailure("\(self.path) is not JSON; take it away to begin anew", exitCode: .dataError)
        }
        return json
    }

    private func write(_ bytes: [UInt8]) throws(CommandFailure) {
        do throws(SystemError) {
            // A link stays a link: what it leads to is replaced.
            try FileReplacement.write(bytes, to: FileSystem.realPath(self.path) ?? self.path, .owner)
        } catch {
            throw CommandFailure("\(error)", exitCode: .cannotCreate)
        }
    }

    private func makeFolder() throws(CommandFailure) {
        try self.attempt("making the folder for") { () throws(SystemError) in
            try FileSystem.makeDirectories(FileSystem.directory(of: self.path))
        }
    }

    private func attempt<Value: ~Copyable>(
        _ attempt: String, _ body: () throws(SystemError) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(SystemError) {
            return try body()
        } catch {
            throw CommandFailure("\(attempt) \(self.path): \(error.errno)", exitCode: .cannotCreate)
        }
    }
}
