/// Files that travel inside the binary. They are a room of their own because their bytes take the compiler longer than all of
/// `Service`.
package enum Assets {
    /// The page and its modules, each under its name.
    package static let page: [(name: String, bytes: [UInt8])] = [
        ("index.html", PackageResources.index_html),
        ("page.css", PackageResources.page_css),
        ("page-chat.css", PackageResources.page_chat_css),
        ("page.js", PackageResources.page_js),
        ("page-icon.svg", PackageResources.page_icon_svg),
        ("page.webmanifest", PackageResources.page_webmanifest),
        ("worker.js", PackageResources.worker_js),
        ("page-shell.js", PackageResources.page_shell_js),
        ("page-bodies.js", PackageResources.page_bodies_js),
        ("page-chat.js", PackageResources.page_chat_js),
        ("page-chats.js", PackageResources.page_chats_js),
        ("page-composer.js", PackageResources.page_composer_js),
        ("page-details.js", PackageResources.page_details_js),
        ("page-dialogs.js", PackageResources.page_dialogs_js),
        ("page-digest.js", PackageResources.page_digest_js),
        ("page-elements.js", PackageResources.page_elements_js),
        ("page-files.js", PackageResources.page_files_js),
        ("page-history.js", PackageResources.page_history_js),
        ("page-links.js", PackageResources.page_links_js),
        ("page-me.js", PackageResources.page_me_js),
        ("page-menu.js", PackageResources.page_menu_js),
        ("page-message.js", PackageResources.page_message_js),
        ("page-names.js", PackageResources.page_names_js),
        ("page-people.js", PackageResources.page_people_js),
        ("page-player.js", PackageResources.page_player_js),
        ("page-recorder.js", PackageResources.page_recorder_js),
        ("page-ring.js", PackageResources.page_ring_js),
        ("page-room-name.js", PackageResources.page_room_name_js),
        ("page-route.js", PackageResources.page_route_js),
        ("page-settings.js", PackageResources.page_settings_js),
        ("page-stage.js", PackageResources.page_stage_js),
        ("page-texts-en.js", PackageResources.page_texts_en_js),
        ("page-texts-zh.js", PackageResources.page_texts_zh_js),
        ("page-texts.js", PackageResources.page_texts_js),
        ("page-tile.js", PackageResources.page_tile_js),
        ("page-time.js", PackageResources.page_time_js),
        ("page-title.js", PackageResources.page_title_js),
        ("page-tone.js", PackageResources.page_tone_js),
        ("page-viewer.js", PackageResources.page_viewer_js),
        ("page-voice.js", PackageResources.page_voice_js),
        ("parley.js", PackageResources.parley_js),
        ("parley-cache.js", PackageResources.parley_cache_js),
        ("parley-call.js", PackageResources.parley_call_js),
        ("parley-calls.js", PackageResources.parley_calls_js),
        ("parley-channel.js", PackageResources.parley_channel_js),
        ("parley-chat.js", PackageResources.parley_chat_js),
        ("parley-conversation.js", PackageResources.parley_conversation_js),
        ("parley-error.js", PackageResources.parley_error_js),
        ("parley-files.js", PackageResources.parley_files_js),
        ("parley-identity.js", PackageResources.parley_identity_js),
        ("parley-link.js", PackageResources.parley_link_js),
        ("parley-media.js", PackageResources.parley_media_js),
        ("parley-outbox.js", PackageResources.parley_outbox_js),
        ("parley-peer.js", PackageResources.parley_peer_js),
        ("parley-room.js", PackageResources.parley_room_js),
        ("parley-talk.js", PackageResources.parley_talk_js),
    ]

    /// Passwords that many people chose, in lower case, one a line.
    package static var frequentPasswords: [UInt8] { PackageResources.frequent_passwords_txt }

    /// The description of the HTTP interface.
    package static var openAPI: [UInt8] { PackageResources.openapi_json }
}
