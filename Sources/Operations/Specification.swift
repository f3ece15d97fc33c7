package import JSON

/// What there is to say about an operation: its fields, where it lives over HTTP, what it is answered with, and why it may
/// be refused. Server, client, documents and tests read it here.
package struct OperationDescription: Sendable {
    package let fields: [FieldDescription]
    package var routes: [Route] = []
    package let answer: Answer
    /// Beyond those that every request may meet.
    package let refusals: Set<RequestError.Code>
}

/// An operation's description, and how its fields become a request.
package struct Specification<Request: Sendable>: Sendable {
    package let description: OperationDescription
    private let reading: @Sendable (borrowing JSONObject) throws(RequestError) -> Request

    /// - Parameter make: takes the values of the fields, in their order.
    init<each Value>(
        _ make: @escaping @Sendable (repeat each Value) -> Request, _ fields: repeat Field<each Value>,
        routes: [Route] = [], answer: Answer = .nothing, refusals: Set<RequestError.Code> = []
    ) {
        var descriptions: [FieldDescription] = []
        for field in repeat each fields { descriptions += field.parts }
        self.description = OperationDescription(
            fields: descriptions, routes: routes, answer: answer, refusals: refusals)
        self.reading = { source throws(RequestError) in make(repeat try (each fields).read(source)) }
    }

    /// With a field before and one behind those of something that many requests have inside.
    init<First, Inner, Last>(
        around inner: Specification<Inner>, _ first: Field<First>, _ last: Field<Last>, routes: [Route],
        answer: Answer, refusals: Set<RequestError.Code>, _ make: @escaping @Sendable (First, Inner, Last) -> Request
    ) {
        self.description = OperationDescription(
            fields: first.parts + inner.description.fields + last.parts, routes: routes, answer: answer,
            refusals: refusals)
        self.reading = { source throws(RequestError) in
            make(try first.read(source), try inner.read(source), try last.read(source))
        }
    }

    func read(_ fields: borrowing JSONObject) throws(RequestError) -> Request { try self.reading(fields) }
}

/// A family of operations: its cases are their names, and each case has its specification.
package protocol OperationFamily: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    associatedtype Request: Sendable
    var specification: Specification<Request> { get }
}

extension OperationFamily {
    /// Reads and checks the fields.
    package func request(_ fields: borrowing JSONObject) throws(RequestError) -> Request {
        try self.specification.read(fields)
    }
}
