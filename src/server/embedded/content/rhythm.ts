/** One hour in ms. */
export const hourMs = 3_600_000

/**
 * How many builds the company makes in the hour of `at` (epoch ms) on average: offices in Europe and
 * in America, nightlies from one to four o'clock, little else at night and at weekends. A working
 * day sums up to about 900.
 */
export function buildsPerHour(at: number): number {
  const hour = hourOfDay(at)
  const onWorkingDay = workingDayByHour[hour] ?? 0
  return isWeekend(at) && hour > 4 ? onWorkingDay * 0.12 : onWorkingDay
}

/** Whether nightly jobs run at that time. */
export function isNightlyTime(at: number): boolean {
  const hour = hourOfDay(at)
  return hour >= 1 && hour < 4
}

/** How busy the build agents are at that time, from 0 to 1. */
export function load(at: number): number {
  return buildsPerHour(at) / Math.max(...workingDayByHour)
}

/** The latest moment up to `at` at which somebody may have pushed a commit (epoch ms). */
export function lastWorkingTime(at: number): number {
  let time = at
  while (isWeekend(time) || hourOfDay(time) < 6) time = startOfDay(time) - 4 * hourMs
  return Math.min(time, startOfDay(time) + 20 * hourMs)
}

/** Builds in each hour of a working day, UTC. */
const workingDayByHour = [
  8, 14, 14, 12, 8, 10, 18, 40, 68, 78, 76, 62, 52, 70, 84, 82, 72, 52, 34, 22, 14, 10, 8, 6,
]

const dayMs = 24 * hourMs

function hourOfDay(at: number): number {
  return Math.floor((at - startOfDay(at)) / hourMs)
}

function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs
}

function isWeekend(at: number): boolean {
  const day = new Date(at).getUTCDay()
  return day === 0 || day === 6
}
