import Conversing
import Keeping
import PostgresLink
import PostgresStore
import SQLiteStore
import System
import Vocabulary

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The store room alone, as `Scripts/bench chat` measures it beside a loop in C.
///
///     StoreBench FILE|URL full|normal BATCH SECONDS
///
/// Messages of 64 people to one each, BATCH of them in a commit; prints how many there were as JSON.
@main
enum StoreBench {
    static func main() throws {
        let words = CommandLine.arguments
        guard words.count == 5, let batch = Int(words[3]), let seconds = Double(words[4]) else {
            print("usage: StoreBench FILE|URL full|normal BATCH SECONDS")
            exit(64)
        }
        let store = try Self.store(words[1], words[2] == "full" ? .full : .normal, batch)
        let crowd = try Crowd(store)
        let begin = Self.now()
        let deadline = begin + seconds
        var sent = 0
        // One batch is asked for while the one before is written, so that the store never waits for its asker.
        var before = Gate()
        before.open()
        while Self.now() < deadline {
            let done = Gate()
            let left = Locked(batch)
            for _ in 0..<batch {
                sent += 1
                crowd.say(sent) {
                    let isLast = left.withLock { left -> Bool in
                        left -= 1
                        return left == 0
                    }
                    if isLast { done.open() }
                }
            }
            before.wait()
            before = done
        }
        before.wait()
        let elapsed = Self.now() - begin
        store.close()
        print("{\"messages\":\(sent),\"seconds\":\(elapsed)}")
    }

    private static func store(_ place: String, _ durability: StoreDurability, _ batch: Int) throws -> any Store {
        guard place.hasPrefix("postgresql://") else {
            return try SQLiteStore(path: place, durability: durability, largestGroup: batch)
        }
        return try PostgresStore(PostgresAddress(place), durability: durability, largestGroup: batch)
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

private struct Crowd {
    private let store: any Store
    private let people: [(UserID, ConversationID)]
    private let body = MessageBody(proven: Array("{\"text\":\"\(String(repeating: "x", count: 100))\"}".utf8))

    init(_ store: any Store) throws {
        self.store = store
        var random = SystemRandomNumberGenerator()
        self.people = (0..<64).compactMap { number in
            UserID("sender-\(number)").map { ($0, ConversationID(RandomToken(using: &random))) }
        }
    }

    func say(_ number: Int, _ done: @escaping @Sendable () -> Void) {
        let (sender, id) = self.people[number % self.people.count]
        guard let peer = UserID("peer-\(number % self.people.count)") else { return }
        let request = ChangeRequest(
            .user(peer, new: id), .post(Draft(.text, self.body)), by: sender, as: MessageID("message-\(number)"),
            at: WallTime(milliseconds: 1_700_000_000_000 + Int64(number)))
        self.store.send(request) { result in
            guard case .success(.success) = result else { preconditionFailure("\(result)") }
            done()
        }
    }
}
