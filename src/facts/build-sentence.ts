import { toolName } from '../protocol/build-tool.ts'
import type { Facts } from '../protocol/facts.ts'
import type { FailureStreak } from './failure-streak.ts'

export interface BuildStory {
  readonly facts: Facts | undefined
  /** Where the first failures happened, such as `:app:test`. */
  readonly failedIn: readonly string[]
  /** Failed runs of tests; undefined while they are not known. */
  readonly failedTests: number | undefined
  readonly streak: StoryStreak | undefined
  /** Whether everything that the build server has of it was read. */
  readonly isWhole: boolean
}

type StoryStreak = Omit<FailureStreak, 'before' | 'lastSuccess'>

/**
 * What happened in a build, in one or two sentences: "Failed after 1 min 12 s in :app:test,
 * verification failure. 3rd failure in a row on main." `duration` puts milliseconds into words.
 */
export function buildSentence(story: BuildStory, duration: (ms: number) => string): string {
  const { facts, streak } = story
  if (facts === undefined) return 'Looking up this build.'
  const time = facts.durationMs ?? undefined
  const after = time === undefined ? '' : ` after ${duration(time)}`
  switch (facts.outcome) {
    case 'failed': {
      const sentence = `Failed${after}${whereText(story.failedIn)}${causeText(story)}.`
      return [sentence, rowText(streak)].filter(Boolean).join(' ')
    }
    case 'succeeded':
      return [`Succeeded${after}.`, endOfRowText(streak)].filter(Boolean).join(' ')
    case null:
    case undefined:
      return (facts.startTime ?? undefined) === undefined
        ? `${toolText(facts.buildTool)} ${story.isWhole ? "How it ended isn't known." : "Details aren't available yet."}`
        : time === undefined
          ? "Started. How it ended isn't known."
          : `Ended${after}. Whether it failed isn't known.`
  }
}

/** "A Gradle build." */
function toolText(tool: string): string {
  if (tool === 'unknown') return 'A build by an unknown tool.'
  const name = toolName(tool)
  // Its letters are read one by one.
  return `${/^(?:[aeiou]|npm|sbt)/i.test(name) ? 'An' : 'A'} ${name} build.`
}

function whereText(failedIn: readonly string[]): string {
  const places = [...new Set(failedIn)]
  const [first] = places
  if (first === undefined) return ''
  const more = places.length - 1
  return more === 0 ? ` in ${first}` : ` in ${first} and ${more} more`
}

function causeText({ facts, failedTests = 0 }: BuildStory): string {
  const tests =
    failedTests === 0 ? '' : `, ${failedTests} failed ${failedTests === 1 ? 'test' : 'tests'}`
  if (facts?.hasVerificationFailure === true) return `, verification failure${tests}`
  if (facts?.hasNonVerificationFailure === true) return `, non-verification failure${tests}`
  return tests
}

function rowText(streak: StoryStreak | undefined): string {
  if (streak === undefined || streak.failures < 2) return ''
  const at = streak.isOpen ? 'At least the ' : ''
  return `${at}${ordinal(streak.failures)} failure in a row${onBranch(streak)}.`
}

function endOfRowText(streak: StoryStreak | undefined): string {
  if (streak === undefined || streak.failures === 0) return ''
  const { failures } = streak
  const many = failures === 1 ? 'a failure' : `${failures} failures in a row`
  return `The first success after ${many}${onBranch(streak)}.`
}

function onBranch({ branch }: StoryStreak): string {
  return branch === undefined ? '' : ` on ${branch}`
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }

function ordinal(count: number): string {
  return `${count}${endings[ordinals.select(count)]}`
}
