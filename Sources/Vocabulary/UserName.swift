/// The name a user signs in with: 4 to 15 letters, digits and underscores, none of these at an edge.
///
/// It keeps the case it was written in.
package struct UserName: Hashable, Sendable {
    package let text: String

    package static let lengths = 4...15

    package enum Mistake: Error, Hashable, Sendable {
        case empty, tooShort, tooLong, forbiddenCharacter, underscoreAtEdge
    }

    package init(_ text: String) throws(Mistake) {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.allSatisfy({ Letters.userName[Int($0)] }) else { throw .forbiddenCharacter }
        guard text.utf8.count >= Self.lengths.lowerBound else { throw .tooShort }
        guard text.utf8.count <= Self.lengths.upperBound else { throw .tooLong }
        guard !text.hasPrefix("_"), !text.hasSuffix("_") else { throw .underscoreAtEdge }
        self.text = text
    }
}
