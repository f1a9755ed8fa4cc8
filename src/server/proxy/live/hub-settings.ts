/** What can be set of the live hub; times in ms, sizes in bytes unless the name says otherwise. */
export interface HubSettings {
  /** How long builds are gathered before they go out as one buffer for all: 0 to 250. */
  readonly flushMs: number
  /** How often every reader is sent a comment that keeps its connection open. */
  readonly heartbeatMs: number
  /** How many of the newest builds are kept for readers that resume. */
  readonly ringSize: number
  /** How many readers there may be at once, and how many of one session. */
  readonly maxClients: number
  readonly maxClientsPerSession: number
  /** A reader that takes nothing is dropped when it is further behind than this, or after `stallMs`. */
  readonly maxUnsentBytes: number
  readonly stallMs: number
  /** How long a connection lives, give or take a fifth; the reader resumes by id. */
  readonly lifetimeMs: number
  /** Over how long the connections are ended when the hub closes; what is unsent has 2 s more. */
  readonly drainMs: number
  /** An upstream that sends nothing for so long, not even a heartbeat, is taken for lost. */
  readonly upstreamIdleMs: number
  /** How long the build list is polled before the refused stream is tried again. */
  readonly streamRetryMs: number
  /** How many readers are served from the upstream's history at the same time. */
  readonly maxReplays: number
  /** Whether readers that accept gzip get it; all share one compression. */
  readonly gzip: boolean
  /** Whether more is asked of arriving builds and sent as `Facts`. */
  readonly facts: boolean
}

/** See docs/design.md#live-hub. */
export const defaultHubSettings: HubSettings = {
  flushMs: 50,
  heartbeatMs: 15_000,
  ringSize: 10_000,
  maxClients: 5_000,
  maxClientsPerSession: 20,
  maxUnsentBytes: 1024 * 1024,
  stallMs: 30_000,
  lifetimeMs: 600_000,
  drainMs: 8_000,
  // A wall says within 45 s that the server is silent.
  upstreamIdleMs: 35_000,
  streamRetryMs: 300_000,
  maxReplays: 8,
  gzip: true,
  facts: true,
}
