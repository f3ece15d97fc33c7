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
        try settings.check(password: self.password, of: name)
        return name
    }
}

extension AccountSettings {
    /// Whether a password may be chosen (OWASP ASVS 5.0, 6.2).
    func check(password: String, of name: UserName) throws(IdentityRefusal) {
        guard !password.isEmpty else { throw .passwordEmpty }
        guard password.count >= self.minimumPasswordLength else { throw .passwordTooShort }
        guard password.utf8.count <= self.maximumPasswordBytes else { throw .passwordTooLong }
        guard password.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .passwordInvalid }
        guard !FrequentPasswords.contains(password), password.lowercased() != name.text.lowercased() else {
            throw .passwordFrequent
        }
    }
}
