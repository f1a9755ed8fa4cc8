import { dayMs, hourMs } from '../../../protocol/clock.ts'
import company from './company.json' with { type: 'json' }
import { lastWorkingTime } from './rhythm.ts'

// What a visitor finds: one commit that broke the main branch of one project this morning and holds
// back its release, one test that fails now and then, and one project that got slower on a day. The
// rest of the company is mostly well.

/** A test that the stories are about: of which project and module, and what it says. */
export interface StoryTest {
  readonly project: string
  readonly module: string
  readonly className: string
  readonly name: string
  readonly line: number
  readonly message: string
}

/** The test that fails since this morning. */
export const brokenTest: StoryTest = company.stories.broken
/** The test that fails now and then. */
export const flakyTest: StoryTest = company.stories.flaky
/** The project that got slower, and how many times as long its builds take since. */
export const slower = company.stories.slower

/** How a day goes: moments in epoch ms. */
export interface Story {
  /** The last commit of the broken project's main branch that is well. */
  readonly wellAt: number
  /** When the commit was pushed that broke it: the last 09:12 UTC. */
  readonly brokenAt: number
  /** Nothing else is merged until then: the next morning, a while before it happens again. */
  readonly fixedAt: number
  /** When the other project got slower: on the working day before. */
  readonly slowerSince: number
}

const breaksAt = 9.2 * hourMs
const wellMs = 0.2 * hourMs

/** The story that is going on at `at` (epoch ms); it follows from the time alone, as the rest does. */
export function storyAt(at: number): Story {
  const day = Math.floor((at - breaksAt) / dayMs) * dayMs
  const brokenAt = day + breaksAt
  return {
    wellAt: brokenAt - wellMs,
    brokenAt,
    fixedAt: brokenAt + dayMs - wellMs,
    slowerSince: lastWorkingTime(day) - 9 * hourMs,
  }
}

/**
 * When main was built that morning, however few builds there are at weekends: once well, then broken;
 * how long after the break, in minutes. The job of each finds the fault.
 */
const toldAt = [-1, 9, 24, 51, 76].map((minutes) => minutes * 60_000)

/** The moments between two others (epoch ms) at which the story's own builds were received. */
export function toldBetween({ brokenAt }: Story, from: number, to: number): number[] {
  return toldAt.map((after) => brokenAt + after).filter((at) => at >= from && at < to)
}
