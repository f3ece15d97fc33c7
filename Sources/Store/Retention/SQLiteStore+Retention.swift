extension SQLiteStore: RetentionStore {
    package func sweepEntries(_ request: EntrySweep, _ answer: @escaping Answer<SweptEntries>) {
        self.database.send(RetentionQueries.Sweep(request: request), answer)
    }
}
