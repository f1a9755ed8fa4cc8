import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { countOf } from '../../ui/count.ts'
import { shortenMiddle } from '../../ui/shorten-middle.ts'
import { type Compared, matchSubjects, type SubjectMatch } from './compared-digest.ts'
import type { VerdictLine } from './verdict-lines.ts'

/** Something compared, and what came of it. */
export interface ComparedSubject {
  readonly compared: Compared
  readonly match: SubjectMatch
}

/** Compares the subjects of an attestation with everything there is to compare them with. */
export function compareSubjects(
  { statement, content }: DecodedItem,
  all: readonly Compared[],
): readonly ComparedSubject[] {
  if (statement === undefined || content.kind !== 'json') return []
  const { tree } = content
  return all.map((compared) => ({ compared, match: matchSubjects(tree, statement, compared) }))
}

/** Whether the attestation is about what the reader holds; never by name, only by digest. */
export function subjectLine(
  { statement }: DecodedItem,
  results: readonly ComparedSubject[],
): VerdictLine {
  if (statement === undefined) {
    return {
      tone: 'none',
      word: 'none',
      sentence: 'the payload is no statement, so it is about nothing.',
    }
  }
  if (statement.subjectCount === 0) {
    return { tone: 'bad', word: 'none', sentence: 'it names no subject, so it is about nothing.' }
  }
  if (results.length === 0) {
    const sentence = 'nothing to compare with: drop a file, or name a digest.'
    return { tone: 'none', word: 'not compared', sentence }
  }
  const worst =
    results.find(({ match }) => match.kind === 'different') ??
    results.find(({ match }) => match.kind === 'incomparable')
  const told = worst ?? results[0]
  return told === undefined
    ? { tone: 'none', word: 'not compared', sentence: '' }
    : lineOf(told, statement.subjectCount, results)
}

function lineOf(
  { compared, match }: ComparedSubject,
  count: number,
  results: readonly ComparedSubject[],
): VerdictLine {
  const [digest] = compared.digests
  const named = digest ? `${digest.algorithm} ${shortenMiddle(digest.value)}` : ''
  switch (match.kind) {
    case 'equal': {
      const sentence = results
        .map(({ compared: { what }, match: found }) =>
          found.kind === 'equal'
            ? `is ${what}: ${found.algorithm} equals ${shortenMiddle(found.value)}`
            : '',
        )
        .join('; ')
      return { tone: 'good', word: 'matches', sentence: `${sentence}.` }
    }
    case 'different': {
      const subjects =
        count === 1 ? 'its subject has not' : `none of its ${countOf(count, 'subject')} has`
      return {
        tone: 'bad',
        word: 'mismatch',
        sentence: `is not ${compared.what}: ${subjects} ${named}.`,
      }
    }
    case 'incomparable': {
      const names = compared.digests.map(({ algorithm }) => algorithm).join(' or ')
      const sentence = `cannot be compared with ${compared.what}: no subject has a ${names}.`
      return { tone: 'waiting', word: 'not compared', sentence }
    }
  }
}
