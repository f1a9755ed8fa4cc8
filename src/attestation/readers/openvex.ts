import { fact, listOf, partAt, scalarOf, told, type Fact, type Part } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'

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
  const all = listOf(part, 'Products', (product) => ({
    value: scalarOf(product) ?? scalarOf(partAt(product, '@id')) ?? '(not named)',
    kind: 'purl',
    remark: undefined,
    details: [],
  }))[0]
  if (!all) return []
  const shown = Array.from({ length: Math.min(all.length, mostProducts) }, (_, at): Fact => {
    const { value, remark } = all.at(at)
    return { label: 'Product', value, kind: value.startsWith('pkg:') ? 'purl' : 'text', remark }
  })
  const more = all.length - shown.length
  return more > 0 ? [...shown, told('Product', `and ${more} more`)] : shown
}
