import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where the proxy says what it noticed about the servers behind it; nothing in it is secret. */
export const upstreamReportPath = '/upstream/report'

/** Something that a server sent and that could not be read. */
const Loss = z.object({
  /** When it came, epoch ms. */
  at: EpochMs,
  /** What people call the server, such as `build server`. */
  server: z.string(),
  /** The operation, such as `GET /build-export/v2/builds/since/:date`. */
  endpoint: z.string(),
  /** The build it was about, as far as that could be read. */
  build: z.nullable(z.string()),
  /** The field that was lost; null where the whole message was. */
  field: z.nullable(z.string()),
  /** Why, in a few words that hold nothing of the value. */
  reason: z.string(),
})
export type Loss = z.infer<typeof Loss>

/** An operation that its server announces the end of (docs/services.md#deprecation). */
const DeprecatedEndpoint = z.object({
  server: z.string(),
  endpoint: z.string(),
  /** Since when it is deprecated, epoch ms; null where the server names no time. */
  since: z.nullable(EpochMs),
  /** When it is removed, epoch ms; null where that is not said. */
  until: z.nullable(EpochMs),
  /** Where the server explains it: http(s) addresses. */
  links: z.array(z.string()),
  /** When it was last answered so, epoch ms, and how often since the start. */
  lastAt: EpochMs,
  count: z.int().check(z.positive()),
})
export type DeprecatedEndpoint = z.infer<typeof DeprecatedEndpoint>

/** What the proxy noticed since it started. */
export const UpstreamReport = z.object({
  /** The setting, and the version of the export stream that is spoken; null before an answer. */
  exportVersion: z.object({
    setting: z.enum(['auto', 'v1', 'v2']),
    spoken: z.nullable(z.enum(['v1', 'v2'])),
  }),
  deprecated: z.array(DeprecatedEndpoint),
  losses: z.object({
    count: z.int().check(z.nonnegative()),
    /** The last 100, newest first. */
    last: z.array(Loss),
  }),
})
export type UpstreamReport = z.infer<typeof UpstreamReport>
