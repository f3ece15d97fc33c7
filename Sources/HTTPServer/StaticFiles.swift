internal import System
package import Reactor
internal import Web

/// Serves the files below one directory: whole, in part, compressed, or not at all when the client has them.
///
/// Small files are kept in memory and looked at again at most once a second; large ones are read piece by piece
/// on helper threads as fast as the client takes them. A path never leads out of the directory, also not by
/// a symbolic link.
package final class StaticFiles {
    private let reactor: Reactor
    private let root: String
    private let cacheControl: String
    private var cache: [String: CachedFile] = [:]
    private var cachedBytes = 0

    private struct CachedFile {
        let file: StoredFile
        var checkedAt: UInt64
    }

    private static let freshFor: UInt64 = 1000
    private static let maximumCachedBytes = 64 << 20

    package init(root: String, on reactor: Reactor, cacheControl: String = "no-cache") {
        self.root = root
        self.reactor = reactor
        self.cacheControl = cacheControl
    }

    /// Whether there is a directory to serve at all: a wrong name is better told at once than by every page.
    package static func canServe(_ root: String) -> Bool {
        FileStatus(of: root)?.kind == .directory && FileSystem.allows(.reading, root)
    }

    /// Answers with the file at `path`, which is relative to the directory; a directory's file is `index.html`.
    package func respond(to exchange: HTTPExchange, path: String) {
        let path = path.isEmpty || path.hasSuffix("/") ? path + "index.html" : path
        if let cached = self.cache[path], self.reactor.now &- cached.checkedAt < Self.freshFor {
            return self.respond(to: exchange, with: cached.file)
        }
        self.load(path) { [weak self] file in
            guard let self, let file else { return exchange.respond(.error(.notFound, "there is no such file")) }
            self.respond(to: exchange, with: file)
        }
    }

    private func load(_ path: String, _ completion: @escaping (StoredFile?) -> Void) {
        let (root, cacheControl) = (self.root, self.cacheControl)
        let known = self.cache[path]?.file
        self.reactor.offload({
            StoredFile.load(path, in: root, cacheControl: cacheControl, unchangedFrom: known)
        }) { [weak self] file in
            self?.remember(file, at: path)
            completion(file)
        }
    }

    private func remember(_ file: StoredFile?, at path: String) {
        if let old = self.cache.removeValue(forKey: path) { self.cachedBytes -= old.file.weight }
        guard let file, file.weight > 0 else { return }
        if self.cachedBytes + file.weight > Self.maximumCachedBytes {
            self.cache.removeAll()
            self.cachedBytes = 0
        }
        self.cachedBytes += file.weight
        self.cache[path] = CachedFile(file: file, checkedAt: self.reactor.now)
    }
}

extension StaticFiles {
    private func respond(to exchange: HTTPExchange, with file: StoredFile) {
        let fields = exchange.request.fields
        let compressed = file.compressed.flatMap { ContentCoding.acceptsGzip(fields) ? $0 : nil }
        let form = compressed ?? file.plain
        var head = HTTPResponseHead(.ok, fields: form.fields)
        switch HTTPPreconditions(exchange.request).verdict(tag: form.tag, modified: file.modified) {
        case .notModified:
            head.status = .notModified
            return exchange.respond(HTTPResponse(head))
        case .failed: return exchange.respond(.error(.preconditionFailed, "the file has changed"))
        case .proceed: break
        }
        if let contents = compressed?.contents {
            head.fields.set(.contentEncoding, to: "gzip")
            return exchange.respond(HTTPResponse(head, body: .shared(contents)))
        }
        self.respond(to: exchange, head, with: file)
    }

    private func respond(to exchange: HTTPExchange, _ head: HTTPResponseHead, with file: StoredFile) {
        var head = head
        var range = 0..<file.size
        let wanted = self.wantedRange(exchange.request, of: file)
        if let place = wanted.contentRange(length: file.size) { head.fields.set(.contentRange, to: place) }
        switch wanted {
        case .whole: break
        case .part(let part):
            range = part
            head.status = .partialContent
        case .unsatisfiable:
            head.status = .rangeNotSatisfiable
            return exchange.respond(HTTPResponse(head))
        }
        if let contents = file.plain.contents {
            guard range.count < contents.count else {
                return exchange.respond(HTTPResponse(head, body: .shared(contents)))
            }
            guard exchange.start(head, length: range.count) else { return }
            exchange.write(contents.span.extracting(range))
            exchange.finish()
        } else if let descriptor = file.descriptor {
            FileSender(descriptor, range, exchange, self.reactor).start(head)
        }
    }

    /// Only GET has parts, and only of the very file the client has seen (RFC 9110 §13.1.5, §14.2).
    private func wantedRange(_ request: HTTPRequestHead, of file: StoredFile) -> ByteRangeRequest {
        guard request.method == .get else { return .whole }
        guard HTTPPreconditions(request).allowsPart(tag: file.plain.tag, modified: file.modified) else { return .whole }
        return ByteRangeRequest(request.fields[.range], length: file.size)
    }
}
