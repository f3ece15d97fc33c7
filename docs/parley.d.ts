declare module "parley-error" {
    /**
     * Tells an object's listeners; what is told is the event's `detail`.
     * @param {EventTarget} target
     * @param {string} type
     * @param {any} [detail]
     */
    export function tell(target: EventTarget, type: string, detail?: any): void;
    /** Why something was not granted, or could not be done. */
    export class ParleyError extends Error {
        /** @param {{code?: string, message?: string, retryAfter?: number}} error as the server says it */
        static from(error: {
            code?: string;
            message?: string;
            retryAfter?: number;
        }): ParleyError;
        /**
         * @param {string} code one of the server's codes, or one of ours: `timeout`, `disconnected`, `unreachable`,
         *   `signed_out`, `closed`; about devices `denied`, `missing`, `in_use`, `insecure`
         * @param {string} message for readers of logs; pages have words of their own for each code
         * @param {number} [retryAfter] milliseconds
         */
        constructor(code: string, message: string, retryAfter?: number);
        code: string;
        retryAfter: number;
    }
}
declare module "parley-peer" {
    /**
     * The media between us and one other: an `RTCPeerConnection` with perfect negotiation, so either side may change what
     * it sends at any time.
     *
     * Events: `stream` when something of the other side can be seen or heard; `state` when `state` changes; `data` with what
     * the other side says about itself.
     */
    export class Peer extends EventTarget {
        /**
         * @param {object} options
         * @param {RTCConfiguration} options.configuration
         * @param {MediaStream} options.local
         * @param {boolean} options.isPolite gives way when both offer at once
         * @param {boolean} options.offers begins; the other one waits for that
         * @param {(signal: object) => Promise<any>} options.send
         */
        constructor({ configuration, local, isPolite, offers, send }: {
            configuration: RTCConfiguration;
            local: MediaStream;
            isPolite: boolean;
            offers: boolean;
            send: (signal: object) => Promise<any>;
        });
        /** What comes from the other side. */
        stream: MediaStream;
        /** @type {RTCPeerConnectionState} */
        get state(): RTCPeerConnectionState;
        add(track: any, stream: any): void;
        /** Another track in place of the one of its kind; where there was none, it is negotiated. */
        exchange(kind: any, track: any): void;
        /** How loud the other side is, from 0 to 1. */
        get level(): number;
        stats(): any;
        configure(configuration: any): void;
        /** Looks for a new path through the network. */
        restart(): void;
        /** After a broken line: whatever was agreed on the way may be lost. */
        mend(): void;
        close(): void;
        /** Takes what the other side signalled. */
        take({ description, candidate, data }: {
            description: any;
            candidate: any;
            data: any;
        }): Promise<void>;
        #private;
    }
}
declare module "parley-media" {
    /**
     * Which devices are opened from now on, by their ids; an empty one leaves it to the browser. In place of a device that is gone
     * another one is opened.
     * @param {{microphone?: string, camera?: string}} choice
     */
    export function preferDevices(choice: {
        microphone?: string;
        camera?: string;
    }): void;
    /**
     * What there is to choose from. Names are known once a device was opened.
     * @returns {Promise<{microphones: MediaDeviceInfo[], cameras: MediaDeviceInfo[], loudspeakers: MediaDeviceInfo[]}>}
     */
    export function listDevices(): Promise<{
        microphones: MediaDeviceInfo[];
        cameras: MediaDeviceInfo[];
        loudspeakers: MediaDeviceInfo[];
    }>;
    /**
     * Asks for a microphone, and for a camera when `kind` is `video`. Who has only one of them talks, or is seen, without the other.
     * @param {'audio'|'video'} kind
     * @returns {Promise<MediaStream>}
     */
    export function openMedia(kind: 'audio' | 'video'): Promise<MediaStream>;
    /** @returns {Promise<MediaStreamTrack>} */
    export function openCamera(): Promise<MediaStreamTrack>;
    /** @returns {Promise<MediaStreamTrack>} */
    export function openMicrophone(): Promise<MediaStreamTrack>;
    /** A screen or a window of the user's choice, with its sound where the browser gives it. @returns {Promise<MediaStream>} */
    export function openScreen(): Promise<any>;
    namespace microphone {
        const echoCancellation: boolean;
        const noiseSuppression: boolean;
        const autoGainControl: boolean;
    }
    namespace camera {
        namespace width {
            const ideal: number;
        }
        namespace height {
            const ideal_1: number;
            export { ideal_1 as ideal };
        }
    }
    export {};
}
declare module "parley-screen" {
    /** A screen that is shown to others, with its sound mixed to what the microphone hears: one track each, as calls have them. */
    export class Screen {
        /** @param {MediaStream} stream */
        constructor(stream: MediaStream);
        /** @type {MediaStreamTrack} */
        picture: MediaStreamTrack;
        /** The mix, when the screen has a sound. @type {MediaStreamTrack|undefined} */
        sound: MediaStreamTrack;
        /** What the user sees of it. @type {MediaStream} */
        stream: MediaStream;
        /** @param {MediaStreamTrack|undefined} microphone another one than before */
        mixWith(microphone: MediaStreamTrack | undefined): void;
        close(): void;
        #private;
    }
}
declare module "parley-talk" {
    /** What another said of its devices. @returns {{microphone: boolean, camera: boolean, screen: boolean}} */
    export function devicesOf({ microphone, camera, screen }: {
        microphone: any;
        camera: any;
        screen: any;
    }): {
        microphone: boolean;
        camera: boolean;
        screen: boolean;
    };
    /**
     * What a call and a room have in common: our own sound and picture, and others who get them.
     *
     * Events: `local` when what we send has changed.
     */
    export class Talk extends EventTarget {
        /** @param {'audio'|'video'} kind */
        constructor(kind: 'audio' | 'video');
        /** Our microphone and camera. @type {MediaStream|undefined} */
        localStream: any;
        /** What the others get: the same, or a screen in place of the camera. */
        sent: MediaStream;
        /** @type {'audio'|'video'} */
        kind: 'audio' | 'video';
        microphone: boolean;
        camera: boolean;
        /**
         * A camera that is to stay off is not opened.
         * @param {MediaStream} [stream] instead of microphone and camera
         * @param {{microphone?: boolean, camera?: boolean}} devices what is on; without it, what the kind of talk needs
         */
        openMedia(stream?: MediaStream, { microphone, camera }?: {
            microphone?: boolean;
            camera?: boolean;
        }): Promise<void>;
        /** A member without one listens. */
        get hasMicrophone(): boolean;
        closeMedia(): void;
        /** Everybody we are connected to. @returns {Iterable<import('./parley-peer.js').Peer>} */
        get peers(): any[];
        /** Tells the others something about us. @param {object} data */
        say(data: any): void;
        setMicrophone(isOn: any): void;
        /** Opens a camera when there was none so far; the others see it as soon as that is negotiated. */
        setCamera(isOn: any): Promise<void>;
        /** @param {string} id of a device of `listDevices` */
        switchMicrophone(id: string): Promise<void>;
        /** @param {string} id of a device of `listDevices` */
        switchCamera(id: string): Promise<void>;
        /** The camera on the other side, or the next one. @returns {Promise<string|undefined>} its id */
        flipCamera(): Promise<string>;
        get isSharing(): boolean;
        /** What the user sees of what the others get. @returns {MediaStream|undefined} */
        get localView(): any;
        /**
         * Shows a screen in place of the camera, and lets its sound be heard beside the microphone.
         * @param {MediaStream} [stream] in place of one that the browser asks for
         */
        share(stream?: MediaStream): Promise<void>;
        stopSharing(): void;
        /** Looks for a better path through the network, to everybody. */
        repair(): void;
        /** What is on. */
        get devices(): {
            microphone: boolean;
            camera: boolean;
        };
        /** What the others should know of our devices. */
        get shown(): {
            microphone: boolean;
            camera: boolean;
        };
        #private;
    }
}
declare module "parley-call" {
    /** @typedef {{user: string, name?: string, member?: string, recording?: number}} Person */
    /**
     * One call with one other.
     *
     *     outgoing   preparing ──▶ calling ──their device rings──▶ ringing ──they accept──▶ connecting ──▶ talking
     *     incoming   ringing ──accept──▶ accepting ──▶ connecting ──▶ talking
     *     any of these ──▶ ended
     *
     * Events: `state`; `stream` when the other side can be seen or heard; `devices` when it switches its microphone or
     * camera; `local`; `away` when `isPeerAway` changes; `recording` when `peerRecording` does; `moved` with a room's name when the other side goes on there; `ended`.
     */
    export class Call extends Talk {
        /**
         * Made by `Parley`.
         * @param {import('./parley-calls.js').CallDesk} desk
         * @param {{id: string, peer: Person, kind: 'audio'|'video', isIncoming: boolean}} call
         */
        constructor(desk: import('./parley-calls.js').CallDesk, { id, peer, kind, isIncoming }: {
            id: string;
            peer: Person;
            kind: 'audio' | 'video';
            isIncoming: boolean;
        });
        /** @type {'preparing'|'calling'|'ringing'|'accepting'|'connecting'|'talking'|'ended'} */
        state: 'preparing' | 'calling' | 'ringing' | 'accepting' | 'connecting' | 'talking' | 'ended';
        /** @type {Person} */
        peer: Person;
        /** While an outgoing call rings: none of their devices is up yet, but some are being woken. */
        isWaking: boolean;
        /** The other side's line broke; the call waits for it. */
        isPeerAway: boolean;
        /** Since when the other side records, in milliseconds since 1970. @type {number|undefined} */
        peerRecording: any;
        /** @type {{microphone: boolean, camera: boolean, screen?: boolean}} */
        peerDevices: {
            microphone: boolean;
            camera: boolean;
            screen?: boolean;
        };
        /** How it ended: one of the protocol's outcomes. @type {string|undefined} */
        outcome: any;
        /** Of an outgoing call: settles when the server rings, or has refused to. @type {Promise<void>|undefined} */
        ready: any;
        /** Whether it was us who ended it. */
        endedByUs: boolean;
        /** When both were connected, by `performance.now()`. @type {number|undefined} */
        talkingSince: any;
        id: string;
        isIncoming: boolean;
        /** What the other side sends, once it does. @type {MediaStream|undefined} */
        get stream(): any;
        get isOver(): boolean;
        /** Takes an incoming call. Fails when there is no microphone; then `decline` or `fail` it, or try again. */
        accept(options?: {}): Promise<void>;
        decline(): Promise<void>;
        /** Ends the call, or our own ringing. */
        hangup(): Promise<void>;
        /** Tells the other side that we cannot do our part. */
        fail(): Promise<void>;
        /** With this another device of the same user takes the call over: `Parley.takeCall`. @type {string|undefined} */
        get ticket(): string;
        /** Goes on in a room, and tells the other side so. @param {string} room */
        moveTo(room: any): void;
        /** Tells the other side that we record, or no longer do. */
        tellRecording(isOn?: boolean): Promise<void>;
        ring(options: any): Promise<void>;
        rings({ push }: {
            push?: boolean;
        }): void;
        connected({ role, peer }: {
            role: any;
            peer: any;
        }): void;
        signalled(signal: any): void;
        peerWentAway(): void;
        peerRecords(since: any): void;
        /** The same page mends what it has, also when its line is another; a page that was loaded anew begins anew. */
        peerCameBack({ member, keeps }: {
            member: any;
            keeps: any;
        }): void;
        /** Our own line is there again, with everything that was missed. */
        lineMended(): void;
        /** Our own line is there again, as a new member: our seat has to be taken anew. What still carries is kept. */
        takeSeat(): Promise<void>;
        seated({ phase, role, peer, keeps }: {
            phase: any;
            role: any;
            peer: any;
            keeps: any;
        }): void;
        ended(outcome: any, by: any): void;
        role: any;
        #private;
    }
    export type Person = {
        user: string;
        name?: string;
        member?: string;
        recording?: number;
    };
    import { Talk } from "parley-talk";
}
declare module "parley-channel" {
    /**
     * The text of an answer's body, which may have no end.
     * @param {Response} answer
     */
    export function textOf(answer: Response): Promise<string>;
    /** More than any server of ours says at once, in bytes of a body or letters of a packet. */
    export const longestBody: 4000000;
    /**
     * @typedef {object} ChannelEvents
     * @property {(packet: string) => void} packet
     * @property {() => void} closed told once, also when the channel never opened
     */
    /** Packets as the messages of one WebSocket. */
    export class WebSocketChannel {
        /** @param {URL} url @param {ChannelEvents} events */
        constructor(url: URL, events: ChannelEvents);
        send(packet: any): void;
        close(): void;
        #private;
    }
    /** Packets as the bodies of requests, for networks that let no WebSocket through. */
    export class PollingChannel {
        /** @param {URL} url @param {ChannelEvents} events */
        constructor(url: URL, events: ChannelEvents);
        send(packet: any): void;
        close(): void;
        #private;
    }
    export type ChannelEvents = {
        packet: (packet: string) => void;
        /**
         * told once, also when the channel never opened
         */
        closed: () => void;
    };
}
declare module "parley-link" {
    /**
     * A Socket.IO 5 session that comes back by itself: the line between a page and its server.
     *
     *     closed ──open──▶ connecting ──welcomed──▶ connected ──lost──▶ dropped ──pause──▶ connecting …
     *        ▲                                                             │
     *        └──────────────── close, or refused for good ────────────────┘
     *
     * Events: `state` when `state` changes; `connected` with `{recovered}`; `refused` with a `ParleyError` when the server
     * does not let us in; `dismissed` when it sends us away.
     */
    export class Link extends EventTarget {
        /**
         * @param {URL} url
         * @param {() => Promise<object>} auth what we show at the door, asked for at each connect
         * @param {(event: string, argument: any) => void} receive
         * @param {{pid?: string, offset?: string}} [recovery] of a session that another tab had
         */
        constructor(url: URL, auth: () => Promise<object>, receive: (event: string, argument: any) => void, recovery?: {
            pid?: string;
            offset?: string;
        });
        /** @type {'closed'|'connecting'|'connected'|'dropped'} */
        state: 'closed' | 'connecting' | 'connected' | 'dropped';
        /** Our name among others while connected. @type {string|undefined} */
        member: any;
        /** What goes on with this session elsewhere. */
        get recovery(): {};
        open(): void;
        /**
         * Ends the session for good, or without a goodbye leaves it to another tab. Requests that wait for their answer fail.
         * @param {boolean} withGoodbye
         */
        close(withGoodbye?: boolean): void;
        /**
         * Asks the server for something and waits for its answer, also while the line is down.
         * @param {string} event
         * @param {object} [argument]
         * @param {{timeout?: number, onlyThisSession?: boolean}} options `onlyThisSession` for what has no meaning once
         *   the server has forgotten who we were
         * @returns {Promise<any>}
         */
        request(event: string, argument?: object, { timeout, onlyThisSession }?: {
            timeout?: number;
            onlyThisSession?: boolean;
        }): Promise<any>;
        #private;
    }
}
declare module "parley-tabs" {
    /**
     * The line of all tabs in which the same user is signed in. One of them, the leader, holds the session with the server; what
     * the others ask and hear goes through it. When the leader's tab is closed, the one that has waited longest takes its session over, as
     * after a line that broke, and nobody else notices.
     *
     *     tab ──ask──▶ BroadcastChannel ──▶ leader ──▶ Link ──▶ server
     *      ▲                                  │
     *      └──────── events, answers ◀────────┘
     *
     * Who leads is whoever holds a lock (Web Locks), so there is never more than one; a tab that is looked at takes it from a leader that
     * does not answer. A browser without locks (a page that came without HTTPS) has a line for each tab.
     *
     * Events: those of `Link`; `asked` with `{event, argument}` when another tab takes a call or comes into a room; `ended` with a
     * `ParleyError` when another tab ended the session for all.
     */
    export class TabLink extends EventTarget {
        /**
         * @param {URL} url
         * @param {() => Promise<object>} auth
         * @param {(event: string, argument: any) => void} receive
         */
        constructor(url: URL, auth: () => Promise<object>, receive: (event: string, argument: any) => void);
        /** @type {'closed'|'connecting'|'connected'|'dropped'} */
        state: 'closed' | 'connecting' | 'connected' | 'dropped';
        /** Our name among others, the same in all tabs. @type {string|undefined} */
        member: any;
        /** Whether there may be other tabs. */
        get hasOthers(): boolean;
        /** @param {string} [key] the same in all tabs that share; without it this one is by itself */
        open(key?: string): void;
        /** Leaves; other tabs stay. Requests that wait for their answer fail. */
        close(): void;
        /** Ends the session in all tabs. @param {ParleyError} error why */
        end(error: any): void;
        /**
         * Leaves the others and goes on with a session of its own: for a call that another tab has, since a session has one seat in it.
         * Settles when it is connected.
         */
        separate(): Promise<void>;
        /** As `Link.request`. */
        request(event: any, argument?: {}, { timeout, onlyThisSession }?: {
            timeout?: number;
            onlyThisSession?: boolean;
        }): any;
        #private;
    }
}
declare module "parley-calls" {
    /** All calls of a page: finds the one an event is for. */
    export class CallDesk {
        /**
         * @param {import('./parley.js').Parley} parley
         * @param {import('./parley-tabs.js').TabLink} link
         * @param {Storage} seat where a page that is loaded anew finds its call
         */
        constructor(parley: import('./parley.js').Parley, link: import('./parley-tabs.js').TabLink, seat: Storage);
        get user(): string;
        get member(): any;
        get configuration(): {
            iceServers: any[];
        };
        get all(): Call[];
        request(event: any, argument: any, options: any): any;
        /** @param {{user: string, name?: string}} peer */
        dial(peer: {
            user: string;
            name?: string;
        }, kind: any): Call;
        rename(call: any, id: any): void;
        forget(call: any): void;
        /** For the page that is loaded after this one. */
        remember({ id, kind, devices, talkingSince }: {
            id: any;
            kind: any;
            devices: any;
            talkingSince: any;
        }): void;
        /** Takes up the call that this page was in before it was loaded anew, if there was one. @returns {Promise<Call|undefined>} */
        resume(options?: {}): Promise<any>;
        /** Takes up a call that goes on on another device. @param {string} ticket @returns {Promise<Call|undefined>} */
        takeOver(ticket: any, { kind, ...options }?: {
            kind?: string;
        }): Promise<Call>;
        /** Another tab of this user takes the call. */
        takenElsewhere(id: any): void;
        received(event: any, argument: any): void;
        /** @param {boolean} recovered */
        lineMended(recovered: boolean): void;
        #private;
    }
    import { Call } from "parley-call";
}
declare module "parley-call-loader" {
    /** Where a page that is loaded anew finds its call. */
    export const seatKey: "parley seat";
    /** The calls of a page, and their modules, which are loaded with the first of them: most pages have none for a long time. */
    export class CallLoader {
        /** @param {{parley: import('./parley.js').Parley, link: import('./parley-tabs.js').TabLink, seat: Storage}} parts */
        constructor(parts: {
            parley: import('./parley.js').Parley;
            link: import('./parley-tabs.js').TabLink;
            seat: Storage;
        });
        get all(): import("parley-call").Call[];
        get hasSeat(): boolean;
        /** @returns {Promise<import('./parley-calls.js').CallDesk>} */
        load(): Promise<import('./parley-calls.js').CallDesk>;
        received(event: any, argument: any): void;
        /** @param {boolean} recovered */
        lineMended(recovered: boolean): void;
        /** Another tab of this user takes the call. @param {string} id */
        takenElsewhere(id: any): void;
        #private;
    }
}
declare module "parley-cache" {
    /**
     * @typedef {object} Entry one entry of a conversation, as the server tells it
     * @property {string} conversation
     * @property {number} number
     * @property {string} type
     * @property {string} from
     * @property {number} time
     * @property {string} [client]
     * @property {string} [kind]
     * @property {any} [body]
     */
    /** The conversations, entries and unsent messages of one user. */
    export class ChatCache {
        /** @param {string} name another user has another one */
        constructor(name: string);
        /** @returns {Promise<any[]>} */
        conversations(): Promise<any[]>;
        /** @param {any} view */
        putConversation(view: any): void;
        /** Of a conversation that is gone, or of which something was missed, nothing may be believed any more. */
        forget(conversation: any): Promise<void>;
        forgetEntries(conversation: any): Promise<void>;
        /** @param {Entry[]} entries */
        putEntries(entries: Entry[]): void;
        /** @returns {Promise<Entry|undefined>} */
        entry(conversation: any, number: any): Promise<Entry | undefined>;
        /**
         * The entries from one number to another, if every one of them is kept.
         * @returns {Promise<Entry[]|undefined>}
         */
        entries(conversation: any, first: any, last: any): Promise<Entry[] | undefined>;
        /** Lets go of what long conversations have behind their newest part. @param {{conversation: string, last: number}[]} views */
        trim(views: any): Promise<void>;
        /** @returns {Promise<any[]|undefined>} in the order in which they were written */
        unsent(): Promise<any[] | undefined>;
        putUnsent(message: any): Promise<void>;
        deleteUnsent(order: any): Promise<void>;
        /** A user who signs out leaves nothing behind. */
        erase(): Promise<void>;
        #private;
    }
    /**
     * one entry of a conversation, as the server tells it
     */
    export type Entry = {
        conversation: string;
        number: number;
        type: string;
        from: string;
        time: number;
        client?: string;
        kind?: string;
        body?: any;
    };
}
declare module "parley-conversation" {
    /** A message as it is after something happened to it. @param {any} message @param {any} entry @returns {any} */
    export function changed(message: any, { type, from, body, time }: {
        type: any;
        from: any;
        body: any;
        time: any;
    }): any;
    /** One conversation as we know it; `Chat` keeps it true. */
    export class Conversation {
        /** @param {any} view as the server tells it */
        constructor(view: any);
        /** @type {string} */
        id: string;
        /** @type {'direct'|'group'|'room'|'order'} */
        kind: 'direct' | 'group' | 'room' | 'order';
        /** @type {'owner'|'admin'|'member'|undefined} our own */
        role: 'owner' | 'admin' | 'member' | undefined;
        /** @type {string|undefined} */
        title: string | undefined;
        /** What it is tied to: the name of an order. @type {string|undefined} */
        subject: any;
        /** Whom it is with, when it is with one. @type {{user: string, name?: string, avatar?: string}|undefined} */
        peer: any;
        members: number;
        /** The number of its latest entry. */
        last: number;
        /** Nothing before this one is there for us. */
        since: number;
        read: number;
        unread: number;
        isMuted: boolean;
        /** Out of the way, until somebody says something. */
        isArchived: boolean;
        isDissolved: boolean;
        /** The number of the latest message to the user's account, in the conversation of an order. */
        account: number;
        /** How long members wait between two messages. @type {number|undefined} */
        slowSeconds: any;
        /** When this member last said something, by this machine's clock. */
        spokeAt: number;
        /** When this member may say something again, as the server said. */
        mayWriteAt: number;
        /** @type {Entry|undefined} */
        latest: Entry | undefined;
        /** How far others got, as far as they were asked for. @type {Map<string, Mark>} */
        marks: Map<any, any>;
        /** Who types just now. @type {Set<string>} */
        typing: Set<any>;
        update({ kind, role, title, subject, peer, members, last, since, read, unread, muted, archived, dissolved, slowSeconds, spokeAt, mayWriteAt, account, latest }: {
            kind: any;
            role: any;
            title: any;
            subject: any;
            peer: any;
            members: any;
            last: any;
            since: any;
            read: any;
            unread: any;
            muted: any;
            archived: any;
            dissolved: any;
            slowSeconds: any;
            spokeAt: any;
            mayWriteAt: any;
            account: any;
            latest: any;
        }): void;
        /** As the server would tell it: what a browser keeps. */
        get view(): {
            peer: any;
            conversation: string;
            kind: "direct" | "order" | "group" | "room";
            role: "member" | "owner" | "admin";
            title: string;
            subject: any;
            members: number;
            last: number;
            since: number;
            read: number;
            unread: number;
            slowSeconds: any;
            spokeAt: number;
            mayWriteAt: number;
            account: number;
            latest: import("parley-cache").Entry;
            muted: boolean;
            archived: boolean;
            dissolved: boolean;
        };
        /** Milliseconds until the rule of the conversation lets us say something. Who leads it need not wait. */
        get wait(): number;
        /** Whether a message to the user's account was not opened yet. */
        get hasAccountNews(): boolean;
        /** @param {any} entry that came */
        note(entry: any): void;
        /** When something last happened here. */
        get time(): number;
        /** What happened. What is said by others is unread until it is marked as read. */
        append(entry: any, me: any): void;
        /** A member got so far. @returns {boolean} whether that is news */
        mark(user: any, { delivered, read }: {
            delivered?: number;
            read?: number;
        }): boolean;
        /** How a message of ours fares with the others. @returns {'sent'|'delivered'|'read'} */
        fate(number: any, me: any): "sent" | "read" | "delivered";
        #private;
    }
    export type Entry = import("parley-cache").Entry;
    /**
     * How far a member got.
     */
    export type Mark = {
        delivered: number;
        read: number;
    };
}
declare module "parley-latest" {
    /**
     * Asks one thing at a time under each name. Of what is asked for meanwhile only the last is asked: how far one has read is said
     * once, not for each of a hundred messages.
     */
    export class LatestOnly {
        /** @param {(name: string, value: number) => Promise<any>} work */
        constructor(work: (name: string, value: number) => Promise<any>);
        /** @param {string} name @param {number} value */
        ask(name: string, value: number): Promise<any>;
        #private;
    }
}
declare module "parley-files" {
    /**
     * What the server says of a file.
     * @typedef {object} FileView
     * @property {string} file
     * @property {string} type
     * @property {number} size
     * @property {string} url good until `expires`
     * @property {number} expires
     * @property {string} [name]
     * @property {number} [width]
     * @property {number} [height]
     * @property {{url: string, width: number, height: number}} [thumbnail]
     * @property {number} [duration] of a recording, in seconds
     * @property {number[]} [waveform] of a recording: sixty bars from 0 to 100
     */
    /** Brings files to the server, and finds those of others. */
    export class Files {
        /** @param {URL} url @param {() => Promise<string>} token */
        constructor(url: URL, token: () => Promise<string>);
        /**
         * Brings a file, in parts (tus 1.0): a line that breaks costs one part, and `location` goes on where an earlier page stopped. When what
         * was brought is gone, as with its server among several, it begins anew.
         * @param {Blob} file
         * @param {object} options
         * @param {string} [options.location] of an upload that was begun before
         * @param {(location: string) => any} [options.located]
         * @param {(part: number) => void} [options.progressed] from 0 to 1
         * @param {AbortSignal} [options.signal]
         * @returns {Promise<string>} the file's id
         */
        upload(file: Blob, { location, ...options }?: {
            location?: string;
            located?: (location: string) => any;
            progressed?: (part: number) => void;
            signal?: AbortSignal;
        }): Promise<string>;
        /** What a file is, and a link to it that works for a while. @returns {Promise<FileView>} */
        view(file: any): Promise<any>;
        #private;
    }
    /**
     * What the server says of a file.
     */
    export type FileView = {
        file: string;
        type: string;
        size: number;
        /**
         * good until `expires`
         */
        url: string;
        expires: number;
        name?: string;
        width?: number;
        height?: number;
        thumbnail?: {
            url: string;
            width: number;
            height: number;
        };
        /**
         * of a recording, in seconds
         */
        duration?: number;
        /**
         * of a recording: sixty bars from 0 to 100
         */
        waveform?: number[];
    };
}
declare module "parley-outbox" {
    /**
     * A message on its way.
     * @typedef {object} Unsent
     * @property {number} order of two, the one with the smaller number was written first
     * @property {string} id our own name for it: sent twice, it is one message all the same
     * @property {string} [conversation]
     * @property {string} [user] instead of a conversation that does not exist yet
     * @property {string} [kind]
     * @property {any} [body]
     * @property {number} [reply]
     * @property {string[]} [mentions]
     * @property {{conversation: string, number: number}} [forward]
     * @property {Blob} [file] what is brought to the server first; its name goes into the body
     * @property {string} [upload] where its upload goes on
     * @property {number} time
     * @property {'sending'|'failed'} state
     * @property {string} [code] why it failed
     * @property {number} [progress] of the file, from 0 to 1
     */
    /**
     * Messages leave in the order in which they were written, each once: also after a reload, after hours without a network,
     * and from two tabs, which share what waits: one sends at a time, and what a tab that was closed left behind the other sends.
     *
     * Events: `changed` with an `Unsent`; `sent` with `{message, answer}`; `refused` with `{message, error}`.
     */
    export class Outbox extends EventTarget {
        /**
         * @param {import('./parley-cache.js').ChatCache} cache
         * @param {import('./parley-tabs.js').TabLink} link
         * @param {import('./parley-files.js').Files} files
         * @param {string} key the same in every tab of this user
         */
        constructor(cache: import('./parley-cache.js').ChatCache, link: import('./parley-tabs.js').TabLink, files: import('./parley-files.js').Files, key: string);
        /** @returns {Unsent[]} */
        get messages(): Unsent[];
        /** Takes up what an earlier page could not send. */
        open(): Promise<void>;
        /** The user is gone. */
        close(): void;
        /** @param {Omit<Unsent, 'order'|'id'|'time'|'state'>} content @returns {Unsent} */
        add(content: Omit<Unsent, 'order' | 'id' | 'time' | 'state'>): Unsent;
        /** Once more: under the same name, so it cannot come twice. */
        retry(id: any): void;
        drop(id: any): void;
        /** Sends what waits, one after the other, for as long as there is a line. */
        flush(): Promise<void>;
        #private;
    }
    /**
     * A message on its way.
     */
    export type Unsent = {
        /**
         * of two, the one with the smaller number was written first
         */
        order: number;
        /**
         * our own name for it: sent twice, it is one message all the same
         */
        id: string;
        conversation?: string;
        /**
         * instead of a conversation that does not exist yet
         */
        user?: string;
        kind?: string;
        body?: any;
        reply?: number;
        mentions?: string[];
        forward?: {
            conversation: string;
            number: number;
        };
        /**
         * what is brought to the server first; its name goes into the body
         */
        file?: Blob;
        /**
         * where its upload goes on
         */
        upload?: string;
        time: number;
        state: 'sending' | 'failed';
        /**
         * why it failed
         */
        code?: string;
        /**
         * of the file, from 0 to 1
         */
        progress?: number;
    };
}
declare module "parley-chat" {
    /** @typedef {import('./parley-cache.js').Entry} Entry */
    /**
     * Conversations: what was said, what is unread, and what waits to be sent. Shows what the browser keeps at once, and the
     * server's news as soon as there is a line.
     *
     * Events: `list` when conversations came, went, or look different; `entry` with an `Entry` that happened just now;
     * `changed` with a message that became another (edited, recalled, reacted to); `gap` with a conversation's id whose
     * entries have to be read anew; `receipt` and `typing` with a conversation's id; `unsent` with a message on its way;
     * `passing` with something that is kept nowhere: `{ conversation?, from, kind, body, time }`.
     */
    export class Chat extends EventTarget {
        /**
         * Made by `Parley`.
         * @param {{user: string, link: import('./parley-tabs.js').TabLink, files: import('./parley-files.js').Files, key: string}} parts
         */
        constructor({ user, link, files, key }: {
            user: string;
            link: import('./parley-tabs.js').TabLink;
            files: import('./parley-files.js').Files;
            key: string;
        });
        get files(): import("parley-files").Files;
        /** The latest first. @returns {Conversation[]} */
        get conversations(): Conversation[];
        /** Whose conversations these are. */
        get user(): string;
        /** @returns {Conversation|undefined} */
        conversation(id: any): Conversation | undefined;
        /** The conversation with one other, if there is one. @returns {Conversation|undefined} */
        direct(user: any): Conversation;
        /** What is unread in all conversations that are neither muted nor archived. */
        get badge(): number;
        /** Whether there are older conversations than those we know. */
        get hasMore(): boolean;
        /** Takes up what the browser kept, for which no network is needed. */
        load(): any;
        /** Asks for what is new, and stays up to date from then on. */
        open(): any;
        /** Nothing of it stays in this browser. */
        erase(): Promise<void>;
        /** @param {boolean} recovered with everything that was missed */
        lineMended(recovered: boolean): void;
        /** Older conversations than those we know. */
        more(): Promise<void>;
        received(event: any, argument: any): void;
        /** What may have been set while we were away. */
        refresh(id: any): Promise<void>;
        /**
         * Up to `limit` entries before a number, or after one; the latest without. From the browser where it kept them all.
         * @param {string} id
         * @param {{before?: number, after?: number, limit?: number}} place
         * @returns {Promise<{entries: Entry[], more: boolean}>}
         */
        history(id: string, { before, after, limit }?: {
            before?: number;
            after?: number;
            limit?: number;
        }): Promise<{
            entries: Entry[];
            more: boolean;
        }>;
        /** @returns {Promise<Entry|undefined>} */
        message(id: any, number: any): Promise<Entry | undefined>;
        /** How far the others got, from now on. */
        watchMarks(id: any): Promise<void>;
        /**
         * Says something. It is kept at once, and leaves when there is a line.
         * @param {{conversation: string}|{user: string}} target
         * @param {{kind?: string, body?: any, reply?: number, mentions?: string[], forward?: object, file?: Blob}} content
         */
        send(target: {
            conversation: string;
        } | {
            user: string;
        }, content: {
            kind?: string;
            body?: any;
            reply?: number;
            mentions?: string[];
            forward?: object;
            file?: Blob;
        }): import("parley-outbox").Unsent;
        /** What is on its way to a conversation. */
        unsent(id: any): import("parley-outbox").Unsent[];
        unsentTo(user: any): import("parley-outbox").Unsent[];
        retry(message: any): void;
        drop(message: any): void;
        edit(id: any, number: any, body: any): any;
        recall(id: any, number: any): any;
        react(id: any, number: any, reaction: any, on?: boolean): any;
        pin(id: any, number: any, on?: boolean): any;
        pins(id: any): any;
        /** @returns {Promise<string>} the conversation's id */
        create(title: any, users: any): Promise<string>;
        invite(id: any, users: any): any;
        remove(id: any, user: any): any;
        rename(id: any, title: any): any;
        role(id: any, user: any, role: any): any;
        leave(id: any): Promise<void>;
        /** Takes what was said out of one's own sight. */
        clear(id: any): Promise<void>;
        mute(id: any, on?: boolean): Promise<void>;
        /** Out of the way on all devices of this user. The next message brings it back. */
        archive(id: any, on?: boolean): Promise<void>;
        /** We have seen everything up to this number. */
        read(id: any, number: any): Promise<void>;
        /** How far we have read, and each of our devices. @returns {Promise<{delivered: number, read: number,
         *  devices: {device: string, delivered: number, read: number, time: number}[]}>} */
        marks(id: any): any;
        typing(id: any, on: any): void;
        members(id: any, after: any): any;
        search(text: any, id: any): any;
        block(user: any, on?: boolean): any;
        blocked(): Promise<any>;
        #private;
    }
    export type Entry = import("parley-cache").Entry;
    import { Conversation } from "parley-conversation";
}
declare module "parley-identity" {
    /**
     * @typedef {object} Grant
     * @property {string} user
     * @property {string} name
     * @property {string} accessToken
     * @property {string} [refreshToken] not where an application vouches for us
     * @property {number} expires when the access token ends, in milliseconds since 1970
     * @property {string} [userName] of an account with a password
     * @property {boolean} [isVouched] whether a provider (OpenID Connect) signed us in
     */
    /**
     * @typedef {object} SignInMethods
     * @property {boolean} anonymous without a password
     * @property {boolean} register with a new one
     * @property {boolean} applications
     * @property {{start: string, label?: string}} [oidc] at a provider: where the browser goes, and what the button says
     */
    /** Who we are, kept in the browser's storage so that the same user comes back. */
    export class Identity {
        /** @param {URL} url @param {Storage} storage */
        constructor(url: URL, storage: Storage);
        get user(): string;
        get name(): string;
        /** Nothing for a user who came without a password. */
        get userName(): string;
        /** Whether a provider signed us in. */
        get isVouched(): boolean;
        /** Comes back as who we were, or becomes a new user: names of users do not change here. */
        signIn(name: any): Promise<any>;
        /** Becomes the user of an account. The password goes to the server and is kept nowhere. */
        logIn(userName: any, password: any): Promise<void>;
        /** Makes an account, and becomes its user. */
        register(userName: any, password: any, name: any): Promise<void>;
        /** Which ways to sign in the server offers. @returns {Promise<SignInMethods>} */
        methods(): Promise<any>;
        /** Becomes the user that a provider has just signed in, in this browser. */
        finish(): Promise<void>;
        /** Becomes the user that an application's token names. It is kept nowhere: the application is asked for the next one, too. */
        enter(token: any): Promise<void>;
        /** The new password holds from now on; every other device is signed out. */
        changePassword(password: any, newPassword: any): Promise<void>;
        /** Where we are signed in. @returns {Promise<{device: string, lastUsed: number, expires: number, current: boolean}[]>} */
        devices(): Promise<any>;
        /** @param {string} [device] without it, all are signed out, this one too */
        signOutDevice(device?: string): Promise<any>;
        /** The sign-in that this browser is in, as one word. */
        device(): Promise<any>;
        /** Everything the user has here, as lines of JSON. @returns {Promise<Blob>} */
        export(): Promise<Blob>;
        /** Ends the account for good. @param {string} [password] without one, a token that was just made is the proof */
        deleteAccount(password: any): Promise<void>;
        /** Forgets who we were, and asks the server to do so too. */
        signOut(): void;
        /** The server does not take our token any more, whatever our clock says. */
        markStale(): void;
        /** Milliseconds until the token should be renewed. */
        get freshFor(): number;
        /** A token that is good for a while. */
        token(): Promise<any>;
        /** Something under `/v1/`, as who we are. */
        ask(method: any, path: any, body: any): Promise<any>;
        #private;
    }
    export type Grant = {
        user: string;
        name: string;
        accessToken: string;
        /**
         * not where an application vouches for us
         */
        refreshToken?: string;
        /**
         * when the access token ends, in milliseconds since 1970
         */
        expires: number;
        /**
         * of an account with a password
         */
        userName?: string;
        /**
         * whether a provider (OpenID Connect) signed us in
         */
        isVouched?: boolean;
    };
    export type SignInMethods = {
        /**
         * without a password
         */
        anonymous: boolean;
        /**
         * with a new one
         */
        register: boolean;
        applications: boolean;
        /**
         * at a provider: where the browser goes, and what the button says
         */
        oidc?: {
            start: string;
            label?: string;
        };
    };
}
declare module "parley-room" {
    /**
     * Another member of a room.
     * @typedef {object} Member
     * @property {string} member
     * @property {string} user
     * @property {string} name
     * @property {boolean} isAway
     * @property {number} [recording] since when they record, in milliseconds since 1970
     * @property {MediaStream} stream what comes from them
     * @property {{microphone: boolean, camera: boolean, screen?: boolean}} devices
     * @property {Peer} peer
     */
    /**
     * A room in which everybody talks with everybody.
     *
     * Events: `joined`, `left`, `changed` with a `Member`; `local`; `knocked` with `{user, name, avatar?}` of somebody who asks to be
     * let in; `recording` with a `Member` who records from now on, or no longer; `host` with the user who may send others away from now on; `closed` when we are out, with a reason when that is another's doing.
     */
    export class Room extends Talk {
        /** Made by `Parley`. */
        constructor(parley: any, link: any, name: any, kind: any, forget: any);
        /** @type {Map<string, Member>} */
        members: Map<string, Member>;
        isLeft: boolean;
        /** What a page calls it, when that is not its name. @type {string|undefined} */
        title: any;
        /** What it asks of those who come in. @type {'password'|'invitation'|undefined} */
        access: any;
        /** Who may send others away: who opened the room, or else who has been there for longest. @type {string|undefined} */
        host: any;
        name: any;
        /** Whether we may send others away. */
        get isHost(): boolean;
        get peers(): Peer[];
        join(options?: {}): Promise<void>;
        leave(): Promise<void>;
        /** Lets somebody in, whether they asked for it or not. */
        admit(user: any): Promise<void>;
        /**
         * Removes a member from the room, on all their devices; for the host.
         * @param {string} user
         * @param {{ban?: boolean}} [options] whether they may not come again for as long as the room lasts
         */
        remove(user: string, options?: {
            ban?: boolean;
        }): Promise<void>;
        /** Tells the others that we record, or no longer do; whoever comes later is told as well. */
        tellRecording(isOn?: boolean): Promise<void>;
        say(data: any, to: any): void;
        received(event: any, argument: any): void;
        /** @param {boolean} recovered */
        lineMended(recovered: boolean): Promise<void>;
        #private;
    }
    /**
     * Another member of a room.
     */
    export type Member = {
        member: string;
        user: string;
        name: string;
        isAway: boolean;
        /**
         * since when they record, in milliseconds since 1970
         */
        recording?: number;
        /**
         * what comes from them
         */
        stream: MediaStream;
        devices: {
            microphone: boolean;
            camera: boolean;
            screen?: boolean;
        };
        peer: Peer;
    };
    import { Talk } from "parley-talk";
    import { Peer } from "parley-peer";
}
declare module "parley-tree" {
    /** Whether a place is another or below it. @param {string} path @param {string} other */
    export function isWithin(path: any, other: any): any;
    /**
     * A place of the realtime tree in one line: a value, or how many children it has. Of a long text `value` is the beginning and `bytes` its length;
     * what is not there has the value `null`.
     * @typedef {{value?: string|number|boolean|null, bytes?: number, count?: number}} TreeSummary
     */
    /**
     * A child of a place, and where it stands among those that are shown.
     * @typedef {TreeSummary & {at: number, key: string}} TreeRow
     */
    /**
     * What is new at a place: all its rows, or with `whole` false those that changed and the keys that are `gone`.
     * @typedef {TreeSummary & {path: string, whole: boolean, rows: TreeRow[], gone: string[]}} TreeChange
     */
    /**
     * The realtime tree of the server, for users who may look at all of it. It reconnects when the connection breaks.
     *
     * Events: `state` when `state` changes; `change` with a `TreeChange` of a place that is open; `full` with the path of a place that was not
     * opened since too much is; `refused` with a `ParleyError`, after which nothing comes.
     */
    export class TreeView extends EventTarget {
        /** @param {URL} server @param {(isStale: boolean) => Promise<string>} token which is another when the last one was refused */
        constructor(server: URL, token: (isStale: boolean) => Promise<string>);
        /** @type {'connecting'|'connected'|'dropped'|'closed'} */
        state: 'connecting' | 'connected' | 'dropped' | 'closed';
        /** Shows the first children of a place. @param {string} path keys with slashes between them @param {number} [rows] of 1,000 at most */
        open(path: any, rows?: number): void;
        /** Shows a place and all below it no longer. @param {string} path */
        close(path: any): void;
        end(): void;
        #private;
    }
    /**
     * A place of the realtime tree in one line: a value, or how many children it has. Of a long text `value` is the beginning and `bytes` its length;
     * what is not there has the value `null`.
     */
    export type TreeSummary = {
        value?: string | number | boolean | null;
        bytes?: number;
        count?: number;
    };
    /**
     * A child of a place, and where it stands among those that are shown.
     */
    export type TreeRow = TreeSummary & {
        at: number;
        key: string;
    };
    /**
     * What is new at a place: all its rows, or with `whole` false those that changed and the keys that are `gone`.
     */
    export type TreeChange = TreeSummary & {
        path: string;
        whole: boolean;
        rows: TreeRow[];
        gone: string[];
    };
}
declare module "parley" {
    export { ParleyError } from "./parley-error.js";
    /**
     * One user on one page.
     *
     * Events: `state` when `state` changes; `presence` with `{user, online, name?, lastSeen?}`; `call` with an incoming
     * `Call`; `connected` with `{recovered}` (ask for presence again); `signedOut` with a `ParleyError` when the server does
     * not let us in any more.
     */
    export class Parley extends EventTarget {
        /**
         * @param {object} options
         * @param {string|URL} [options.url] the server; without it, the one this module came from
         * @param {Storage} [options.storage] where the user is kept
         * @param {Storage} [options.session] where a page that is loaded anew finds its call
         */
        constructor({ url, storage, session }?: {
            url?: string | URL;
            storage?: Storage;
            session?: Storage;
        });
        /** How media finds its way, as the server says it. @type {RTCConfiguration} */
        configuration: {
            iceServers: any[];
        };
        /** @type {string|undefined} */
        name: string | undefined;
        /** @type {string|undefined} */
        user: string | undefined;
        /** @type {'closed'|'connecting'|'connected'|'dropped'} */
        get state(): "closed" | "connected" | "connecting" | "dropped";
        /** This page's name among others. @type {string|undefined} */
        get member(): any;
        /** Who signed in here before. @type {string|undefined} */
        get knownName(): string;
        /** The conversations of the user who is signed in, or was before. @returns {Chat|undefined} */
        get chat(): any;
        /** Files that messages and profiles show. */
        get files(): Files;
        /** The server's realtime tree as it changes, for users whom its operator lets look at it. */
        viewTree(): Promise<import("parley-tree").TreeView>;
        /**
         * Signs in: with a password to an account, with a token of an application, or with neither, where the same name on the same browser is the same user
         * again and another name is a new user. A user who was here before need not wait for a network: the line comes when it can.
         * @param {{name?: string, userName?: string, password?: string, isNew?: boolean, token?: string | (() => string|Promise<string>), isVouched?: boolean}} options
         *   `isNew` makes the account; `token` is one that an application vouches with, or gets the next one; `isVouched` ends a sign-in
         *   that a provider has confirmed in this browser
         */
        signIn({ name, userName, password, isNew, token, isVouched }?: {
            name?: string;
            userName?: string;
            password?: string;
            isNew?: boolean;
            token?: string | (() => string | Promise<string>);
            isVouched?: boolean;
        }): Promise<void>;
        /** Which ways to sign in the server offers. */
        signInMethods(): Promise<any>;
        /** Whether a provider signed us in, so that signing out there makes sense. */
        get isVouched(): boolean;
        /** Leaves, and forgets who we were, with everything that the browser kept. */
        signOut(): void;
        /** Leaves; `signIn` comes back as the same user. */
        close(): void;
        /** Nothing for a user who came without a password. @type {string|undefined} */
        get userName(): string;
        /** Every other device is signed out. */
        changePassword(password: any, newPassword: any): Promise<void>;
        /** Where we are signed in. */
        devices(): Promise<any>;
        /** @param {string} [device] without it, all of them */
        signOutDevice(device?: string): Promise<any>;
        /**
         * Has this browser woken for messages, also while no page is open. Ask the user for notifications before.
         * @param {ServiceWorkerRegistration} worker one that shows what is pushed
         * @param {string} [language] that its user reads
         * @param {{from: string, to: string, offset: number, calls?: boolean}} [quiet] hours without a sound, such as 22:00 to 07:00; `offset` is how many
         *   minutes its clock is ahead of UTC, and `calls` whether those ring
         */
        wake(worker: ServiceWorkerRegistration, language?: string, quiet?: {
            from: string;
            to: string;
            offset: number;
            calls?: boolean;
        }): Promise<void>;
        /** @param {ServiceWorkerRegistration} worker */
        letSleep(worker: ServiceWorkerRegistration): Promise<void>;
        /** A notification was chosen. @param {string} push its name, as it came with it */
        noteClick(push: any): Promise<void>;
        /** Everything the user has on the server, as lines of JSON. @returns {Promise<Blob>} */
        exportData(): Promise<Blob>;
        /** Ends the account for good, and forgets it here. @param {string} [password] of an account that has one */
        deleteAccount(password: any): Promise<void>;
        /** @returns {Promise<{user: string, name?: string, avatar?: string}>} */
        profile(): Promise<{
            user: string;
            name?: string;
            avatar?: string;
        }>;
        /**
         * What others see. An empty text takes away what there was.
         * @param {{name?: string, avatar?: string}} changes `avatar` is the id of a file
         */
        changeProfile(changes: {
            name?: string;
            avatar?: string;
        }): Promise<any>;
        /**
         * From now on `presence` events tell about these users; how they are now is the answer.
         * @param {string[]|'everybody'} users
         * @returns {Promise<{user: string, name?: string, online: boolean}[]>}
         */
        watch(users: string[] | 'everybody'): Promise<{
            user: string;
            name?: string;
            online: boolean;
        }[]>;
        /**
         * The same for everybody, with how many are online: beyond 2,000 the list is empty.
         * @returns {Promise<{count: number, users: {user: string, name?: string, avatar?: string, online: boolean}[]}>}
         */
        watchEverybody(): Promise<{
            count: number;
            users: {
                user: string;
                name?: string;
                avatar?: string;
                online: boolean;
            }[];
        }>;
        /**
         * Somebody's profile, by id or by the name they registered with; nothing when there is nobody.
         * @param {string} user
         * @returns {Promise<{user: string, name?: string, avatar?: string, deleted?: boolean}|undefined>}
         */
        find(user: string): Promise<{
            user: string;
            name?: string;
            avatar?: string;
            deleted?: boolean;
        } | undefined>;
        /** @param {string[]|'everybody'} users */
        unwatch(users: string[] | 'everybody'): Promise<void>;
        /** Loads what rings and talks, which otherwise comes with the first call or room. */
        loadTalks(): Promise<void>;
        /**
         * Rings a user. The call is there as soon as its modules are, to follow and to cancel; `ready` settles when the server rings or
         * has refused to, or when there is no microphone.
         * @param {string|{user: string, name?: string}} user
         * @param {{kind?: 'audio'|'video', stream?: MediaStream}} options
         * @returns {Promise<Call>}
         */
        ring(user: string | {
            user: string;
            name?: string;
        }, { kind, ...options }?: {
            kind?: 'audio' | 'video';
            stream?: MediaStream;
        }): Promise<Call>;
        /** Takes up the call this page was in before it was loaded anew, if there was one and it still goes on. */
        resumeCall(options: any): Promise<any>;
        /** Whether a call of which this user was told while no page was open still rings. @param {string} id */
        isRinging(id: any): Promise<boolean>;
        /**
         * Goes on with a call that the user has on another device, which ends there.
         * @param {string} ticket `Call.ticket` over there
         * @param {{kind?: 'audio'|'video', stream?: MediaStream}} options
         * @returns {Promise<Call|undefined>} nothing when the call is over
         */
        takeCall(ticket: string, options: {
            kind?: 'audio' | 'video';
            stream?: MediaStream;
        }): Promise<Call | undefined>;
        /**
         * Comes into a room; it begins to exist with its first member.
         * @param {string} name 1 to 64 lower-case letters, digits and dashes
         * @param {{kind?: 'audio'|'video', stream?: MediaStream, devices?: {microphone: boolean, camera: boolean},
         *   password?: string, byInvitation?: boolean}} options `devices`: what is on at first; `password` is shown to a room that is
         *   there, and asked by one that we open; `byInvitation` opens it for those whom its members admit
         * @returns {Promise<Room>}
         */
        join(name: string, { kind, ...options }?: {
            kind?: 'audio' | 'video';
            stream?: MediaStream;
            devices?: {
                microphone: boolean;
                camera: boolean;
            };
            password?: string;
            byInvitation?: boolean;
        }): Promise<import("parley-room").Room>;
        /**
         * Asks the members of a room by invitation to be let in; `room.admitted` with `{room}` tells that one of them did.
         * @param {string} name
         */
        knock(name: string): Promise<void>;
        /** Any request of the protocol, with its answer. */
        request(event: any, argument: any, options: any): any;
        #private;
    }
    export type Call = import("parley-call").Call;
    export type Room = import("parley-room").Room;
    import { Files } from "parley-files";
    export { listDevices, preferDevices } from "./parley-media.js";
}
declare module "parley-path" {
    /** Looks at one connection again and again; what it says is about the time since the last look. */
    export class PathMeter {
        /** @param {import('./parley-peer.js').Peer} peer */
        constructor(peer: import('./parley-peer.js').Peer);
        /** @returns {Promise<PathState|undefined>} nothing at the first look */
        look(): Promise<PathState | undefined>;
        #private;
    }
    /**
     * How the network does between us and one other.
     */
    export type PathState = {
        /**
         * milliseconds
         */
        roundTrip: number | undefined;
        /**
         * what was lost of what came since the last look, from 0 to 1
         */
        loss: number;
        /**
         * bits a second, both ways
         */
        bitrate: number;
        /**
         * through a relay, not directly
         */
        isRelayed: boolean;
        /**
         * nothing came since the last look
         */
        isSilent: boolean;
        quality: 'good' | 'fair' | 'poor';
    };
}
