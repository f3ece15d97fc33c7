package import ICE
package import Negotiating

/// How one call is made.
package struct CallSettings: Sendable {
    package var ice = ICESettings()
    /// What we offer and accept.
    package var format = AudioFormat()
    /// Who we are in reports.
    package var canonicalName = "parley"

    package init() {}
}
