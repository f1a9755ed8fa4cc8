import { mediaType, type UpstreamResponse } from './upstream-client.ts'

/**
 * What it means when a server redirects, or sends a web page where data was expected, and what to
 * do: in front of it, as a rule, stands a sign-in page. Undefined for every other response.
 */
export function misdirection(
  response: UpstreamResponse,
  server: string,
  urlSetting: string,
): string | undefined {
  const { status } = response
  if (status > 300 && status < 400 && status !== 304) {
    const to = originOf(response.header('location')) ?? 'another page'
    return `The ${server} redirects to ${to} (${status}), which Sightline doesn't follow. Check that ${urlSetting} is the server's own URL. If that is a sign-in page, let Sightline's requests pass without it.`
  }
  return status < 300 && mediaType(response) === 'text/html'
    ? `The ${server} responded with a web page instead of data. Check that ${urlSetting} is the server's own URL. If a sign-in page stands in front of it, let Sightline's requests pass without it.`
    : undefined
}

/** Nothing of an address but its origin: paths and queries of sign-in pages hold tokens. */
function originOf(location: string | null): string | null {
  if (location === null || !URL.canParse(location)) return null
  const { protocol, origin } = new URL(location)
  return /^https?:$/.test(protocol) && origin.length <= 200 ? origin : null
}
