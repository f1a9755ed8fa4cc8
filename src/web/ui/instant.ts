/** In which zone instants are shown: that of the device, or UTC. */
export type Zone = 'local' | 'utc'

const styles = {
  full: { dateStyle: 'medium', timeStyle: 'long' },
  time: { hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
} as const

const formats = {
  local: {
    full: new Intl.DateTimeFormat('en-GB', styles.full),
    time: new Intl.DateTimeFormat('en-GB', styles.time),
    day: new Intl.DateTimeFormat('en-GB', styles.day),
    date: new Intl.DateTimeFormat('en-GB', styles.date),
  },
  utc: {
    full: new Intl.DateTimeFormat('en-GB', { ...styles.full, timeZone: 'UTC' }),
    time: new Intl.DateTimeFormat('en-GB', { ...styles.time, timeZone: 'UTC' }),
    day: new Intl.DateTimeFormat('en-GB', { ...styles.day, timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat('en-GB', { ...styles.date, timeZone: 'UTC' }),
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

/** The day of an instant (epoch ms): "20 Nov", or with its year "20 Nov 2026". */
export function dayText(at: number, zone: Zone, style: 'day' | 'date' = 'day'): string {
  return formats[zone][style].format(at)
}
