internal import Bytes
package import Reactor
package import Vocabulary
internal import Web

/// Brings files to a server piece by piece, as tus 1.0 has it: `/v1/uploads`. With its last byte an upload is the file.
package struct UploadClient: Sendable {
    private let server: ServerURL
    private let token: String
    private let loop: EventLoop
    private let timeout: Duration

    /// The loop has to last as long as an answer is waited for.
    package init(_ server: ServerURL, token: String, on loop: EventLoop, timeout: Duration = .seconds(60)) {
        self.server = server
        self.token = token
        self.loop = loop
        self.timeout = timeout
    }

    /// A place for so many bytes.
    package func begin(_ count: Int, called name: String) async throws(ClientError) -> FileID {
        let answer = try await self.ask(
            .post, "/v1/uploads",
            [("Upload-Length", "\(count)"), ("Upload-Metadata", "filename \(Base64.encode(Array(name.utf8)))")])
        let place = answer.fields[.location].flatMap { $0.split(separator: "/").last.map { String($0) } }
        guard let id = place.flatMap({ FileID($0) }) else { throw .unreadableAnswer }
        return id
    }

    /// The bytes from `offset` on. False when what came before them is gone.
    @discardableResult
    package func send(_ bytes: [UInt8], at offset: Int, to id: FileID) async throws(ClientError) -> Bool {
        let fields: [(HTTPFieldName, String)] = [
            ("Upload-Offset", "\(offset)"), (.contentType, "application/offset+octet-stream"),
        ]
        let answer: HTTPCall.Answer
        do throws(ClientError) {
            answer = try await self.ask(.patch, "/v1/uploads/\(id.text)", fields, bytes)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == "gone" else { throw error }
            return false
        }
        guard answer.fields["Upload-Offset"] == "\(offset + bytes.count)" else { throw .unreadableAnswer }
        return true
    }

    /// What the server takes a file for, whose last byte was sent.
    package func type(of id: FileID) async throws(ClientError) -> String {
        let answer = try await self.ask(.get, "/v1/files/\(id.text)", [])
        guard let type = RawJSON(answer.body)?.text("type") else { throw .unreadableAnswer }
        return type
    }

    private func ask(
        _ method: HTTPMethod, _ target: String, _ more: [(HTTPFieldName, String)], _ body: [UInt8] = []
    ) async throws(ClientError) -> HTTPCall.Answer {
        var fields = HTTPFields()
        for (name, value) in [(.authorization, "Bearer \(self.token)"), ("Tus-Resumable", "1.0.0")] + more {
            fields.append(name, value)
        }
        let outcome = await withCheckedContinuation { [fields] continuation in
            self.loop.execute { reactor in
                HTTPCall(self.server, on: reactor) { continuation.resume(returning: $0) }
                    .send(method, target, fields: fields, body: body, timeout: self.timeout)
            }
        }
        return try Self.read(outcome)
    }

    /// What is not granted is a problem with our code in it (RFC 9457).
    private static func read(_ outcome: HTTPCall.Outcome) throws(ClientError) -> HTTPCall.Answer {
        switch outcome {
        case .failure(let failure): throw .ended(failure)
        case .success(let answer):
            if (200..<300).contains(answer.status.code) { return answer }
            guard let problem = RawJSON(answer.body), let code = problem.text("code") else { throw .unreadableAnswer }
            throw .refused(
                ServerRefusal(code: PlainText.line(code), message: PlainText.line(problem.text("detail") ?? "")))
        }
    }
}
