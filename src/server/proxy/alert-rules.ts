import { isLoopback } from '../../protocol/loopback.ts'

/** Of what people are told, and where it may be sent (the configuration file's `alerts`). */
export interface AlertRules {
  /** Names of walls that are configured; one without tiles stands for every project. */
  readonly walls: readonly string[]
  /** Whether every project is watched, as the wall of all projects shows it. */
  readonly everyProject: boolean
  /** After how many minutes of being red a tile is told of; 0 is at once. */
  readonly redFor: readonly number[]
  /** Whether it is told when a tile is well again. */
  readonly recovered: boolean
  /** Hosts that may be sent to, with a port where it is not the usual one. */
  readonly webhookHosts: readonly string[]
  /** The address of the dashboard, for links to its pages. */
  readonly dashboard?: string | undefined
}

/** What is wrong with a webhook's address; a sentence that does not repeat it. */
export function webhookMistake(url: URL, hosts: readonly string[]): string | undefined {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return 'SIGHTLINE_WEBHOOK_URL must begin with https://.'
  }
  if (url.username !== '' || url.password !== '') {
    return 'SIGHTLINE_WEBHOOK_URL must not hold a user or a password.'
  }
  // A host alone stands for its usual port only.
  if (!hosts.some((host) => host.toLowerCase() === url.host)) {
    return 'SIGHTLINE_WEBHOOK_URL is on a host that alerts.webhookHosts does not name: add it there.'
  }
  return undefined
}
