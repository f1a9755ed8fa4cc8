import type { LiveStatus } from '../../../protocol/live-feed.ts'

/** How the hub stands with the upstream: what every `Status` message says, but for the time. */
export type UpstreamStatus = Pick<
  LiveStatus,
  'upstream' | 'since' | 'lastHeardAt' | 'nextAttemptAt' | 'message' | 'malformed'
>

/** What is known before the first attempt. */
export function initialStatus(now: number): UpstreamStatus {
  return {
    upstream: 'connecting',
    since: now,
    lastHeardAt: null,
    nextAttemptAt: null,
    message: 'Connecting to the build server.',
    malformed: 0,
  }
}

/** What people are told: what is so, and who has to do what. */
export const upstreamSentences = {
  live: 'Builds arrive as the build server announces them.',
  complete: 'The build server said that it has nothing more to send.',
  polling: (status: number): string =>
    status === 403
      ? 'The build server refuses its export stream (403), so its build list is asked every few seconds. Give the user of the access key the permission Export API.'
      : 'The build server has no export stream (404), or hides it for want of a permission, so its build list is asked every few seconds.',
  refused: (status: number): string =>
    status === 401
      ? 'The build server does not accept the credential of this proxy (401). Whoever runs the proxy must set a valid SIGHTLINE_BUILD_DATA_ACCESS_KEY (or SIGHTLINE_BUILD_DATA_BASIC).'
      : `The build server refuses both its export stream and its build list (${status}). Give the user of the access key the permissions Export API and Access build data via the API.`,
} as const
