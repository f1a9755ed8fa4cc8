import type { Base64Quirk } from './base64.ts'
import {
  type Finding,
  type FindingCode,
  mistake,
  note,
  type Place,
  type PlaceOf,
  warning,
} from './finding.ts'
import {
  childrenOf,
  type JsonTree,
  keyOf,
  keyStartOf,
  sourceOf,
  startOf,
  unknownKeys,
} from './json-tree.ts'
import { inQuotes } from './visible-text.ts'

/** A parsed text with a way to say where in it something is. */
export interface Source {
  readonly tree: JsonTree
  readonly place: PlaceOf
  /** The text of the tree in `asciiOf`, where it is still at hand. */
  readonly codes?: Uint8Array
}

/** Where the value of a node begins. */
export function placeOf({ tree, place }: Source, node: number): Place {
  return place(startOf(tree, node))
}

/** Where a character of a string value stands (the value's beginning, where it has escapes). */
export function placeInText({ tree, place }: Source, node: number, offset: number): Place {
  const start = startOf(tree, node)
  return place(sourceOf(tree, node).includes('\\') ? start : start + 1 + offset)
}

/** A field that stands twice where it may stand once, as a mistake; snake case is another spelling of it. */
export function findDuplicate(
  { tree, place }: Source,
  node: number,
  fields: readonly string[],
): Finding | undefined {
  const seen = new Map<string, string>()
  for (const child of childrenOf(tree, node)) {
    const key = keyOf(tree, child) ?? ''
    const field = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (!fields.includes(field)) continue
    const first = seen.get(field)
    if (first !== undefined) {
      const what =
        first === key
          ? `Duplicate field "${key}" in one object.`
          : `One object has both "${first}" and "${key}", two spellings of the same field.`
      const message = `${what} Programs differ on which one they use, so neither can be trusted.`
      return mistake('duplicate-field', message, place(keyStartOf(tree, child)))
    }
    seen.set(field, key)
  }
  return undefined
}

/** The names of fields beyond the known ones, and a note that says them. */
export function extraFields(
  source: Source,
  node: number,
  what: string,
  known: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly findings: readonly Finding[] } {
  const names = unknownKeys(source.tree, node, known)
  if (names.length === 0) return { names, findings: [] }
  const quoted = names.slice(0, 8).map((name) => inQuotes(name, 60))
  const more = names.length > quoted.length ? ` and ${names.length - quoted.length} more` : ''
  const message = `The ${what} has fields beyond the standard; they are allowed and count for nothing: ${quoted.join(', ')}${more}.`
  return { names, findings: [note('extra-fields', message, placeOf(source, node))] }
}

/** One finding that names the quirks of a base64 text, if any; URL-safe alone is as good as standard. */
export function base64Findings(
  code: FindingCode,
  what: string,
  quirks: readonly Base64Quirk[],
  at: Place,
): Finding[] {
  if (quirks.length === 0) return []
  const named = quirks.map((quirk) => inWords[quirk]).join(', ')
  const message = `${what} ${named}; it was decoded anyway.`
  const isHarmless = quirks.every((quirk) => quirk === 'url-alphabet')
  return [isHarmless ? note(code, message, at) : warning(code, message, at)]
}

const inWords: Readonly<Record<Base64Quirk, string>> = {
  'url-alphabet': 'is in URL-safe base64',
  'mixed-alphabets': 'mixes both base64 alphabets',
  'missing-padding': 'has no base64 padding ("=")',
  whitespace: 'has spaces or line breaks inside its base64',
  'trailing-bits': 'has leftover bits after its last byte (not canonical base64)',
}
