/** In which zone instants are shown: that of the device, or UTC. */
export type Zone = 'local' | 'utc'

const styles = {
  full: { dateStyle: 'medium', timeStyle: 'long' },
  time: { hour: '2-digit', minute: '2-digit' },
} as const

const formats = {
  local: {
    full: new Intl.DateTimeFormat('en-GB', styles.full),
    time: new Intl.DateTimeFormat('en-GB', styles.time),
  },
  utc: {
    full: new Intl.DateTimeFormat('en-GB', { ...styles.full, timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat('en-GB', { ...styles.time, timeZone: 'UTC' }),
  },
}

/** An instant (epoch ms) to the second with its zone: "20 Nov 2026, 09:14:05 UTC". */
export function instantText(at: number, zone: Zone): string {
  return formats[zone].full.format(at)
}

/** The time of day of an instant (epoch ms) to the minute: "09:14". */
export function timeOfDayText(at: number, zone: Zone): string {
  return formats[zone].time.format(at)
}
