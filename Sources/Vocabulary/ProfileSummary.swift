/// By what people know somebody: a name, and perhaps a picture.
package struct ProfileSummary: Hashable, Sendable {
    package var name: DisplayName
    package var avatar: AvatarLink?

    package init(_ name: DisplayName, _ avatar: AvatarLink? = nil) {
        self.name = name
        self.avatar = avatar
    }
}
