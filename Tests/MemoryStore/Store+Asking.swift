import Conversing
package import Keeping

extension Store {
    /// Waits for the answer.
    package func ask<Request: StoreRequest>(_ request: Request) async throws -> Request.Answer {
        try await withCheckedThrowingContinuation { continuation in
            self.send(request) { continuation.resume(with: $0) }
        }
    }

    /// What a search finds in an index that is up to date.
    package func found(_ request: SearchRequest) async throws -> Verdict<EntryPage> {
        try await withCheckedThrowingContinuation { continuation in
            self.search(request) { continuation.resume(with: $0) }
        }
    }
}
