package import JSON

/// A request is one object. When a name stands twice the last one counts; a null says nothing.
extension JSONObject {
    /// - Parameter arguments: where the arguments of an event stand in `bytes`, and how many they are. A request without an
    ///   argument has no fields.
    @_lifetime(copy bytes)
    package init(_ bytes: Span<UInt8>, arguments: Range<Int>, count: Int) throws(RequestError) {
        // That it is sound JSON was proven when it came; only its kind is left to see.
        guard count == 0 || count == 1 && JSONReader(bytes).objectStart(in: arguments) != nil else {
            throw RequestError(.badRequest, "a request has one object for its argument")
        }
        self.init(proven: bytes, in: arguments)
    }

    /// Of a text that is nothing but the object.
    @_lifetime(copy bytes)
    package init(body bytes: Span<UInt8>) throws(RequestError) {
        do throws(JSONObjectError) {
            try self.init(bytes)
        } catch {
            throw RequestError(.badRequest, "the body must be one JSON object")
        }
    }
}
