/// What help says about an option.
package struct ArgumentHelp: Sendable, ExpressibleByStringInterpolation {
    let abstract: String
    let valueName: String?
    let isHidden: Bool

    package init(_ abstract: String, valueName: String? = nil, isHidden: Bool = false) {
        self.abstract = abstract
        self.valueName = valueName
        self.isHidden = isHidden
    }

    package init(stringLiteral abstract: String) { self.init(abstract) }
}

/// The environment variable that may stand for an option.
package enum EnvironmentName: Hashable, Sendable {
    /// The program's name and the option's: `PARLEY_DRAIN_TIMEOUT`.
    case automatic
    case named(String)
    case none
}
