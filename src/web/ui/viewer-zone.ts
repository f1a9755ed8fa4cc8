import type { Zone } from './instant.ts'

/** The IANA name of the zone that times are shown in, such as `Europe/Berlin`. */
export function viewerZone(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat('en').resolvedOptions().timeZone
}
