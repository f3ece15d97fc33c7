package import JSON
package import Keeping
internal import Vocabulary

extension JSONWriter {
    /// What others may know of somebody.
    package mutating func profile(_ profile: Profile) {
        self.fields(("user", profile.user.text)) { $0.face(profile.shownName, profile.avatar) }
    }

    /// In the middle of an object; what nobody knows stays away.
    mutating func face(_ name: DisplayName?, _ avatar: AvatarLink?) {
        if let name {
            self.key("name")
            self.string(name.text)
        }
        self.avatar(avatar)
    }

    mutating func avatar(_ avatar: AvatarLink?) {
        guard let avatar else { return }
        self.key("avatar")
        self.string(avatar.text)
    }
}
