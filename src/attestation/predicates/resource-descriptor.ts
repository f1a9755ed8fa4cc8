import { digestsAt } from '../statement/subjects.ts'
import {
  fact,
  listOf,
  partAt,
  scalarOf,
  shortJson,
  type Fact,
  type FactItem,
  type FactList,
  type Part,
} from './predicate-facts.ts'
import { kindOf } from '../decode/json-tree.ts'

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
