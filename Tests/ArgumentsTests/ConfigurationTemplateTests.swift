import Arguments
import Testing

@Suite("A configuration template")
struct ConfigurationTemplateTests {
    private let text = ConfigurationTemplate(for: Sail.self, of: Ship.self).text

    @Test("has each option that a file may set, with its default or what a value looks like")
    func options() {
        let lines = self.text.split(separator: "\n").filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") }
        #expect(
            lines == [
                "#speed = steady", "#time-limit = 90s", "#cargo = TEXT", "#water = 2048", "#depth = NUMBER",
                "#verbose = 1",
                "#dry-run = yes", "#lamps = yes", "#from = TEXT", "#to = TEXT",
            ])
    }

    @Test("says what each option is for, in lines that fit a terminal")
    func words() {
        #expect(self.text.contains("\n# How fast. (default: steady)\n#speed"))
        #expect(self.text.contains("'ship sail'"))
        #expect(self.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test("sets nothing as it stands")
    func comments() {
        #expect(self.text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") })
        #expect(!self.text.contains("secret"))
    }
}
