import { judgeDigest } from '../../../attestation/digest.ts'
import { keyOf, kindOf, stringOf, type JsonTree } from '../../../attestation/json-tree.ts'
import { findNodes } from '../../../attestation/payload-tree.ts'
import type { Statement } from '../../../attestation/statement.ts'
import { subjectNodes } from '../../../attestation/subjects.ts'

/** Something that the subjects of a statement are compared with. */
export interface Compared {
  /** What it is, as it stands in a sentence: "this package", "the file app.jar". */
  readonly what: string
  /** One of them equal is enough: the same thing hashed in several ways. */
  readonly digests: readonly { readonly algorithm: string; readonly value: string }[]
}

/** What the comparison came to. */
export type SubjectMatch =
  | {
      readonly kind: 'equal'
      readonly algorithm: string
      readonly value: string
      /** The subjects that have it, from 0. */
      readonly subjects: readonly number[]
    }
  | { readonly kind: 'different' }
  /** No subject has a digest of these algorithms, so nothing can be said. */
  | { readonly kind: 'incomparable' }

/** Compares by digest alone, never by name (in-toto attestation spec; research/attestation.md 3.2). */
export function matchSubjects(
  tree: JsonTree,
  statement: Statement,
  { digests }: Compared,
): SubjectMatch {
  const nodes = subjectNodes(tree, statement)
  let isComparable = false
  for (const { algorithm, value } of digests) {
    const wanted = value.toLowerCase()
    if (judgeDigest(algorithm, wanted).problem !== undefined) continue
    const subjects = subjectsWith(tree, statement, nodes, algorithm, wanted)
    if (subjects.length > 0) return { kind: 'equal', algorithm, value: wanted, subjects }
    isComparable ||= hasAlgorithm(tree, statement, algorithm)
  }
  return { kind: isComparable ? 'different' : 'incomparable' }
}

/** Reads a digest that somebody typed: "sha256:…", or the hex of a SHA-256 alone. */
export function readDigest(
  text: string,
): { readonly algorithm: string; readonly value: string } | undefined {
  const [, algorithm = 'sha256', value = ''] =
    /^\s*(?:([a-z]\w{2,12})[:=-])?([0-9a-f]{40,128})\s*$/i.exec(text) ?? []
  const digest = { algorithm: algorithm.toLowerCase(), value: value.toLowerCase() }
  return judgeDigest(digest.algorithm, digest.value).problem === undefined ? digest : undefined
}

function subjectsWith(
  tree: JsonTree,
  statement: Statement,
  nodes: Int32Array,
  algorithm: string,
  value: string,
): number[] {
  const subjects: number[] = []
  for (const node of findNodes(tree, value)) {
    const subject = subjectAbove(tree, statement, node)
    if (subject === undefined || keyOf(tree, node) !== algorithm) continue
    if (stringOf(tree, node) === value) subjects.push(nodes.indexOf(subject))
  }
  return subjects
}

function hasAlgorithm(tree: JsonTree, statement: Statement, algorithm: string): boolean {
  return findNodes(tree, `"${algorithm}"`, 1_000_000).some(
    (node) =>
      subjectAbove(tree, statement, node) !== undefined &&
      keyOf(tree, node) === algorithm &&
      kindOf(tree, node) === 'string',
  )
}

/** The subject of whose digests a node is one; undefined for every other node. */
function subjectAbove(tree: JsonTree, statement: Statement, node: number): number | undefined {
  const digest = tree.parents[node] ?? -1
  const subject = tree.parents[digest] ?? -1
  const isDigest = keyOf(tree, digest) === 'digest' && subject > 0
  return isDigest && tree.parents[subject] === statement.subject ? subject : undefined
}
