import {
  fact,
  listOf,
  partAt,
  scalarOf,
  told,
  type Fact,
  type FactList,
  type Part,
} from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { purlProblem } from '../purl-parts.ts'

export const openvex: PredicateReader = {
  name: 'OpenVEX',
  types: [
    'https://openvex.dev/ns',
    ...['v0.0.1', 'v0.1.0', 'v0.2.0'].map((v) => `https://openvex.dev/ns/${v}`),
  ],
  proves: 'Its author says which vulnerabilities affect the package and which do not, and why.',
  keys: [
    '@context',
    '@id',
    'author',
    'role',
    'timestamp',
    'last_updated',
    'version',
    'tooling',
    'statements',
  ],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Author', 'text', 'author'),
      ...fact(predicate, 'Role', 'text', 'role'),
      ...fact(predicate, 'Written', 'time', 'timestamp'),
      ...fact(predicate, 'Updated', 'time', 'last_updated'),
      ...fact(predicate, 'Version', 'text', 'version'),
      ...fact(predicate, 'Document', 'uri', '@id'),
      ...fact(predicate, 'Tooling', 'text', 'tooling'),
    ],
    lists: listOf(partAt(predicate, 'statements'), 'Statements', (statement) => ({
      value: nameOf(partAt(statement, 'vulnerability')),
      kind: 'text',
      remark: undefined,
      details: [
        ...fact(statement, 'Status', 'text', 'status'),
        ...fact(statement, 'Justification', 'text', 'justification'),
        ...fact(statement, 'Impact', 'text', 'impact_statement'),
        ...fact(statement, 'Action', 'text', 'action_statement'),
        ...fact(statement, 'Written', 'time', 'timestamp'),
        ...products(partAt(statement, 'products')),
      ],
    })),
  }),
}

/** A name in older versions, an object with one in newer ones. */
function nameOf(part: Part): string {
  return (
    scalarOf(part) ??
    scalarOf(partAt(part, 'name')) ??
    scalarOf(partAt(part, '@id')) ??
    '(not named)'
  )
}

const mostProducts = 20

function products(part: Part): Fact[] {
  const all = named(part)
  if (!all) return []
  const shown: Fact[] = []
  for (let at = 0; at < all.length && shown.length < mostProducts; at++) {
    const { value, details } = all.at(at)
    shown.push(product('Product', value), ...details)
  }
  const more = all.length - shown.filter(({ label }) => label === 'Product').length
  return more > 0 ? [...shown, told('Product', `and ${more} more`)] : shown
}

/** Products by their names, each with the components inside it that the statement is about. */
function named(part: Part): FactList | undefined {
  return listOf(part, 'Products', (one) => {
    const inside = listOf(partAt(one, 'subcomponents'), '', (component) => ({
      value: nameOf(component),
      kind: 'text',
      remark: undefined,
      details: [],
    }))[0]
    const components = Array.from(
      { length: Math.min(inside?.length ?? 0, mostProducts) },
      (_, at) => product('In it', inside?.at(at).value ?? ''),
    )
    return { value: nameOf(one), kind: 'text', remark: undefined, details: components }
  })[0]
}

function product(label: string, value: string): Fact {
  return value.startsWith('pkg:')
    ? { label, value, kind: 'purl', remark: purlProblem(value) }
    : told(label, value)
}
