import { dayMs, hourMs } from '../../../protocol/clock.ts'
import type { Cause } from './company.ts'
import { between, chance, createSeededRandom, logNormal, pickWeighted } from './seeded-random.ts'

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

/** A spell during which builds of one branch fail: always while broken, now and then while flaky. */
export interface Trouble {
  readonly kind: 'broken' | 'flaky'
  /** Flaky is always `test`. */
  readonly cause: Cause
  /** The same throughout a spell: decides which test, module and message, 0 to 1. */
  readonly signature: number
}

/** Whose troubles: of a branch, or of a person at work. */
export interface TroubledOne {
  readonly seed: number
  readonly name: string
  /** The share of time in trouble, 0 to 1. */
  readonly share: number
  /** How often a spell may begin, in hours. */
  readonly windowHours: number
  /** The part of spells that is flaky instead of broken. */
  readonly flaky: number
}

/**
 * The trouble that somebody is in at `at` (epoch ms), or null. It is a function of the seed and the
 * time alone: time is cut into windows, and at most one spell lies within each. Thus history and
 * present agree on it without handing anything over, also after a restart.
 */
export function troubleAt(one: TroubledOne, at: number): Trouble | null {
  const length = one.windowHours * hourMs
  const phase = createSeededRandom(one.seed, 'phase', one.name)() * length
  const window = Math.floor((at + phase) / length)
  const random = createSeededRandom(one.seed, 'trouble', one.name, window)
  // A spell takes about half of the window that has one.
  if (!chance(random, Math.min(1, one.share * 2))) return null
  const duration = Math.min(length, logNormal(random, length * 0.45, 0.5))
  const begin = window * length - phase + between(random, 0, length - duration)
  if (at < begin || at >= begin + duration) return null
  const signature = random()
  return chance(random, one.flaky)
    ? { kind: 'flaky', cause: 'test', signature }
    : { kind: 'broken', cause: pickWeighted(random, causes).cause, signature }
}

const causes: readonly { readonly cause: Cause; readonly weight: number }[] = [
  { cause: 'test', weight: 50 },
  { cause: 'compile', weight: 25 },
  { cause: 'lint', weight: 12 },
  { cause: 'dependency', weight: 8 },
  { cause: 'configuration', weight: 5 },
]
