package import Vocabulary

extension SQLiteStore: ProfileStore {
    package func profiles(of users: [UserID], _ answer: @escaping Answer<[Profile]>) {
        self.database.send(ProfileQueries.Find(users: Array(users.prefix(500))), answer)
    }

    package func change(
        _ change: ProfileChange, _ answer: @escaping Answer<Result<ChangedProfile, ProfileRefusal>>
    ) {
        self.database.send(ProfileQueries.Change(change: change), answer)
    }

    package func introduce(_ introduction: Introduction, _ answer: @escaping Answer<Void>) {
        self.database.send(ProfileQueries.Introduce(introduction: introduction), answer)
    }
}
