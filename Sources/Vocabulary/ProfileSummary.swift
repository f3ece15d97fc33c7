/// By what people know a user: a name, and perhaps a picture.
package struct ProfileSummary: Hashable, Sendable {
    package var name: DisplayName
    package var avatar: AvatarLink?

    package init(_ name: DisplayName, _ avatar: AvatarLink? = nil) {
        self.name = name
        self.avatar = avatar
    }
}
