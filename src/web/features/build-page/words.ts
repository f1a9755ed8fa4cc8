import type { CacheUse, ExecutionOutcome } from '../../../facts/execution.ts'
import type { Change } from '../../../facts/comparison.ts'
import type { CaseOutcome } from '../../../facts/test-cases.ts'
import { durationText } from '../../ui/format.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import type { Scope, Tab } from './build-address.ts'

/** A state in two ways: by tone, and by word. */
interface Told {
  readonly tone: StatusTone
  readonly word: string
}

/** The words for outcomes of executions. */
export const outcomeWords: Readonly<Record<ExecutionOutcome, Told>> = {
  failed: { tone: 'bad', word: 'failed' },
  succeeded: { tone: 'good', word: 'succeeded' },
  'from-cache': { tone: 'info', word: 'from cache' },
  'up-to-date': { tone: 'info', word: 'up to date' },
  'no-source': { tone: 'none', word: 'no source' },
  skipped: { tone: 'none', word: 'skipped' },
  unfinished: { tone: 'waiting', word: 'not finished' },
  other: { tone: 'waiting', word: 'other' },
}

/** The words for outcomes of test cases. */
export const caseWords: Readonly<Record<CaseOutcome, Told>> = {
  failed: { tone: 'bad', word: 'failed' },
  flaky: { tone: 'waiting', word: 'flaky' },
  passed: { tone: 'good', word: 'passed' },
  skipped: { tone: 'none', word: 'skipped' },
  unfinished: { tone: 'waiting', word: 'not finished' },
}

/** The words for what became of an execution. */
export const changeWords: Readonly<Record<Change, Told>> = {
  failed: { tone: 'bad', word: 'now fails' },
  'still-failed': { tone: 'bad', word: 'still fails' },
  fixed: { tone: 'good', word: 'fixed' },
  ran: { tone: 'info', word: 'ran again' },
  added: { tone: 'info', word: 'only now' },
  removed: { tone: 'none', word: 'only before' },
  outcome: { tone: 'none', word: 'other outcome' },
  slower: { tone: 'waiting', word: 'slower' },
  avoided: { tone: 'info', word: 'now avoided' },
  faster: { tone: 'good', word: 'faster' },
  same: { tone: 'none', word: 'about the same' },
}

/** How the uses of the cache are named. */
export const cacheWords: Readonly<Record<CacheUse['kind'], string>> = {
  loaded: 'from cache',
  stored: 'stored',
  missed: 'cacheable, ran',
  'up-to-date': 'up to date',
  'not-needed': 'not needed',
  'not-cacheable': 'not cacheable',
  unknown: 'unknown',
}

/** What stands on the tabs. */
export const tabWords: Readonly<Record<Tab, string>> = {
  timeline: 'Timeline',
  tests: 'Tests',
  environment: 'Environment',
  events: 'Events',
}

/** What the timeline can be about. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  work: 'Tasks and goals',
  tests: 'Tests',
  all: 'Both',
}

/** What an execution had of the build cache, in a few words. */
export function cacheText(use: CacheUse): string {
  switch (use.kind) {
    case 'loaded':
      return use.from === null ? 'from a cache' : `from ${use.from} cache`
    case 'stored':
      return `stored in ${use.to} cache`
    case 'unknown':
    case 'not-needed':
    case 'up-to-date':
      // The outcome has it already.
      return ''
    case 'missed':
    case 'not-cacheable':
      return cacheWords[use.kind]
  }
}

/** A duration as `durationText`, but to the millisecond below a second: tasks take "12 ms". */
export function exactDuration(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : durationText(ms)
}
