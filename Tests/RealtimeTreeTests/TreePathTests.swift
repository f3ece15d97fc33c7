import Testing

@testable import RealtimeTree

@Suite("A path in the tree")
struct TreePathTests {
    @Test(
        "ends a name at every slash, also where an accent follows",
        arguments: ["a/b", "/a//b/", "a/\u{301}b", "e\u{301}/\u{301}"])
    func slashes(text: String) throws {
        let path = try #require(TreePath(text))
        #expect(path.count == 2)
        let target = try #require(TreeTarget(text + "/.priority"))
        #expect(target.isPriority && target.path == path)
    }

    @Test("has only names that are allowed", arguments: ["a.b", "a/$b", "a/[0]", "a/\u{7F}"])
    func names(text: String) { #expect(TreePath(text) == nil) }
}
