/** What may be asked of the build list (docs/services.md#build-list-parameters). */
export interface BuildListQuery {
  /** Deprecated, but all that the oldest servers know: epoch ms, 0 is the beginning. */
  readonly since?: number
  readonly sinceBuild?: string
  /** Epoch ms of availability; after it, or before it when reversed. */
  readonly fromInstant?: number
  /** An exclusive cursor that wins over the instant. */
  readonly fromBuild?: string
  /** Newest first. */
  readonly reverse?: boolean
  /** 0 to 1000. */
  readonly maxBuilds?: number
  /** 1 to 20: how long the server may wait for builds to arrive. */
  readonly maxWaitSecs?: number
  readonly query?: string
  readonly models?: readonly string[]
}

/** The address of a page of the build list. */
export function buildListPath(query: BuildListQuery): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query) as [string, unknown][]) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) search.append(key, String(item))
    }
  }
  return search.size === 0 ? '/api/builds' : `/api/builds?${search.toString()}`
}

/** One build of the list, with models where asked for. */
export function buildPath(buildId: string, models: readonly string[] = []): string {
  const search = new URLSearchParams(models.map((model) => ['models', model]))
  return `/api/builds/${buildId}${search.size === 0 ? '' : `?${search.toString()}`}`
}

/** Any authenticated user may ask for it: the cheapest probe of a credential. */
export const versionPath = '/api/version'

/** Where a short-lived access token is made (docs/services.md#access-tokens). */
export function accessTokenPath(expiresInHours?: number): string {
  return `/api/auth/token${expiresInHours === undefined ? '' : `?expiresInHours=${expiresInHours}`}`
}
