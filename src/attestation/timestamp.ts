/**
 * What is wrong with a timestamp as a sentence, or undefined where it is one of RFC 3339: a day that
 * exists, a time with a zone, a year a build may have been in. No clock is asked.
 */
export function timeProblem(text: string): string | undefined {
  const match = form.exec(text)
  if (!match) return 'This is no timestamp of RFC 3339, such as 2026-01-31T12:00:00Z.'
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', zone] = match
  if (zone === undefined) return 'The timestamp has no time zone, so it may be off by a day.'
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60
  if (!isDay || !isTime) return 'There is no such day or time.'
  // Go writes the year 1 for a time that was never set; nobody built in 1969 or will in 2200.
  const isPlausible = Number(year) >= 1970 && Number(year) < 2200
  return isPlausible ? undefined : `The year ${year} cannot be meant.`
}

const form = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d{1,12})?(Z|z|[+-]\d\d:\d\d)?$/
