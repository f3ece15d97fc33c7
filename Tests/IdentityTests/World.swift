import Identity
import Journal
import System
import Secure
import Keeping
import MemoryStore
import Testing
import Vocabulary

/// A clock that is moved by hand.
final class HandClock: Sendable {
    private let milliseconds = Locked<Int64>(1_700_000_000_000)

    var timekeeper: Timekeeper {
        Timekeeper(
            wall: { WallTime(milliseconds: self.milliseconds.withLock { $0 }) },
            steady: { Instant(milliseconds: self.milliseconds.withLock { $0 }) })
    }

    var now: WallTime { self.timekeeper.wall() }

    func advance(by duration: Duration) {
        self.milliseconds.withLock { $0 += duration.clampedMilliseconds }
    }
}

/// Accounts in memory, with cheap passwords and a clock of the test's.
final class World: Sendable {
    let clock = HandClock()
    let store: any Store
    let accounts: Accounts
    let changes = Locked<[IdentityChange]>([])
    let home = IPAddress.v4(0xC000_0201)

    static let secret = "k7Jq0v3Rz8XwPtY2mB5nLc9dHs4GfA1e"
    static let applicationSecret = "Zx8cV5bN2mQ9wE6rT3yU0iO7pA4sD1fG"

    init(_ settings: AccountSettings = World.settings, store: (any Store)? = nil, secret: String = secret) throws {
        self.store = store ?? MemoryStore()
        let pair = try Ed25519Key(seed: [UInt8](0..<32))
        self.accounts = try Accounts(
            store: self.store, secret: try ServerSecret(secret),
            applications: [
                try Application(id: "app", secret: Self.applicationSecret), Application(id: "pair", publicKey: pair),
            ], settings: settings, time: self.clock.timekeeper)
        let changes = self.changes
        self.accounts.observe { change in changes.withLock { $0.append(change) } }
    }

    static var settings: AccountSettings {
        var settings = AccountSettings()
        settings.vouchedLife = .seconds(86_400)
        settings.passwordCost = PasswordCost(logarithm: 2, blockSize: 1, parallelism: 1) ?? .usual
        return settings
    }

    func register(_ name: String = "alice", _ password: String = "pass word") async throws -> SignIn {
        try await self.accounts.register(Registration(name: name, password: password), from: self.home)
    }

    func logIn(_ name: String = "alice", _ password: String = "pass word") async throws -> SignIn {
        try await self.accounts.logIn(name: name, password: password, from: self.home)
    }

    /// Why something is refused, or nil when it is not.
    func refusal<Value>(_ body: () async throws(IdentityRefusal) -> Value) async -> IdentityRefusal? {
        do throws(IdentityRefusal) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    func refusal(ofToken text: String) -> IdentityRefusal? {
        do throws(IdentityRefusal) {
            _ = try self.accounts.identity(ofToken: text)
            return nil
        } catch {
            return error
        }
    }
}
