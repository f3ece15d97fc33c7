package import Vocabulary

extension SQLiteStore: FileStore {
    package func begin(
        _ upload: UploadRecord, _ allowance: FileAllowance, _ answer: @escaping Answer<UploadBeginning>
    ) {
        self.database.send(UploadQueries.Begin(upload: upload, allowance: allowance), answer)
    }

    package func upload(_ id: FileID, _ answer: @escaping Answer<UploadRecord?>) {
        self.database.send(UploadQueries.ByID(id: id), answer)
    }

    package func uploads(_ answer: @escaping Answer<[FileID: Int]>) {
        self.database.send(UploadQueries.All(), answer)
    }

    package func giveUp(_ upload: FileID, of owner: UserID, _ answer: @escaping Answer<Bool>) {
        self.database.send(UploadQueries.GiveUp(id: upload, owner: owner), answer)
    }

    package func add(_ file: FileRecord, _ answer: @escaping Answer<Void>) {
        self.database.send(FileQueries.Add(file: file), answer)
    }

    package func file(_ id: FileID, for reader: FileReader, _ answer: @escaping Answer<FileRecord?>) {
        self.database.send(FileQueries.ByID(id: id, reader: reader), answer)
    }

    package func remove(_ file: FileID, of owner: UserID, _ answer: @escaping Answer<FileRemoval>) {
        self.database.send(FileQueries.Remove(id: file, owner: owner), answer)
    }

    package func unknown(among contents: [ContentHash], _ answer: @escaping Answer<[ContentHash]>) {
        self.database.send(FileQueries.Unknown(contents: contents), answer)
    }

    package func sweepFiles(
        at now: WallTime, unusedSince: WallTime, limit: Int, _ answer: @escaping Answer<SweptFiles>
    ) {
        self.database.send(FileQueries.Sweep(now: now, unusedSince: unusedSince, limit: limit), answer)
    }
}
