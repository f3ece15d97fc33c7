package import Vocabulary

/// What people are called and what they look like.
package enum ProfileOperation: String, OperationFamily {
    case own = "profile.own"
    case of = "profile.of"
    case list = "profile.list"
    case change = "profile.change"

    package var specification: Specification<ProfileRequest> {
        switch self {
        case .own: .own
        case .of: .of
        case .list: .list
        case .change: .change
        }
    }
}

package enum ProfileRequest: Hashable, Sendable {
    case own
    case of(UserID)
    case list([UserID])
    /// What is nil stays.
    case change(name: Clearable<DisplayName>?, avatar: Clearable<FileID>?)
}

/// Something that can be set, or be taken away by an empty text.
package enum Clearable<Value: Hashable & Sendable>: Hashable, Sendable {
    case removed
    case set(Value)

    fileprivate init?(_ text: String, _ make: (String) -> Value?) {
        guard !text.isEmpty else {
            self = .removed
            return
        }
        guard let value = make(text) else { return nil }
        self = .set(value)
    }

    fileprivate func text(_ text: (Value) -> String) -> String {
        switch self {
        case .removed: ""
        case .set(let value): text(value)
        }
    }
}

extension Field<Clearable<DisplayName>> {
    package static let name = Field.text("name", "1 to 64 characters that can be seen, or empty", { $0.text(\.text) }) {
        Clearable($0) { DisplayName($0) }
    }
}

extension Field<Clearable<FileID>> {
    package static let avatar = Field.text("avatar", "the id of a file, or empty", { $0.text(\.text) }) {
        Clearable($0) { FileID($0) }
    }
}

extension Specification<ProfileRequest> {
    fileprivate static let own = Specification({ ProfileRequest.own }, routes: [.get("me")], answer: .profile)
    fileprivate static let of = Specification(
        ProfileRequest.of, .user, routes: [.get("users/:user")], answer: .profile, refusals: [.notFound])
    fileprivate static let list = Specification(
        ProfileRequest.list, .users, routes: [.post("profiles")], answer: .profiles)
    fileprivate static let change = Specification(
        ProfileRequest.change, .optional(.name), .optional(.avatar), routes: [.patch("me")], answer: .profile,
        refusals: [.notFound])
}
