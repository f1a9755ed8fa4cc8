import { ProxyConfig, type SharedConfig } from '../../protocol/proxy-config.ts'
import type { Upstream } from './upstream.ts'

/** What `GET /config` tells the browser; nothing in it is secret. */
export function proxyConfig(options: {
  readonly version: string
  readonly signIn: ProxyConfig['signIn']
  readonly buildData: Upstream
  readonly governor: Upstream | undefined
  readonly liveHistory: number
  readonly shared: Partial<SharedConfig>
}): ProxyConfig {
  return ProxyConfig.parse({
    ...options.shared,
    version: options.version,
    signIn: options.signIn,
    upstreams: {
      buildData: whereabouts(options.buildData),
      governor: whereabouts(options.governor),
    },
    liveHistory: options.liveHistory,
  })
}

function whereabouts(upstream: Upstream | undefined): { kind: string; origin: string | null } {
  return { kind: upstream?.kind ?? 'none', origin: upstream?.origin ?? null }
}
