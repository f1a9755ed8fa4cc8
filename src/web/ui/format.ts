/** In which zone instants are shown: that of the device, or UTC. */
export type Zone = 'local' | 'utc'

const styles = {
  full: { dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' },
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'short' },
} as const

const formats = new Map<string, Intl.DateTimeFormat>()

/** Made with its first use: all of them would take half of the time in which the application starts. */
function formatOf(zone: Zone, style: keyof typeof styles): Intl.DateTimeFormat {
  const key = `${zone} ${style}`
  let format = formats.get(key)
  if (format === undefined) {
    const timeZone = zone === 'utc' ? { timeZone: 'UTC' } : {}
    format = new Intl.DateTimeFormat('en-US', { ...styles[style], ...timeZone })
    formats.set(key, format)
  }
  return format
}

/** The day of the week: "Mon". */
export function weekdayText(at: number, zone: Zone): string {
  return formatOf(zone, 'weekday').format(at)
}

/** An instant (epoch ms) in a text, to the minute with its zone: "Nov 20, 2026, 09:14 UTC". */
export function momentText(at: number, zone: Zone): string {
  return instantText(at, zone).replace(/:\d\d(?= )/, '')
}

/** The same to the second, for tooltips, accessible names and evidence: "Nov 20, 2026, 09:14:05 UTC". */
export function instantText(at: number, zone: Zone): string {
  return formatOf(zone, 'full').format(at)
}

/** The time of day of an instant (epoch ms) to the minute: "09:14". */
export function timeOfDayText(at: number, zone: Zone): string {
  return formatOf(zone, 'time').format(at)
}

/** The day of an instant (epoch ms): "Nov 20", or with its year "Nov 20, 2026". */
export function dayText(at: number, zone: Zone, style: 'day' | 'date' = 'day'): string {
  return formatOf(zone, style).format(at)
}

/**
 * How long ago something was, in one unit: "just now", "8 s ago", "2 min ago", "3 h ago", "12 d
 * ago". `ageMs` may be negative, as clocks differ between machines; that is "just now", too, but where it
 * is more than a minute and `ahead` says when it will be.
 */
export function agoText(ageMs: number, ahead?: string): string {
  const seconds = Math.floor(ageMs / 1000)
  if (ahead && seconds < -60) return ahead
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`
}

/** A duration in words, "1 min 12 s": at most two units, rounded to the smaller. `ms` isn't negative. */
export function durationText(ms: number): string {
  if (ms < 950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return twoUnits(seconds, 60, 'min', 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return twoUnits(minutes, 60, 'h', 'min')
  return twoUnits(Math.round(minutes / 60), 24, 'd', 'h')
}

function twoUnits(amount: number, size: number, large: string, small: string): string {
  const rest = amount % size
  const whole = `${(amount - rest) / size} ${large}`
  return rest === 0 ? whole : `${whole} ${rest} ${small}`
}

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** An amount of bytes in the unit that suits it: "812 bytes", "4.1 MB", "210 MB". */
export function bytesText(bytes: number): string {
  if (bytes === 1) return '1 byte'
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1
  return `${amount.toFixed(digits)} ${units[unit] ?? ''}`
}

/** An id of which the middle is left out, "k3j7…7a4c"; whole when that would save nothing. */
export function shortenMiddle(id: string): string {
  return id.length <= 9 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`
}

/** The IANA name of the zone that times are shown in, such as `Europe/Berlin`. */
export function viewerZone(zone: Zone): string {
  if (zone === 'utc') return 'UTC'
  // Asked with every drawing; where the machine is moved to another zone, the page is begun anew.
  local ??= new Intl.DateTimeFormat('en').resolvedOptions().timeZone
  return local
}

let local: string | undefined
