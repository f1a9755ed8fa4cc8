import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { countOf } from '../../../protocol/count.ts'
import { shortenMiddle } from '../../ui/format.ts'
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
      sentence: "the payload isn't a statement, so it has no subject.",
    }
  }
  if (statement.subjectCount === 0) {
    return { tone: 'bad', word: 'none', sentence: 'the statement has no subject.' }
  }
  if (results.length === 0) {
    const sentence = 'nothing to compare with. Drop a file, or enter a digest.'
    return { tone: 'none', word: 'not compared', sentence }
  }
  const shown = worstFirst
    .map((kind) => results.find(({ match }) => match.kind === kind))
    .find((found) => found !== undefined)
  return shown === undefined
    ? { tone: 'none', word: 'not compared', sentence: '' }
    : lineOf(shown, statement.subjectCount, results)
}

const worstFirst = ['different', 'incomparable', 'weak', 'equal'] as const

function lineOf(
  { compared, match }: ComparedSubject,
  count: number,
  results: readonly ComparedSubject[],
): VerdictLine {
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
    case 'weak': {
      const { algorithm, value } = match
      const sentence = `has the ${algorithm} of ${compared.what} (${shortenMiddle(value)}), which proves little: different files can have the same ${algorithm}.`
      return { tone: 'waiting', word: 'weak match', sentence }
    }
    case 'different': {
      const { missing, equal } = match
      if (equal !== undefined) {
        const sentence = `is not ${compared.what}: a subject has its ${equal}, and another ${missing.algorithm}.`
        return { tone: 'bad', word: 'mismatch', sentence }
      }
      const subjects =
        count === 1 ? "its subject doesn't have" : `none of its ${countOf(count, 'subject')} has`
      return {
        tone: 'bad',
        word: 'mismatch',
        sentence: `is not ${compared.what}: ${subjects} ${missing.algorithm} ${shortenMiddle(missing.value)}.`,
      }
    }
    case 'incomparable': {
      const names = [...new Set(compared.digests.map(({ algorithm }) => algorithm))].join(' or ')
      const sentence = `cannot be compared with ${compared.what}: no subject has a ${names} to compare it with.`
      return { tone: 'waiting', word: 'not compared', sentence }
    }
  }
}
