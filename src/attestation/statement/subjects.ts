import { type Finding, type FindingCode, warning } from '../decode/finding.ts'
import {
  childrenOf,
  countOf,
  endOf,
  type JsonTree,
  keyOf,
  kindOf,
  noNode,
  property,
  sourceOf,
  startOf,
  stringOf,
} from '../decode/json-tree.ts'
import { placeOf, type Source } from '../decode/source.ts'

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

/** The subject at one of `subjectNodes`. `problem` describes a wrong shape. */
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
        ? { algorithm, value: sourceOf(tree, child).slice(0, 200), problem: "isn't text" }
        : judgeDigest(algorithm, value),
    )
  }
  return digests
}

/** What is wrong with the subjects, each kind reported once with its count and first place. */
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
    if (kindOf(tree, node) !== 'object') note('subject-malformed', node, "isn't an object")
    else if (subject.digests.length === 0) note('digest-missing', node, 'has no digest')
    else if (odd)
      note(
        'digest-unusual',
        node,
        `has a digest (${odd.algorithm.slice(0, 40)}) that ${odd.problem ?? ''}`,
      )
    else if (subject.digests.every(({ algorithm }) => algorithm === 'md5'))
      note('digest-unusual', node, 'has only an MD5 digest, which proves little')
    if (list.version !== 'v0.1') continue
    const name = subject.name ?? ''
    if (name === '') note('subject-malformed', node, 'has no name')
    else if (names.has(name) && name !== '_')
      note('subject-repeated', node, 'has the same name as another')
    names.add(name)
  }
  return [...troubles].map(([code, { count, first, say }]) =>
    warning(code, troubleInWords(count, list.subjectCount, say), placeOf(source, first)),
  )
}

/** What nearly every subject has, recognized without decoding anything: one good SHA-256. */
function hasPlainDigest(tree: JsonTree, digest: number): boolean {
  if (countOf(tree, digest) !== 1 || property(tree, digest, 'sha256') === noNode) return false
  const start = startOf(tree, digest + 1)
  if (kindOf(tree, digest + 1) !== 'string' || endOf(tree, digest + 1) !== start + 66) return false
  for (let at = start + 1; at < start + 65; at++) {
    const code = tree.text.charCodeAt(at)
    const isHex = (code >= 48 && code <= 57) || (code >= 97 && code <= 102)
    if (!isHex) return false
  }
  return true
}

function nothingAttested(source: Source, subject: number): Finding {
  const why =
    subject === noNode
      ? 'it has no subjects'
      : kindOf(source.tree, subject) === 'array'
        ? 'its list of subjects is empty'
        : "its subject isn't a list, and is not read"
  const message = `The statement is about nothing: ${why}.`
  return warning('subject-missing', message, placeOf(source, subject === noNode ? 0 : subject))
}

function troubleInWords(count: number, all: number, say: string): string {
  if (all === 1) return `The subject ${say}.`
  return count === 1
    ? `One of ${all} subjects ${say}.`
    : `${count} of ${all} subjects are unusual: the first ${say}.`
}

function problemOf(
  tree: JsonTree,
  node: number,
  digest: number,
  digests: readonly Digest[],
): string | undefined {
  if (kindOf(tree, node) !== 'object') return "This isn't an object, so it names nothing."
  if (digest === noNode || (kindOf(tree, digest) === 'object' && countOf(tree, digest) === 0)) {
    return 'It has no digest, so nothing can match it.'
  }
  if (kindOf(tree, digest) !== 'object')
    return "Its digest isn't an object, so nothing can match it."
  if (digests.some(({ problem }) => problem === undefined)) return undefined
  return `Nothing can match it: its digest ${digests[0]?.problem ?? 'is unusable'}.`
}

interface Digest {
  readonly algorithm: string
  readonly value: string
  /** Why it can match nothing, as a part of a sentence; undefined where it can. */
  readonly problem: string | undefined
}

/** Judges a digest by the in-toto DigestSet (docs/attestations.md#subjects): lower-case hex of the right length. */
export function judgeDigest(algorithm: string, value: string): Digest {
  return { algorithm, value, problem: digestProblem(algorithm, value) }
}

/**
 * Whether an equal digest proves little: two different files can be made that have the same MD5 or
 * SHA-1, which is what Git's names of 40 digits are too, and so it is with what a few digits are left of.
 */
export function isWeakDigest(algorithm: string, value: string): boolean {
  if (algorithm.startsWith('git')) return value.length === 40
  if (algorithm.startsWith('shake')) return value.length < 64
  return algorithm === 'sha1' || algorithm === 'md5'
}

/** The name of an algorithm as the DigestSet has it, however it is spelled; undefined if unknown. */
export function algorithmNamed(typed: string): string | undefined {
  return namesByTyped.get(spelledAlike(typed))
}

/** Lengths in hex digits; none where any will do. */
const lengths: ReadonlyMap<string, readonly number[]> = new Map([
  ['md5', [32]],
  ['sha1', [40]],
  ['sha224', [56]],
  ['sha256', [64]],
  ['sha384', [96]],
  ['sha512', [128]],
  ['sha512_224', [56]],
  ['sha512_256', [64]],
  ['sha3_224', [56]],
  ['sha3_256', [64]],
  ['sha3_384', [96]],
  ['sha3_512', [128]],
  ['shake128', []],
  ['shake256', []],
  ['blake2b', [128, 64]],
  ['blake2s', [64]],
  ['ripemd160', [40]],
  ['sm3', [64]],
  ['gost', [64]],
  ['gitCommit', [40, 64]],
  ['gitTree', [40, 64]],
  ['gitBlob', [40, 64]],
  ['gitTag', [40, 64]],
])
const namesByTyped: ReadonlyMap<string, string> = new Map(
  [...lengths.keys()].map((name) => [spelledAlike(name), name]),
)

/** SHA-256 as sha256: no two names differ in their case and their dashes alone. */
function spelledAlike(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}

function digestProblem(algorithm: string, value: string): string | undefined {
  // The versions of the specification have three names and hex; go.sum, from where it is, base64.
  if (['dirHash', 'dirHash1', 'goModuleH1'].includes(algorithm)) {
    const isHash = /^(?:[0-9a-f]{64}|(?:h1:)?[A-Za-z0-9+/]{43}=)$/.test(value)
    return isHash ? undefined : "isn't a directory hash"
  }
  const expected = lengths.get(algorithm)
  if (expected === undefined) {
    const isCase = lengths.has(algorithm.toLowerCase())
    return isCase ? 'has its algorithm in the wrong case' : 'has an unknown algorithm'
  }
  if (!/^[0-9a-f]+$/.test(value)) {
    if (/^[0-9a-f]+$/i.test(value)) return 'is uppercase'
    if (/^\s|\s$/.test(value)) return 'has spaces around it'
    return value.toLowerCase().startsWith(`${algorithm}:`)
      ? `begins with "${algorithm}:"`
      : "isn't hexadecimal"
  }
  if (expected.length === 0 || expected.includes(value.length)) return undefined
  return `has ${value.length} digits instead of ${expected.join(' or ')}`
}
