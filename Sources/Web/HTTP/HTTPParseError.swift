/// Why a message was refused, and where in the connection's bytes it went wrong.
package struct HTTPParseError: Error, Hashable, Sendable, CustomStringConvertible {
    package let fault: HTTPFault
    /// Counted from the first byte the parser ever saw.
    package let offset: Int

    init(_ fault: HTTPFault, at offset: Int) {
        self.fault = fault
        self.offset = offset
    }

    /// How a server answers before it closes the connection.
    package var status: HTTPStatus { self.fault.status }

    /// A sentence that is safe to show and to log: it repeats nothing of what was sent.
    package var reason: String { self.fault.reason }

    package var description: String { "\(self.reason), at byte \(self.offset)" }

    func moved(by distance: Int) -> HTTPParseError {
        HTTPParseError(self.fault, at: self.offset + distance)
    }
}

package typealias HTTPRequestError = HTTPParseError
package typealias HTTPResponseError = HTTPParseError

/// Everything a message is refused for.
package enum HTTPFault: Hashable, Sendable, CaseIterable {
    case malformedStartLine
    case unsupportedVersion
    case unsupportedMethod
    case uriTooLong
    case invalidTarget
    case escapingPath

    case tooManyEmptyLines
    case bareLineFeed
    case bareCarriageReturn
    case controlCharacter
    case foldedLine
    case blankBeforeColon
    case invalidFieldName
    case headerTooLarge
    case tooManyFields

    case missingHost
    case repeatedHost
    case invalidHost

    case repeatedContentLength
    case invalidContentLength
    case contentLengthWithTransferEncoding
    case repeatedTransferEncoding
    case unsupportedTransferEncoding
    case transferEncodingInHTTP10
    case bodyTooLarge
    case unsupportedExpectation

    case invalidChunkSize
    case chunkExtensionTooLarge
    case missingChunkEnd
    case forbiddenTrailer
    case truncatedBody
}

extension HTTPFault {
    package var status: HTTPStatus {
        switch self {
        case .unsupportedVersion: .versionNotSupported
        case .unsupportedMethod, .unsupportedTransferEncoding: .notImplemented
        case .uriTooLong: .uriTooLong
        case .headerTooLarge, .tooManyFields: .headerFieldsTooLarge
        case .bodyTooLarge: .contentTooLarge
        case .unsupportedExpectation: .expectationFailed
        case .malformedStartLine, .invalidTarget, .escapingPath, .tooManyEmptyLines, .bareLineFeed: .badRequest
        case .bareCarriageReturn, .controlCharacter, .foldedLine, .blankBeforeColon, .invalidFieldName: .badRequest
        case .missingHost, .repeatedHost, .invalidHost: .badRequest
        case .repeatedContentLength, .invalidContentLength, .contentLengthWithTransferEncoding: .badRequest
        case .repeatedTransferEncoding, .transferEncodingInHTTP10: .badRequest
        case .invalidChunkSize, .chunkExtensionTooLarge, .missingChunkEnd, .forbiddenTrailer: .badRequest
        case .truncatedBody: .badRequest
        }
    }

    package var reason: String {
        switch self {
        case .malformedStartLine: "the first line is not HTTP"
        case .unsupportedVersion: "this version of HTTP is not spoken here"
        case .unsupportedMethod: "this method is not spoken here"
        case .uriTooLong: "the target is too long"
        case .invalidTarget: "the target is malformed"
        case .escapingPath: "the path leaves the root"
        case .tooManyEmptyLines: "too many empty lines before the request"
        case .bareLineFeed: "a line feed without its carriage return"
        case .bareCarriageReturn: "a carriage return without its line feed"
        case .controlCharacter: "a control character"
        case .foldedLine: "a folded header line"
        case .blankBeforeColon: "white space before a colon"
        case .invalidFieldName: "a header name is malformed"
        case .headerTooLarge: "the header lines are too large"
        case .tooManyFields: "too many header lines"
        case .missingHost: "the host is missing"
        case .repeatedHost: "more than one host"
        case .invalidHost: "the host is malformed"
        case .repeatedContentLength: "more than one content length"
        case .invalidContentLength: "the content length is malformed"
        case .contentLengthWithTransferEncoding: "a content length beside a transfer encoding"
        case .repeatedTransferEncoding: "more than one transfer encoding"
        case .unsupportedTransferEncoding: "a transfer encoding other than chunked"
        case .transferEncodingInHTTP10: "a transfer encoding in HTTP/1.0"
        case .bodyTooLarge: "the body is too large"
        case .unsupportedExpectation: "an expectation other than 100-continue"
        case .invalidChunkSize: "a chunk size is malformed"
        case .chunkExtensionTooLarge: "the chunk extensions are too large"
        case .missingChunkEnd: "a chunk does not end where it said"
        case .forbiddenTrailer: "a field that may not be a trailer"
        case .truncatedBody: "the body ends too early"
        }
    }
}
