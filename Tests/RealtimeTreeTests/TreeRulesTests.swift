import Testing

@testable import RealtimeTree

@Suite("Rules over the tree")
struct TreeRulesTests {
    private func reads(_ expression: String, _ data: String = "null", by auth: String = "null") throws -> Bool {
        let quoted = ModelNode.quoted(expression)
        let rules = try TreeRules(#"{"rules":{"p":{"$key":{".read":\#(quoted)}}}}"#)
        let tree = TreeNode.nothing.setting(try #require(TreePath("p/k")), to: try TreeNode(data))
        return rules.allowsRead(try #require(TreePath("p/k")), by: try TreeNode(auth), of: tree, now: 1000)
    }

    @Test(
        "An expression comes to what it says",
        arguments: [
            "true", "1 + 2 * 3 == 7", "(1 + 2) * 3 === 9", "7 % 4 == 3", "-2 < 1 && 2 >= 2", "!false",
            "1 < 2 ? true : false",
            "'a' + 1 == 'a1'", "'b' > 'a'", "auth == null", "now == 1000", "$key == 'k'", "'abc'.length == 3",
            "'abc'.contains('b') && 'abc'.beginsWith('a') && 'abc'.endsWith('c')", "'aXa'.replace('a', 'b') == 'bXb'",
            "'Ab'.toLowerCase() == 'ab' && 'Ab'.toUpperCase() == 'AB'", "data.val() == null", "!data.exists()",
            "root.child('p').child('k').val() == null", "null == null", "true || 1 + null == 2", "10 / 4 == 2.5",
            "'2024-01-31'.matches(/^[0-9]{4}-\\d\\d-\\d\\d$/)", "'HeLLo'.matches(/hello/i)", "!'x'.matches(/^(a|b)+$/)",
            "'aab'.matches(/^(a|b)*$/)", "'a\\u00e9'.length == 2 || true", "1 == 1 != false",
        ])
    func expressions(text: String) throws {
        #expect(try self.reads(text))
    }

    @Test(
        "What makes no sense while it is carried out allows nothing",
        arguments: [
            "1 + null == 1", "data.val().length > 0", "1 && true", "'a' < 1", "auth.uid == 'x'",
            "'a'.child('b').exists()",
            "root.parent().exists()", "data.child('a..').exists()", "data.hasChildren('a')", "null.exists()",
            "1 ? true : true",
        ])
    func failures(text: String) throws {
        #expect(try !self.reads(text))
    }

    @Test(
        "Data is looked at by its functions",
        arguments: [
            "data.hasChildren()", "data.hasChildren(['a', 'b'])", "!data.hasChildren(['a', 'z'])", "data.hasChild('a')",
            "data.child('a').isNumber() && data.child('b').isString() && data.child('c').isBoolean()",
            "data.child('a').val() == 1", "data.child('d/e').val() == 'deep'", "data.child('d').getPriority() == 3",
            "data.child('d').parent().child('b').val() == 'x'", "root.child('p/' + $key + '/a').exists()",
        ])
    func data(text: String) throws {
        #expect(try self.reads(text, #"{"a":1,"b":"x","c":true,"d":{"e":"deep",".priority":3}}"#))
    }

    @Test("Members of a sign-in are there by name")
    func auth() throws {
        let auth = #"{"uid":"u1","token":{"admin":true,"firebase":{"sign_in_provider":"anonymous"}}}"#
        #expect(try self.reads("auth.uid == 'u1' && auth.token.admin === true", by: auth))
        #expect(try self.reads("auth.token.firebase.sign_in_provider == 'anonymous'", by: auth))
        #expect(try self.reads("auth['uid'] == 'u1' && auth.token.none == null", by: auth))
    }

    @Test(
        "What is no rule is refused with its place",
        arguments: [
            ("1 +", "no end"), ("(1", "')' is missing"), ("$other == 1", "not known"),
            ("newData.exists()", "not known"),
            ("data.fly()", "no function"), ("data.child()", "takes 1"), ("'a", "no end"), ("1 2", "goes on"),
            ("#", "cannot be read"),
            ("/a/x.exists()", "flag i"), ("'a'.matches(/[z-a]/)", "goes back"), ("'a'.matches(/a{101}/)", "too often"),
        ])
    func faults(text: String, words: String) {
        let fault = #expect(throws: RuleFault.self) { try self.reads(text) }
        #expect(fault?.description.contains(words) == true)
        #expect(fault?.place == "p/$key/.read")
    }

    @Test("A pattern takes no longer for a text that was made to be slow")
    func slowPatterns() throws {
        let pattern = try RulePattern("^(a+)+$")
        #expect(!pattern.matches(String(repeating: "a", count: 20_000) + "b"))
        #expect(pattern.matches(String(repeating: "a", count: 1000)))
    }

    @Test("Every rule of validity on the way and below has to hold for what is new, and none for what goes")
    func validity() throws {
        let rules = try TreeRules(
            #"""
            {"rules": {".write": true, "a": {".validate": "newData.hasChild('n')", "n": {".validate": "newData.isNumber()"},
             "$other": {".validate": "newData.val() != 'bad'"}}}}
            """#)
        func allows(_ path: String, _ json: String, over before: String = "null") throws -> Bool {
            let tree = try TreeNode(before)
            let write = TreeWrite(try #require(TreeTarget(path)), try TreeNode(json))
            return rules.allowsWrite(write, by: .nothing, from: tree, to: write.applied(to: tree), now: 0)
        }
        #expect(try allows("a", #"{"n":1,"x":"good"}"#))
        #expect(try !allows("a", #"{"x":1}"#))
        #expect(try !allows("a", #"{"n":"1"}"#))
        #expect(try !allows("a", #"{"n":1,"x":"bad"}"#))
        #expect(try !allows("a/x", "1"))
        #expect(try allows("a/x", "1", over: #"{"a":{"n":1}}"#))
        #expect(try !allows("a/n", "null", over: #"{"a":{"n":1,"x":2}}"#))
        #expect(try allows("a", "null", over: #"{"a":{"n":1}}"#))
        #expect(try allows("else", "{\"n\":\"bad\"}"))
    }

    @Test("Without rules nobody may do anything")
    func closed() throws {
        let write = TreeWrite(TreeTarget(.root), TreeNode(.bool(true)))
        let user = try TreeNode(#"{"uid":"u"}"#)
        #expect(!TreeRules.closed.allowsRead(.root, by: user, of: .nothing, now: 0))
        #expect(!TreeRules.closed.allowsWrite(write, by: user, from: .nothing, to: write.applied(to: .nothing), now: 0))
        #expect(TreeRules.signedIn.allowsRead(.root, by: user, of: .nothing, now: 0))
        #expect(!TreeRules.signedIn.allowsRead(.root, by: .nothing, of: .nothing, now: 0))
    }
}
