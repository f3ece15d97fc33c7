@_spi(_Unicode) import Swift

/// The one spelling of a name or a password, whichever way it was typed (RFC 8265 §4.2, `OpaqueString`): composed
/// characters (NFC), plain spaces, everything else as it is.
///
/// What the profile forbids, such as control characters, is left as it is, too: whether such a name exists is for
/// the server to say, and it was not ours to choose.
enum OpaqueString {
    static func prepared(_ text: String) -> String {
        // Nearly all of them are of letters that have but one spelling.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var prepared = String.UnicodeScalarView()
        // The standard library composes to compare strings, and lets itself be asked for it under this name only. The
        // tables are its own, so no other library is needed.
        for scalar in text._nfc { prepared.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar) }
        return String(prepared)
    }
}
