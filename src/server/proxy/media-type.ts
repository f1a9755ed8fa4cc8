import type { UpstreamResponse } from './upstream-client.ts'

/** The media type of an answer in lower case, without parameters; empty where it names none. */
export function mediaType(answer: UpstreamResponse): string {
  return (answer.header('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase()
}
