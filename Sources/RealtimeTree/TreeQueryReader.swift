package import JSON

/// Reads queries as clients write them.
package struct TreeQueryReader {
    private var query: TreeQuery

    private init(_ order: TreeOrder) { self.query = TreeQuery(order) }
}

// MARK: - As the SDKs write it

extension TreeQueryReader {
    /// `i` order, `l` limit, `vf` from which end, `sp`, `sn`, `sin` and `ep`, `en`, `ein` the bounds.
    package static func query(_ json: borrowing JSONObject) throws(TreeError) -> TreeQuery {
        var reader = TreeQueryReader(try Self.order(json["i", .text] ?? ".priority"))
        try reader.read(json)
        return reader.query
    }

    private mutating func read(_ json: borrowing JSONObject) throws(TreeError) {
        if let limit = json["l", .integer] {
            guard limit > 0 else { throw .wrongQuery("the limit must be above 0") }
            self.query.limit = limit
            self.query.isFromEnd = json["vf", .text] == "r"
        }
        if let value = json.value("sp") {
            let scalar = try Self.scalar(json.reader.raw(value))
            let key = try Self.key(json["sn", .text])
            try self.begin(scalar, key, isInclusive: json["sin", .bool] ?? true)
        }
        if let value = json.value("ep") {
            let scalar = try Self.scalar(json.reader.raw(value))
            let key = try Self.key(json["en", .text])
            try self.finish(scalar, key, isInclusive: json["ein", .bool] ?? true)
        }
        // A bound of null is one, too, and JSON's reader takes it for nothing.
        if self.query.start == nil, json["sn", .text] != nil || json["sin", .bool] != nil {
            try self.begin(nil, try Self.key(json["sn", .text]), isInclusive: json["sin", .bool] ?? true)
        }
        if self.query.end == nil, json["en", .text] != nil || json["ein", .bool] != nil {
            try self.finish(nil, try Self.key(json["en", .text]), isInclusive: json["ein", .bool] ?? true)
        }
    }

    static func order(_ text: String) throws(TreeError) -> TreeOrder {
        switch text {
        case ".key", "$key": return .key
        case ".value", "$value": return .value
        case ".priority", "$priority": return .priority
        default:
            guard let path = TreePath(text), !path.isRoot else { throw .wrongQuery("orderBy must be a valid path") }
            return .child(path)
        }
    }

    private static func scalar(_ json: [UInt8]) throws(TreeError) -> TreeScalar? {
        let node = try TreeParser.parse(json.span)
        if case .children = node.content { throw .wrongQuery("a bound must be null, a number, a text, true or false") }
        return node.leaf
    }

    private static func key(_ text: String?) throws(TreeError) -> TreeKey? {
        guard let text else { return nil }
        guard let key = TreeKey.bound(text) else { throw .wrongKey(text) }
        return key
    }

    private mutating func begin(_ value: TreeScalar?, _ key: TreeKey?, isInclusive: Bool) throws(TreeError) {
        guard self.query.order == .key else { return self.query.begin(at: .init(value), key, isInclusive: isInclusive) }
        self.query.start = TreeQuery.Bound(.init(.nothing, try Self.name(value)), isInclusive: isInclusive)
    }

    private mutating func finish(_ value: TreeScalar?, _ key: TreeKey?, isInclusive: Bool) throws(TreeError) {
        guard self.query.order == .key else {
            return self.query.finish(at: .init(value), key, isInclusive: isInclusive)
        }
        self.query.end = TreeQuery.Bound(.init(.nothing, try Self.name(value)), isInclusive: isInclusive)
    }

    /// Ordered by names, a bound is a name.
    private static func name(_ value: TreeScalar?) throws(TreeError) -> TreeKey {
        guard case .text(let text)? = value, let key = TreeKey.bound(text) else {
            throw .wrongQuery("ordered by key, a bound must be a key in quotes")
        }
        return key
    }
}

// MARK: - As programs write it over HTTP

extension TreeQueryReader {
    /// Of the fields of a URL's query; nil where nothing is asked for but a place.
    package static func query(fields: [(name: String, value: String)]) throws(TreeError) -> TreeQuery? {
        let names = ["startAt", "startAfter", "endAt", "endBefore", "equalTo", "limitToFirst", "limitToLast"]
        var known: [String: String] = [:]
        for (name, value) in fields where names.contains(name) || name == "orderBy" { known[name] = value }
        guard !known.isEmpty else { return nil }
        guard let orderBy = known["orderBy"] else {
            throw .wrongQuery("orderBy must be defined when other query parameters are defined")
        }
        guard case .text(let order)? = try? Self.scalar(Array(orderBy.utf8)) else {
            throw .wrongQuery("orderBy must be a valid JSON encoded path")
        }
        var reader = TreeQueryReader(try Self.order(order))
        try reader.readBounds(known)
        try reader.readLimit(known)
        return reader.query
    }

    private mutating func readBounds(_ fields: [String: String]) throws(TreeError) {
        for (name, isInclusive) in [("startAt", true), ("startAfter", false)] {
            guard let text = fields[name] else { continue }
            let (value, key) = try Self.bound(text, name)
            guard self.query.start == nil else { throw .wrongQuery("only one bound may begin the range") }
            try self.begin(value, key, isInclusive: isInclusive)
        }
        for (name, isInclusive) in [("endAt", true), ("endBefore", false)] {
            guard let text = fields[name] else { continue }
            let (value, key) = try Self.bound(text, name)
            guard self.query.end == nil else { throw .wrongQuery("only one bound may end the range") }
            try self.finish(value, key, isInclusive: isInclusive)
        }
        guard let text = fields["equalTo"] else { return }
        guard self.query.start == nil, self.query.end == nil else {
            throw .wrongQuery("equalTo cannot be specified in addition to startAfter, startAt, endAt, or endBefore")
        }
        let (value, key) = try Self.bound(text, "equalTo")
        try self.begin(value, key, isInclusive: true)
        try self.finish(value, key, isInclusive: true)
    }

    private mutating func readLimit(_ fields: [String: String]) throws(TreeError) {
        guard fields["limitToFirst"] == nil || fields["limitToLast"] == nil else {
            throw .wrongQuery("limitToFirst and limitToLast cannot be used together")
        }
        self.query.isFromEnd = fields["limitToLast"] != nil
        guard let text = fields["limitToFirst"] ?? fields["limitToLast"] else { return }
        guard let limit = Int(text), limit > 0 else { throw .wrongQuery("a limit must be a positive integer") }
        self.query.limit = limit
    }

    /// A value, and a name after a comma where one is.
    private static func bound(_ text: String, _ name: String) throws(TreeError) -> (TreeScalar?, TreeKey?) {
        let json = Array("[\(text)]".utf8)
        let reader = JSONReader(json.span)
        guard let document = try? reader.document(depth: 2) else {
            throw .wrongQuery("\(name) must be a valid JSON value")
        }
        var elements = reader.elements(of: document)
        guard let first = elements.next() else { throw .wrongQuery("\(name) must be a valid JSON value") }
        let scalar = try self.scalar(reader.raw(first))
        guard let second = elements.next() else { return (scalar, nil) }
        guard elements.next() == nil, let key = reader.string(second) else {
            throw .wrongQuery("\(name) must be a value and a key")
        }
        return (scalar, try self.key(key))
    }
}
