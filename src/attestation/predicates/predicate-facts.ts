import {
  atPath,
  childrenOf,
  countOf,
  endOf,
  type JsonTree,
  keyOf,
  kindOf,
  noNode,
  sourceOf,
  startOf,
  stringOf,
} from '../decode/json-tree.ts'
import { cutText } from '../../protocol/untrusted-text.ts'
import { digestsAt } from '../statement/subjects.ts'

/** How a value is to be shown. Only what `safeLink` accepts ever becomes a link, whatever its kind. */
type FactKind = 'text' | 'uri' | 'digest' | 'time' | 'purl' | 'buildId'

/** One thing an attestation says: text from the envelope as it is, to be shown as text. */
export interface Fact {
  readonly label: string
  readonly value: string
  readonly kind: FactKind
  /** What is wrong with the value, as a sentence; undefined where nothing is. */
  readonly remark: string | undefined
}

export interface FactItem {
  readonly value: string
  readonly kind: FactKind
  readonly remark: string | undefined
  readonly details: readonly Fact[]
}

/** A list of any length: entries are read on demand, and none are copied. */
export interface FactList {
  readonly label: string
  readonly length: number
  /** The entry at an index from 0 to `length - 1`. */
  at(index: number): FactItem
}

/** An entry that is text. */
export function item(value: string, details: readonly Fact[] = []): FactItem {
  return { value, kind: 'text', remark: undefined, details }
}

/** A place in a payload that a reader looks at; `noNode` for one that is not there. */
export interface Part {
  readonly tree: JsonTree
  readonly node: number
  /** Of a predicate: the keys that were looked at. */
  readonly seen?: Set<string>
}

/** The part at the end of a path of keys. */
export function partAt({ tree, node, seen }: Part, ...path: readonly string[]): Part {
  if (path[0] !== undefined) seen?.add(path[0])
  return { tree, node: atPath(tree, node, ...path) }
}

/** The text of a scalar (the digits of a number as written), or undefined for anything else. */
export function scalarOf({ tree, node }: Part): string | undefined {
  const kind = kindOf(tree, node)
  if (kind === 'string') return stringOf(tree, node)
  return kind === 'number' || kind === 'true' || kind === 'false' ? sourceOf(tree, node) : undefined
}

/**
 * The value at the end of a path as a row, or no row where it is missing, null or empty. A list or an
 * object where one value belongs is shown as its JSON, with a remark.
 */
export function fact(
  part: Part,
  label: string,
  kind: FactKind,
  ...path: readonly string[]
): Fact[] {
  const found = partAt(part, ...path)
  const value = valueOf(found, kind)
  return value === undefined || value.value === '' ? [] : [{ label, ...value }]
}

/** A row that was made rather than read. */
export function textFact(label: string, value: string, remark?: string): Fact {
  return { label, value, kind: 'text', remark }
}

/** A part as its JSON; no row where it is missing or null. */
export function jsonFact(part: Part, label: string): Fact[] {
  const kind = kindOf(part.tree, part.node)
  return kind === undefined || kind === 'null' ? [] : [textFact(label, shortJson(part))]
}

/** A row that says that an array is there and empty, which is a claim of its own. */
export function noneOf(part: Part, label: string, ...path: readonly string[]): Fact[] {
  const { tree, node } = partAt(part, ...path)
  const isEmpty = kindOf(tree, node) === 'array' && countOf(tree, node) === 0
  return isEmpty ? [textFact(label, 'none')] : []
}

/** The members of an array as a list; none where there are none. */
export function list(
  part: Part,
  label: string,
  kind: FactKind,
  ...path: readonly string[]
): FactList[] {
  return listOf(partAt(part, ...path), label, (item) => ({
    ...(valueOf(item, kind) ?? nothing),
    details: [],
  }))
}

/** The members of a container as a list of what `read` makes of each; a scalar is a list of itself. */
export function listOf(part: Part, label: string, read: (item: Part) => FactItem): FactList[] {
  const { tree, node } = part
  const value = scalarOf(part) ?? ''
  if (value !== '') {
    const remark = 'A single value where several are expected.'
    return [{ label, length: 1, at: () => ({ ...item(value), remark }) }]
  }
  const length = countOf(tree, node)
  if (length === 0) return []
  let nodes: Int32Array | undefined
  const at = (index: number) => {
    nodes ??= Int32Array.from(childrenOf(tree, node))
    return read({ tree, node: nodes[index] ?? noNode })
  }
  return [{ label, length, at }]
}

/** How a value of a kind is shown, wherever it was found; undefined for a missing one and null. */
export function valueOf(part: Part, kind: FactKind): Omit<FactItem, 'details'> | undefined {
  const { tree, node } = part
  if (node === noNode || kindOf(tree, node) === 'null') return undefined
  const value = scalarOf(part)
  if (value !== undefined) return { value, kind, remark: remarkOn(value, kind) }
  const what = kindOf(tree, node) === 'array' ? 'A list' : 'An object'
  const remark = `${what} where a single value is expected.`
  return { value: shortJson(part), kind: 'text', remark }
}

/** Any value as one entry, its kind guessed from how it looks. */
export function anyItem(part: Part): FactItem {
  const value = scalarOf(part)
  return value === undefined
    ? item(shortJson(part))
    : {
        value: value === '' ? '""' : value,
        kind: likelyKind(value),
        remark: undefined,
        details: [],
      }
}

/** Any member of an object as one entry: its key, with its value beside it. */
export function anyMember(part: Part): FactItem {
  const { value, kind, remark } = anyItem(part)
  const details = [{ label: 'Value', value, kind, remark }]
  return item(keyAt(part), details)
}

/** What a value looks like where nothing says what it is. */
export function likelyKind(value: string): FactKind {
  if (/^https?:\/\//i.test(value)) return 'uri'
  if (/^pkg:/i.test(value) && purlProblem(value) === undefined) return 'purl'
  if (/^sha(?:1|256|384|512):[0-9a-f]+$/.test(value)) return 'digest'
  return timeProblem(value) === undefined ? 'time' : 'text'
}

/** The key of a part in its object. */
export function keyAt({ tree, node }: Part): string {
  return keyOf(tree, node) ?? ''
}

/** The JSON of a part, at most `most` characters of it. */
export function shortJson({ tree, node }: Part, most = 400): string {
  const start = startOf(tree, node)
  const end = endOf(tree, node)
  // A string of JSON has no line breaks of its own: these are of the layout.
  const text = cutText(tree.text.slice(start, end), most).replace(/[\r\n]+\s*/g, ' ')
  return end - start > most ? `${text}…` : text
}

const nothing = { value: 'null', kind: 'text', remark: 'No value.' } as const

function remarkOn(value: string, kind: FactKind): string | undefined {
  if (kind === 'time') return timeProblem(value)
  return kind === 'purl' ? purlProblem(value) : undefined
}

/** What one kind of predicate means, and how to read it. */
export interface PredicateReader {
  readonly name: string
  /** The predicate type URIs it reads, exactly as they are written. */
  readonly types: readonly string[]
  /** What such an attestation shows if it holds, in one sentence. */
  readonly proves: string
  /** Keys that need no showing though `read` passes them over; what else it does is shown as it stands. */
  readonly hidden?: readonly string[]
  /** Never throws: what is missing is left out, what is wrong is shown as text with a remark. */
  readonly read: (predicate: Part) => {
    readonly rows: readonly Fact[]
    readonly lists: readonly FactList[]
  }
}

/**
 * What is wrong with a timestamp as a sentence, or undefined where it is one of RFC 3339: a day that
 * exists, a time with a zone, a year a build may have been in. No clock is read. A leap second is one, too,
 * though `Date.parse` knows none.
 */
export function timeProblem(text: string): string | undefined {
  const match = form.exec(text)
  if (!match) return "This isn't an RFC 3339 timestamp, such as 2026-01-31T12:00:00Z."
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', zone] = match
  if (zone === undefined) return 'The timestamp has no time zone, so it may be off by up to a day.'
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const isDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  const [, ahead = '', past = ''] = /^[+-](\d\d):(\d\d)$/.exec(zone) ?? []
  const isTime =
    [hour, ahead].every((one) => Number(one) < 24) &&
    [minute, past].every((one) => Number(one) < 60) &&
    Number(second) <= 60
  if (!isDay || !isTime) return "This date or time doesn't exist."
  // Go writes the year 1 for a time that was never set; no build ran in 1969 or will in 2200.
  const isPlausible = Number(year) >= 1970 && Number(year) < 2200
  return isPlausible ? undefined : `The year ${year} is implausible.`
}

const form = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d{1,12})?(Z|z|[+-]\d\d:\d\d)?$/

/** A package URL cut at its version: enough to distinguish packages. */
interface PurlParts {
  /** Type, namespace, name, qualifiers and subpath: what names the package, as written. */
  readonly package: string
  /** As written, percent-encoding and all; "" where there is none. */
  readonly version: string
}

/**
 * Cuts a package URL at its version, or says undefined where it is none. Nothing is decoded or made
 * canonical: two spellings of one package count as two (scheme and type aside, which have no case).
 */
export function purlParts(text: string): PurlParts | undefined {
  const match = scheme.exec(text)
  if (!match || text.length > longest) return undefined
  const rest = text.slice(match[0].length)
  const tail = rest.search(/[?#]/)
  const path = tail === -1 ? rest : rest.slice(0, tail)
  const slash = path.indexOf('/')
  // An @ before the last slash belongs to a scope: pkg:npm/@scope/name.
  const at = path.lastIndexOf('@')
  const hasVersion = at > path.lastIndexOf('/') + 1
  const name = hasVersion ? path.slice(0, at) : path
  if (slash === -1 || name.endsWith('/')) return undefined
  const qualifiers = tail === -1 ? '' : rest.slice(tail)
  const named = `pkg:${name.slice(0, slash).toLowerCase()}${name.slice(slash)}${qualifiers}`
  return { package: named, version: hasVersion ? path.slice(at + 1) : '' }
}

/** What is wrong with a package URL as a sentence, or undefined where nothing is. */
export function purlProblem(text: string): string | undefined {
  if (text.length > longest) return `This package URL is too long (${text.length} characters).`
  if (purlParts(text) === undefined)
    return "This isn't a package URL (pkg:type/namespace/name@version)."
  if (/%(?![0-9a-f]{2})/i.test(text))
    return "It has a percent sign that isn't followed by two hexadecimal digits."
  if (/%2f/i.test(text.split(/[?#]/, 1)[0] ?? '')) {
    return 'It contains an encoded slash ("%2F") in its path, which may be misleading.'
  }
  return /[\s<>"]/.test(text) ? 'It contains characters that a package URL must encode.' : undefined
}

/** Longer than any that were ever seen, by far. */
const longest = 4_096
const scheme = /^pkg:\/{0,2}(?=[A-Za-z][A-Za-z0-9.+-]*\/)/i

/** A resource descriptor (in-toto attestation spec v1) as one entry of a list. */
export function descriptor(part: Part): FactItem {
  if (kindOf(part.tree, part.node) !== 'object') {
    const value = scalarOf(part) ?? shortJson(part)
    return { value, kind: 'text', remark: "This isn't a resource descriptor.", details: [] }
  }
  const name = ['uri', 'name', 'downloadLocation', 'mediaType'].find(
    (key) => (scalarOf(partAt(part, key)) ?? '') !== '',
  )
  const value = name === undefined ? '' : (scalarOf(partAt(part, name)) ?? '')
  const kind = value.startsWith('pkg:')
    ? 'purl'
    : name === 'uri' || name === 'downloadLocation'
      ? 'uri'
      : 'text'
  const others = ['name', 'uri', 'downloadLocation', 'mediaType'].filter((key) => key !== name)
  return {
    value: value === '' ? '(no name)' : value,
    kind,
    remark: undefined,
    details: [
      ...digestFacts(partAt(part, 'digest')),
      ...others.flatMap((key) => fact(part, labels[key] ?? key, 'text', key)),
    ],
  }
}

/** The descriptors of an array as a list. */
export function descriptors(part: Part, label: string, ...path: readonly string[]): FactList[] {
  return listOf(partAt(part, ...path), label, descriptor)
}

/** A digest set as rows such as `sha256: 9f86…`. */
export function digestFacts(part: Part): Fact[] {
  return digestsAt(part.tree, part.node).map(({ algorithm, value, problem }) => ({
    label: 'Digest',
    value: `${algorithm}:${value}`,
    kind: 'digest',
    remark: problem === undefined ? undefined : `This digest ${problem}.`,
  }))
}

const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  uri: 'URI',
  downloadLocation: 'Download',
  mediaType: 'Media type',
}
