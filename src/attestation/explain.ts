import {
  anyItem,
  anyMember,
  fact,
  type Fact,
  type FactList,
  likelyKind,
  listOf,
  type Part,
  type PredicateReader,
  scalarOf,
  shortJson,
  textFact,
} from './predicates/predicate-facts.ts'
import { childrenOf, keyOf, kindOf, noNode, type JsonTree } from './decode/json-tree.ts'
import { knownTypes, readerOf, typeNear } from './predicates/predicate-types.ts'
import { link } from './predicates/in-toto.ts'
import { layout } from './predicates/supply-chain.ts'
import type { Statement } from './statement/statement.ts'

/** What an attestation says, ready to be shown. Its signatures decide whether it is true. */
export interface Explanation {
  /** The kind of attestation, such as "SLSA provenance v1". */
  readonly name: string
  /** What it shows if its signature holds and its signer is trusted, in one sentence. */
  readonly proves: string
  /** Of an unknown type, the known one that may be meant. */
  readonly near: { readonly type: string; readonly name: string } | undefined
  readonly isKnown: boolean
  readonly rows: readonly Fact[]
  readonly lists: readonly FactList[]
  /** Of these, what stands where its type says: other fields may have any name. */
  readonly read: { readonly rows: readonly Fact[]; readonly lists: readonly FactList[] }
}

const nothingRead = { rows: [], lists: [] }

/**
 * Explains a statement by the reader of its predicate type; of types without one, the fields as they
 * stand. Never throws, whatever the predicate holds. Lists stay in the tree and are read on demand.
 */
export function explain(tree: JsonTree, statement: Statement): Explanation {
  const predicate = { tree, node: statement.predicate }
  if (statement.predicateType === undefined && statement.predicate === noNode) {
    return withoutPredicate({ tree, node: 0 }, statement._type?.toLowerCase())
  }
  const type = statement.predicateType ?? ''
  const reader = readerOf(type)
  if (reader) return viewed(reader, predicate)
  const known = knownTypes.find(({ types }) => types.includes(type))
  const near = known || type === '' ? undefined : typeNear(type)
  const { rows, lists } = otherFields(predicate, () => false)
  return {
    name: known?.name ?? 'Unknown kind of attestation',
    proves: known?.proves ?? unknownProves(type, near?.type),
    near,
    isKnown: known !== undefined,
    rows: [...wrongPredicate(predicate), ...rows],
    lists,
    read: nothingRead,
  }
}

/** What in-toto signed before there were statements, and all else that has a type and no predicate. */
function withoutPredicate(whole: Part, type: string | undefined): Explanation {
  if (type === 'link') return viewed(link, whole)
  if (type === 'layout') return viewed(layout, whole)
  return {
    name: 'Unknown kind of attestation',
    proves: unknownProves('', undefined),
    near: undefined,
    isKnown: false,
    ...otherFields(whole, (key) => statementFields.has(key)),
    read: nothingRead,
  }
}

const statementFields: ReadonlySet<string> = new Set(['_type', 'type', 'subject'])

function viewed(reader: PredicateReader, predicate: Part): Explanation {
  const seen = new Set(reader.hidden)
  const view = reader.read({ ...predicate, seen })
  const shown = new Set([
    ...view.rows.map(({ value }) => value),
    ...view.lists.map((list) => list.at(0).value),
  ])
  const hidden = new Set(reader.hidden)
  // A text where an object belongs is shown nowhere, though its key was looked at.
  const rest = otherFields(predicate, (key, part) => {
    const value = scalarOf(part)
    return hidden.has(key) || (seen.has(key) && (value === undefined || shown.has(value)))
  })
  const wrong = wrongPredicate(predicate)
  return {
    name: reader.name,
    proves: reader.proves,
    near: undefined,
    isKnown: true,
    rows: [...wrong, ...view.rows, ...rest.rows],
    lists: [...view.lists, ...rest.lists],
    read: { rows: view.rows, lists: view.lists },
  }
}

/** Where no object stands, there is nothing for a reader to read. */
function wrongPredicate(predicate: Part): Fact[] {
  const kind = kindOf(predicate.tree, predicate.node)
  if (kind === undefined || kind === 'null' || kind === 'object') return []
  return [textFact('Predicate', shortJson(predicate), "The predicate isn't an object.")]
}

function unknownProves(type: string, near: string | undefined): string {
  if (type === '')
    return "It doesn't say what kind of claim it makes, so it proves nothing by itself."
  const ending = near === undefined ? '.' : `. It may be meant to be ${near}.`
  return `Sightline doesn't know this type of claim${ending}`
}

const mostFields = 200

/** The fields that no reader has shown: values as rows, lists and objects as lists. */
function otherFields(
  predicate: Part,
  isShown: (key: string, part: Part) => boolean,
): { readonly rows: readonly Fact[]; readonly lists: readonly FactList[] } {
  const { tree, node } = predicate
  const rows: Fact[] = []
  const lists: FactList[] = []
  if (kindOf(tree, node) !== 'object') return { rows, lists }
  for (const child of childrenOf(tree, node)) {
    const key = keyOf(tree, child) ?? ''
    const part = { tree, node: child }
    if (isShown(key, part)) continue
    if (rows.length + lists.length >= mostFields) {
      rows.push(textFact('…', 'More fields are shown in the payload.'))
      break
    }
    const kind = kindOf(tree, child)
    if (kind === 'array') lists.push(...listOf(part, key, anyItem))
    else if (kind === 'object') lists.push(...listOf(part, key, anyMember))
    else rows.push(...fact(part, key, likelyKind(scalarOf(part) ?? '')))
  }
  return { rows, lists }
}
