/// Where a request says who asks (RFC 6750 §2.1).
package enum BearerToken {
    package static func found(in fields: HTTPFields) -> String? {
        let scheme = "Bearer "
        guard let field = fields["Authorization"], field.hasPrefix(scheme) else { return nil }
        return String(field.dropFirst(scheme.count))
    }

    /// A cookie's value, as it stands there (RFC 6265 §4.2.1).
    package static func cookie(_ name: String, in fields: HTTPFields) -> String? {
        for pair in fields["Cookie"]?.split(separator: ";") ?? [] {
            let (key, value) = (pair.prefix { $0 != "=" }, pair.drop { $0 != "=" }.dropFirst())
            if key.drop(while: { $0 == " " }) == name[...] { return String(value) }
        }
        return nil
    }
}
