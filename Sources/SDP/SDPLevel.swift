/// An attribute with a value: its name, and how its value is read and written.
package protocol SDPAttribute: Hashable, Sendable {
    static var name: String { get }

    /// Nil for what the attribute's grammar does not know.
    init?(_ value: Substring)

    var value: String { get }
}

/// Attributes that say everything by being there.
package enum SDPFlag: String, Hashable, Sendable, CaseIterable {
    case bundleOnly = "bundle-only"
    case endOfCandidates = "end-of-candidates"
    case extmapAllowMixed = "extmap-allow-mixed"
    case iceLite = "ice-lite"
    case rtcpMux = "rtcp-mux"
    case rtcpMuxOnly = "rtcp-mux-only"
    case rtcpReducedSize = "rtcp-rsize"
}

/// What the head of a description and its sections have in common: lines in their order, and what they mean.
///
/// Unknown lines stay where they are. What is read is read from the lines each time, so the two never differ.
package protocol SDPLevel {
    var lines: [SDPLine] { get set }
}

extension SDPLevel {
    /// The values of every attribute of that name, in their order.
    package func values(of name: String) -> [Substring] {
        self.lines.lazy.filter { $0.isAttribute(name) }.compactMap(\.attributeValue)
    }

    package func value(of name: String) -> Substring? {
        self.lines.first { $0.isAttribute(name) }?.attributeValue
    }

    package func number(of name: String) -> Int? { self.value(of: name)?.number() }

    /// The first one that can be understood.
    package func first<Attribute: SDPAttribute>(_: Attribute.Type = Attribute.self) -> Attribute? {
        self.first { (_: Attribute) in true }
    }

    /// The first one that can be understood and is meant.
    package func first<Attribute: SDPAttribute>(where isMeant: (Attribute) -> Bool) -> Attribute? {
        for line in self.lines where line.isAttribute(Attribute.name) {
            if let value = line.attributeValue, let attribute = Attribute(value), isMeant(attribute) {
                return attribute
            }
        }
        return nil
    }

    /// All that can be understood, in their order.
    package func all<Attribute: SDPAttribute>(_: Attribute.Type = Attribute.self) -> [Attribute] {
        self.values(of: Attribute.name).compactMap { Attribute($0) }
    }

    package func has(_ flag: SDPFlag) -> Bool { self.lines.contains { $0.isAttribute(flag.rawValue) } }

    package mutating func append(_ attribute: some SDPAttribute) { self.append(attribute.line) }

    package mutating func append(_ flag: SDPFlag) { self.append(SDPLine(attribute: flag.rawValue)) }

    package mutating func append(_ line: SDPLine) { self.lines.append(line) }

    /// Puts the attribute where the first of its name stands, and takes the others of its name away.
    package mutating func set(_ attribute: some SDPAttribute) {
        let name = type(of: attribute).name
        let place = self.lines.firstIndex { $0.isAttribute(name) } ?? self.lines.count
        self.removeAttributes(name)
        self.lines.insert(attribute.line, at: place)
    }

    package mutating func set(_ flag: SDPFlag, to isThere: Bool) {
        guard isThere != self.has(flag) else { return }
        if isThere { self.append(flag) } else { self.removeAttributes(flag.rawValue) }
    }

    package mutating func removeAttributes(_ name: String) {
        self.lines.removeAll { $0.isAttribute(name) }
    }

    func write(to text: inout String) {
        for line in self.lines {
            text.unicodeScalars.append(line.letter)
            text += "="
            text += line.text
            text += "\r\n"
        }
    }
}

extension SDPAttribute {
    package var line: SDPLine { SDPLine(attribute: Self.name, self.value) }
}

// MARK: - What may stand in the head and in each section

extension SDPLevel {
    /// Which way media flows; nil when this level does not say.
    package var direction: SDPDirection? {
        get { self.lines.lazy.compactMap { $0.attributeName.flatMap { SDPDirection(rawValue: String($0)) } }.first }
        set {
            let isDirection = { (line: SDPLine) in SDPDirection.allCases.contains { line.isAttribute($0.rawValue) } }
            let place = self.lines.firstIndex(where: isDirection) ?? self.lines.count
            self.lines.removeAll(where: isDirection)
            if let newValue { self.lines.insert(SDPLine(attribute: newValue.rawValue), at: place) }
        }
    }

    /// `trickle`, `renomination` and others (RFC 8839 §5.6).
    package var iceOptions: [Substring] { self.value(of: "ice-options")?.words().filter { !$0.isEmpty } ?? [] }

    /// In kbit/s for `AS`, in bit/s for `TIAS` (RFC 8866 §5.8).
    package func bandwidth(_ kind: String) -> UInt64? {
        for line in self.lines where line.letter == "b" && line.text.hasPrefix("\(kind):") {
            return line.text.dropFirst(kind.count + 1).number()
        }
        return nil
    }
}
