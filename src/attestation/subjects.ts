import { judgeDigest, type Digest } from './digest.ts'
import { warning, type Finding, type FindingCode } from './finding.ts'
import {
  childrenOf,
  countOf,
  keyOf,
  kindOf,
  noNode,
  property,
  sourceOf,
  stringOf,
} from './json-tree.ts'
import type { JsonTree } from './json-tree.ts'
import { placeOf, type Source } from './source.ts'

/** Whom a statement is about. Subjects are matched by digest alone, never by name. */
export interface Subject {
  readonly name: string | undefined
  readonly uri: string | undefined
  readonly digests: readonly Digest[]
  /** Why nothing can match it, as a sentence; undefined where something can. */
  readonly problem: string | undefined
}

/** Where the subjects of a statement are: a part of `Statement`. */
interface SubjectList {
  readonly version: 'v1' | 'v0.1' | 'other'
  readonly subject: number
  readonly subjectCount: number
}

/** The nodes of all subjects, in order: what a virtual list needs to show any of them. */
export function subjectNodes(tree: JsonTree, { subject }: SubjectList): Int32Array {
  return kindOf(tree, subject) === 'array'
    ? Int32Array.from(childrenOf(tree, subject))
    : new Int32Array()
}

/** The subject at one of `subjectNodes`. Wrong shapes are told in its `problem`. */
export function subjectAt(tree: JsonTree, node: number): Subject {
  const digest = property(tree, node, 'digest')
  const digests = digestsAt(tree, digest)
  return {
    name: stringOf(tree, property(tree, node, 'name')),
    uri: stringOf(tree, property(tree, node, 'uri')),
    digests,
    problem: problemOf(tree, node, digest, digests),
  }
}

/** The digests of an object `{algorithm: value}`; none for anything else. */
export function digestsAt(tree: JsonTree, node: number): Digest[] {
  if (kindOf(tree, node) !== 'object') return []
  const digests: Digest[] = []
  for (const child of childrenOf(tree, node)) {
    const value = stringOf(tree, child)
    const algorithm = keyOf(tree, child) ?? ''
    digests.push(
      value === undefined
        ? { algorithm, value: sourceOf(tree, child).slice(0, 200), problem: 'is no text' }
        : judgeDigest(algorithm, value),
    )
  }
  return digests
}

/** What is wrong with the subjects, each kind of trouble told once with its count and first place. */
export function checkSubjects(source: Source, list: SubjectList): Finding[] {
  const { tree } = source
  if (list.subjectCount === 0) return [nothingAttested(source, list.subject)]
  const troubles = new Map<FindingCode, { count: number; first: number; say: string }>()
  const names = new Set<string>()
  const note = (code: FindingCode, node: number, say: string) => {
    const known = troubles.get(code)
    if (known) known.count += 1
    else troubles.set(code, { count: 1, first: node, say })
  }
  for (const node of childrenOf(tree, list.subject)) {
    if (list.version !== 'v0.1' && hasPlainDigest(tree, property(tree, node, 'digest'))) continue
    const subject = subjectAt(tree, node)
    const odd = subject.digests.find(({ problem }) => problem !== undefined)
    if (kindOf(tree, node) !== 'object') note('subject-malformed', node, 'is no object')
    else if (subject.digests.length === 0) note('digest-missing', node, 'has no digest')
    else if (odd)
      note('digest-unusual', node, `has a digest (${shortName(odd)}) that ${odd.problem ?? ''}`)
    else if (subject.digests.every(({ algorithm }) => algorithm === 'md5'))
      note('digest-unusual', node, 'has no digest but md5, which proves little')
    if (list.version !== 'v0.1') continue
    const name = subject.name ?? ''
    if (name === '') note('subject-malformed', node, 'has no name')
    else if (names.has(name) && name !== '_')
      note('subject-repeated', node, 'has a name that another has too')
    names.add(name)
  }
  return [...troubles].map(([code, { count, first, say }]) =>
    warning(code, troubleInWords(count, list.subjectCount, say), placeOf(source, first)),
  )
}

/** What nearly every subject has, told without decoding anything: one good SHA-256. */
function hasPlainDigest(tree: JsonTree, digest: number): boolean {
  if (countOf(tree, digest) !== 1 || property(tree, digest, 'sha256') === noNode) return false
  const start = tree.starts[digest + 1] ?? 0
  if (kindOf(tree, digest + 1) !== 'string' || tree.ends[digest + 1] !== start + 66) return false
  for (let at = start + 1; at < start + 65; at++) {
    const code = tree.text.charCodeAt(at)
    const isHex = (code >= 48 && code <= 57) || (code >= 97 && code <= 102)
    if (!isHex) return false
  }
  return true
}

function nothingAttested(source: Source, subject: number): Finding {
  const isEmpty = kindOf(source.tree, subject) === 'array'
  const message = isEmpty
    ? 'The statement attests nothing: its list of subjects is empty.'
    : 'The statement attests nothing: it has no list of subjects.'
  return warning('subject-missing', message, placeOf(source, subject === noNode ? 0 : subject))
}

function troubleInWords(count: number, all: number, say: string): string {
  if (all === 1) return `The subject ${say}.`
  return count === 1
    ? `One of ${all} subjects ${say}.`
    : `${count} of ${all} subjects are unusual; the first of them ${say}.`
}

function shortName({ algorithm }: Digest): string {
  return algorithm.slice(0, 40)
}

function problemOf(
  tree: JsonTree,
  node: number,
  digest: number,
  digests: readonly Digest[],
): string | undefined {
  if (kindOf(tree, node) !== 'object') return 'This is no object, so it names nothing.'
  if (digest === noNode || (kindOf(tree, digest) === 'object' && countOf(tree, digest) === 0)) {
    return 'It has no digest, so nothing can match it.'
  }
  if (kindOf(tree, digest) !== 'object') return 'Its digest is no object, so nothing can match it.'
  if (digests.some(({ problem }) => problem === undefined)) return undefined
  return `Nothing can match it: its digest ${digests[0]?.problem ?? 'is unusable'}.`
}
