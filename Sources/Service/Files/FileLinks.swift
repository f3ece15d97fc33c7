internal import Bytes
internal import Hashing
internal import Vocabulary
internal import Web

/// Links to files for those who cannot show a token, such as a page's pictures: signed, and good for a while, as long as the user
/// they were made for may see the file.
struct FileLinks: Sendable {
    private let key: HMACKey
    private let life: Duration

    /// Which of a file's two forms is meant.
    enum Part: String, CaseIterable {
        case content, thumbnail
    }

    /// Links made within so many seconds are the same, so that what a browser has kept is found again.
    private static let step: Int64 = 300

    init(key: [UInt8], life: Duration) {
        self.key = HMACKey(key, using: .sha256)
        self.life = life
    }

    func expiry(at now: WallTime) -> Int64 { ((now + self.life).seconds / Self.step + 1) * Self.step }

    func link(to file: FileID, _ part: Part, for user: UserID, at now: WallTime) -> String {
        let expiry = self.expiry(at: now)
        let signature = Base64.encode(self.code(file, part, user, expiry), as: .url)
        let name = Base64.encode(Array(user.text.utf8), as: .url)
        return "/v1/files/\(file.text)/\(part.rawValue)?user=\(name)&expires=\(expiry)&signature=\(signature)"
    }

    /// For whom it was made, if the query is one of ours and still counts, and for how many seconds it does.
    func reader(
        of file: FileID, _ part: Part, _ query: QueryItems, at now: WallTime
    ) -> (user: UserID, life: Int64)? {
        guard let expiry = query["expires"].flatMap({ Int64($0) }), let text = query["signature"],
            let signature = try? Base64.decode(text, as: .url), expiry > now.seconds,
            let name = query["user"].flatMap({ try? Base64.decode($0, as: .url) }),
            let user = UserID(String(decoding: name, as: UTF8.self)),
            ConstantTime.areEqual(signature, self.code(file, part, user, expiry))
        else { return nil }
        return (user, expiry - now.seconds)
    }

    private func code(_ file: FileID, _ part: Part, _ user: UserID, _ expiry: Int64) -> [UInt8] {
        self.key.code(of: Array("\(file.text) \(part.rawValue) \(user.text) \(expiry)".utf8))
    }
}
