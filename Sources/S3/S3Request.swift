internal import Bytes
internal import Hashing
package import Vocabulary
package import Web

/// One thing that a store is asked, before it is signed.
package struct S3Request: Sendable {
    package let method: HTTPMethod
    /// Nil for the bucket itself.
    package let key: String?
    package var query: SigV4.Pairs = []
    package var fields: SigV4.Pairs = []
    /// The sum of the body, in hexadecimal digits.
    package var payload: String
    /// What is sent, where that is little.
    package var body: [UInt8] = []

    /// Of nothing.
    private static let emptySum = Hex.encode(Digest.sha256.hash([]))

    private init(_ method: HTTPMethod, _ key: String?, _ query: SigV4.Pairs = [], payload: String? = nil) {
        self.method = method
        self.key = key
        self.query = query
        self.payload = payload ?? Self.emptySum
    }

    package func signed(
        by keys: S3Keys, for address: S3Address, host: String, at time: WallTime
    ) -> (target: String, fields: HTTPFields) {
        let path = address.path(of: self.key)
        var signed = self.fields + [("x-amz-content-sha256", self.payload), ("x-amz-date", SigV4.Stamp(time).text)]
        if let session = keys.session { signed.append(("x-amz-security-token", session)) }
        let authorization = SigV4(keys, region: address.region).authorization(
            self.method.text, path: path, query: self.query, fields: signed + [("host", host)], payload: self.payload,
            at: time)
        var fields = HTTPFields()
        for (name, value) in signed + [("authorization", authorization)] {
            if let name = HTTPFieldName(name) { fields.append(name, value) }
        }
        let query = SigV4.text(of: self.query)
        return (query.isEmpty ? path : "\(path)?\(query)", fields)
    }
}

// MARK: - What there is to ask

extension S3Request {
    /// Whether the bucket is there and may be looked into.
    package static func look(for start: String) -> S3Request { .list(start, from: nil, atMost: 1) }

    package static func head(_ key: String) -> S3Request { S3Request(.head, key) }
    package static func remove(_ key: String) -> S3Request { S3Request(.delete, key) }

    /// - Parameter range: nil for all of it.
    package static func get(_ key: String, _ range: Range<Int>? = nil) -> S3Request {
        var request = S3Request(.get, key)
        if let range { request.fields = [("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")] }
        return request
    }

    /// - Parameter isNew: it is only taken where there is none of this name.
    package static func put(_ key: String, type: String, sum: String, isNew: Bool) -> S3Request {
        var request = S3Request(.put, key, payload: sum)
        request.fields = Self.fields(type)
        if isNew { request.fields.append(("if-none-match", "*")) }
        return request
    }

    /// Whoever comes to it in another way than by our links is given something to save.
    private static func fields(_ type: String) -> SigV4.Pairs {
        [("content-type", type), ("content-disposition", "attachment")]
    }

    package static func list(_ start: String, from token: String?, atMost count: Int = 1000) -> S3Request {
        var query: SigV4.Pairs = [("list-type", "2"), ("prefix", start), ("max-keys", "\(count)")]
        if let token { query.append(("continuation-token", token)) }
        return S3Request(.get, nil, query)
    }

    // MARK: In parts

    package static func begin(_ key: String, type: String) -> S3Request {
        var request = S3Request(.post, key, [("uploads", "")])
        request.fields = Self.fields(type)
        return request
    }

    package static func part(_ number: Int, of upload: String, _ key: String, sum: String) -> S3Request {
        S3Request(.put, key, [("partNumber", "\(number)"), ("uploadId", upload)], payload: sum)
    }

    /// - Parameter tags: what the store called each part.
    package static func complete(_ upload: String, _ key: String, tags: [String]) -> S3Request {
        let parts = tags.enumerated().map { place, tag in
            "<Part><PartNumber>\(place + 1)</PartNumber><ETag>\(Self.escaped(tag))</ETag></Part>"
        }
        let body = Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
        var request = S3Request(.post, key, [("uploadId", upload)], payload: Hex.encode(Digest.sha256.hash(body)))
        request.fields = [("content-type", "application/xml")]
        request.body = body
        return request
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    package static func abandon(_ upload: String, _ key: String) -> S3Request {
        S3Request(.delete, key, [("uploadId", upload)])
    }

    /// What was begun in parts and not ended.
    package static func listUploads(_ start: String) -> S3Request {
        S3Request(.get, nil, [("uploads", ""), ("prefix", start), ("max-uploads", "1000")])
    }
}
