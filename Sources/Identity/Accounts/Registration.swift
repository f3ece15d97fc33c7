internal import Secure
package import Vocabulary

/// What is written into the form for new members.
package struct Registration: Hashable, Sendable {
    package var name: String
    package var password: String
    package var displayName: DisplayName?
    package var avatar: AvatarLink?

    package init(name: String, password: String, displayName: DisplayName? = nil, avatar: AvatarLink? = nil) {
        self.name = name
        self.password = password
        self.displayName = displayName
        self.avatar = avatar
    }

    /// The name, when it and the password may be used.
    func checkedName(_ settings: AccountSettings) throws(IdentityRefusal) -> UserName {
        let name: UserName
        do throws(UserName.Mistake) {
            name = try UserName(self.name)
        } catch {
            throw error == .empty ? .nameEmpty : .nameInvalid(error)
        }
        try self.checkPassword(settings)
        return name
    }

    private func checkPassword(_ settings: AccountSettings) throws(IdentityRefusal) {
        guard !self.password.isEmpty else { throw .passwordEmpty }
        guard self.password.count >= settings.minimumPasswordLength else { throw .passwordTooShort }
        guard self.password.utf8.count <= settings.maximumPasswordBytes else { throw .passwordTooLong }
        guard self.password.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .passwordInvalid }
    }
}
