import { z } from 'zod'

/** Where the proxy tells the browser how it is set up; nothing in it is secret. */
export const configPath = '/config'

/** How one upstream is served: a real server by address, the embedded services, or not at all. */
const UpstreamConfig = z.looseObject({
  kind: z.enum(['embedded', 'server', 'none']),
  /** The origin of the server, for links to its own pages; else null. */
  origin: z.string().nullable(),
})

/** The answer of `GET /config`. */
export const ProxyConfig = z.looseObject({
  version: z.string(),
  signIn: z.enum(['none', 'tokens', 'oidc']),
  upstreams: z.looseObject({ buildData: UpstreamConfig, governor: UpstreamConfig }),
  /** How many builds the live feed replays to a reader at most. */
  liveHistory: z.number().int().nonnegative(),
})
export type ProxyConfig = z.infer<typeof ProxyConfig>
