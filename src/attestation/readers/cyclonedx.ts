import { fact, listOf, partAt, scalarOf, valueOf, type FactItem, type Part } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { unwrapped } from './cosign-data.ts'

export const cyclonedx: PredicateReader = {
  name: 'CycloneDX bill of materials',
  types: [
    'https://cyclonedx.org/bom',
    'https://cyclonedx.org/schema',
    ...['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].map((v) => `https://cyclonedx.org/bom/v${v}`),
    ...['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].map((v) => `https://cyclonedx.org/BOM/v${v}`),
  ],
  proves: 'The package is made of these components, as the tool that looked at it found.',
  keys: [
    '$schema',
    'bomFormat',
    'specVersion',
    'serialNumber',
    'version',
    'metadata',
    'components',
    'vulnerabilities',
    'Data',
  ],
  read: (outer) => {
    const { document: predicate, rows } = unwrapped(outer)
    return {
      rows: [
        ...fact(predicate, 'About', 'text', 'metadata', 'component', 'name'),
        ...fact(predicate, 'Version', 'text', 'metadata', 'component', 'version'),
        ...fact(predicate, 'Package', 'purl', 'metadata', 'component', 'purl'),
        ...fact(predicate, 'Created', 'time', 'metadata', 'timestamp'),
        ...fact(predicate, 'Specification', 'text', 'specVersion'),
        ...fact(predicate, 'Serial number', 'text', 'serialNumber'),
        ...rows,
      ],
      lists: [
        ...listOf(partAt(predicate, 'components'), 'Components', component),
        ...listOf(partAt(predicate, 'vulnerabilities'), 'Vulnerabilities', (vulnerability) => ({
          value: scalarOf(partAt(vulnerability, 'id')) ?? '(no id)',
          kind: 'text',
          remark: undefined,
          details: [
            ...fact(vulnerability, 'Source', 'uri', 'source', 'url'),
            ...fact(vulnerability, 'Analysis', 'text', 'analysis', 'state'),
            ...fact(vulnerability, 'Description', 'text', 'description'),
          ],
        })),
      ],
    }
  },
}

function component(part: Part): FactItem {
  const purl = valueOf(partAt(part, 'purl'), 'purl')
  const name = scalarOf(partAt(part, 'name')) ?? '(no name)'
  return {
    ...(purl ?? { value: name, kind: 'text', remark: undefined }),
    details: [
      ...fact(part, 'Name', 'text', 'name'),
      ...fact(part, 'Version', 'text', 'version'),
      ...fact(part, 'Type', 'text', 'type'),
    ],
  }
}
