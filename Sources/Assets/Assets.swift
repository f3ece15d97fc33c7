/// Files that travel inside the binary. They are a room of their own because their bytes take the compiler longer than all of
/// `Service`.
package enum Assets {
    /// The page and its modules, each under its name.
    package static let page: [(name: String, bytes: [UInt8])] = [
        ("index.html", PackageResources.index_html),
        ("page.css", PackageResources.page_css),
        ("page.js", PackageResources.page_js),
        ("page-elements.js", PackageResources.page_elements_js),
        ("page-people.js", PackageResources.page_people_js),
        ("page-ring.js", PackageResources.page_ring_js),
        ("page-stage.js", PackageResources.page_stage_js),
        ("page-texts.js", PackageResources.page_texts_js),
        ("page-tile.js", PackageResources.page_tile_js),
        ("page-title.js", PackageResources.page_title_js),
        ("page-tone.js", PackageResources.page_tone_js),
        ("parley.js", PackageResources.parley_js),
        ("parley-call.js", PackageResources.parley_call_js),
        ("parley-calls.js", PackageResources.parley_calls_js),
        ("parley-channel.js", PackageResources.parley_channel_js),
        ("parley-error.js", PackageResources.parley_error_js),
        ("parley-identity.js", PackageResources.parley_identity_js),
        ("parley-link.js", PackageResources.parley_link_js),
        ("parley-media.js", PackageResources.parley_media_js),
        ("parley-peer.js", PackageResources.parley_peer_js),
        ("parley-room.js", PackageResources.parley_room_js),
        ("parley-talk.js", PackageResources.parley_talk_js),
    ]

    /// Passwords that many people chose, in lower case, one a line.
    package static var frequentPasswords: [UInt8] { PackageResources.frequent_passwords_txt }

    /// The description of the HTTP interface.
    package static var openAPI: [UInt8] { PackageResources.openapi_json }
}
