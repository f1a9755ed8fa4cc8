import type { BuildFailure, Facts } from '../../protocol/facts.ts'
import { cutText } from '../../protocol/untrusted-text.ts'

/** A failure as facts have it: they go to every browser. */
export function factsFailure(failure: BuildFailure): BuildFailure {
  return { ...failure, message: cutText(failure.message, factsMessageLength) }
}

/** All that a build failed of, as far as its facts have it. */
export function storedFailures({
  failure,
  otherFailures = [],
}: Pick<Facts, 'failure' | 'otherFailures'>): readonly BuildFailure[] {
  return failure === undefined || failure === null ? [] : [failure, ...otherFailures]
}

/** What of a message stands in facts, and decides with which other failures one is grouped, characters. */
export const factsMessageLength = 300

/** The test that failed, without the package of its class; undefined where none is named. */
export function failedTestText({ test }: BuildFailure): string | undefined {
  if (test === undefined) return undefined
  return [test.className?.split('.').at(-1), test.name].filter(Boolean).join('.')
}
