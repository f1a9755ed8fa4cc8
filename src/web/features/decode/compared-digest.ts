import type { DragEvent } from 'react'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { childrenOf, keyOf, property } from '../../../attestation/decode/json-tree.ts'
import {
  matchSubjects,
  type NamedDigest,
  type SubjectMatch,
} from '../../../attestation/statement/match-subjects.ts'
import {
  algorithmNamed,
  digestsAt,
  judgeDigest,
  subjectNodes,
} from '../../../attestation/statement/subjects.ts'
import { type FileAlgorithm, fileAlgorithms } from '../../data/attestation/attestation-jobs.ts'
import { countOf } from '../../../protocol/count.ts'
import { shortenMiddle } from '../../ui/format.ts'
import { goingOn, type VerdictLine } from './verdict-lines.ts'

/** Something that the subjects of a statement are compared with. */
export interface Compared {
  /** What it is, as it stands in a sentence: "this package", "the file app.jar". */
  readonly what: string
  /** The same thing hashed in several ways. */
  readonly digests: readonly NamedDigest[]
}

/** Reads a digest that a person typed: "sha256:…", or the hex of a SHA-256 alone. */
export function readDigest(text: string): NamedDigest | undefined {
  const [, typed = 'sha256', hex = ''] =
    /^\s*(?:([a-z][\w-]{2,12})[:=-])?([0-9a-f]{32,128})\s*$/i.exec(text) ?? []
  const [algorithm, value] = [algorithmNamed(typed), hex.toLowerCase()]
  if (algorithm === undefined || judgeDigest(algorithm, value).problem !== undefined)
    return undefined
  return { algorithm, value }
}

/**
 * The digests of a file that are worth making: those that a subject has, as each takes its time, or
 * SHA-256 where no subject has one of these.
 */
export function algorithmsFor({ statement, content }: DecodedItem): readonly FileAlgorithm[] {
  if (statement === undefined || content.kind !== 'json') return ['sha256']
  const { tree } = content
  const named = new Set<string>()
  for (const node of subjectNodes(tree, statement)) {
    for (const child of childrenOf(tree, property(tree, node, 'digest'))) {
      named.add(keyOf(tree, child) ?? '')
    }
  }
  const wanted = fileAlgorithms.filter((algorithm) => named.has(algorithm))
  return wanted.length > 0 ? wanted : ['sha256']
}

/** Whether a subject has a digest, so that there is something to compare a file with. */
export function hasDigest({ statement, content }: DecodedItem): boolean {
  if (statement === undefined || content.kind !== 'json') return false
  const { tree } = content
  return subjectNodes(tree, statement).some(
    (node) => digestsAt(tree, property(tree, node, 'digest')).length > 0,
  )
}

/** What makes an element take files that are dropped on it. */
interface FileDrop {
  readonly onDragOver: (event: DragEvent) => void
  readonly onDrop: (event: DragEvent) => void
}

/** Takes files, the innermost that does; all else that is dropped goes on to anyone who takes that. */
export function fileDrop(onFiles: (files: readonly File[]) => void): FileDrop {
  return {
    onDragOver: (event) => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event) => {
      const files = [...event.dataTransfer.files]
      if (files.length === 0) return
      event.preventDefault()
      event.stopPropagation()
      onFiles(files)
    },
  }
}

/** Something compared, and what came of it. */
export interface ComparedSubject {
  readonly compared: Compared
  readonly match: SubjectMatch
}

/** Compares the subjects of an attestation with everything there is to compare them with. */
export function compareSubjects(
  item: DecodedItem,
  all: readonly Compared[],
): readonly ComparedSubject[] {
  return all.map((compared) => ({ compared, match: matchSubjects(item, compared.digests) }))
}

/** Whether the attestation is about what the reader holds; never by name, only by digest. */
export function subjectLine(item: DecodedItem, results: readonly ComparedSubject[]): VerdictLine {
  const { statement } = item
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
  if (results.length === 0 && !hasDigest(item)) {
    const sentence = `${statement.subjectCount === 1 ? 'its subject has' : 'its subjects have'} no digest, so nothing can match.`
    return { tone: 'waiting', word: 'not comparable', sentence }
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

const worstFirst = ['not-a-statement', 'different', 'incomparable', 'weak', 'equal'] as const

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
    case 'not-a-statement':
      return { tone: 'waiting', word: 'not compared', sentence: goingOn(match.reason) }
    case 'incomparable': {
      if (match.odd !== undefined) {
        const sentence = `can't be compared with ${compared.what}: ${match.odd}`
        return { tone: 'waiting', word: 'not compared', sentence }
      }
      const names = [...new Set(compared.digests.map(({ algorithm }) => algorithm))].join(' or ')
      const sentence = match.isPartial
        ? `may be ${compared.what} or not: not every subject has a ${names}, and those that have one have another.`
        : `can't be compared with ${compared.what}: no subject has a ${names} to compare it with.`
      return { tone: 'waiting', word: 'not compared', sentence }
    }
  }
}
