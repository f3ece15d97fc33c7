package import JSON
package import Keeping
internal import Vocabulary

extension JSONWriter {
    /// What others may know of a user.
    package mutating func profile(_ profile: Profile) {
        self.object { json in
            json.members([
                ("user", profile.user.text), ("name", profile.shownName?.text), ("avatar", profile.avatar?.text),
            ])
            if profile.isDeleted { json.field("deleted", true) }
        }
    }
}
