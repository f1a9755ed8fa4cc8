import type { Zone } from './instant.ts'

/** The IANA name of the zone that times are shown in, such as `Europe/Berlin`. */
export function viewerZone(zone: Zone): string {
  if (zone === 'utc') return 'UTC'
  // Asked with every drawing; where the machine is moved to another zone, the page is begun anew.
  local ??= new Intl.DateTimeFormat('en').resolvedOptions().timeZone
  return local
}

let local: string | undefined
