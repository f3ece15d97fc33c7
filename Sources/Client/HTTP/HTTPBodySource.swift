package import Web

/// Gives a body piece by piece, as the other side takes it.
package protocol HTTPBodySource: AnyObject {
    var length: Int { get }
    /// Calls `give` once, now or later: with the next bytes, with none when all were given, or with nil when no more can come. The call is cut
    /// then.
    func next(_ give: @escaping ([UInt8]?) -> Void)
}

/// Takes an answer piece by piece. Who is given more than can be passed on pauses the call.
package protocol HTTPAnswerSink: AnyObject {
    func began(_ head: HTTPResponseHead)
    /// The bytes are lent for the time of the call.
    func received(_ bytes: Span<UInt8>)
}
