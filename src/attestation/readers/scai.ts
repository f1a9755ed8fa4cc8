import { listOf, partAt, scalarOf, shortJson, told, type Fact, type Part } from '../facts.ts'
import { kindOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptor } from './resource-descriptor.ts'

export const scai: PredicateReader = {
  name: 'SCAI attributes',
  types: [
    'https://in-toto.io/attestation/scai/v0.3',
    'https://in-toto.io/attestation/scai/attribute-report/v0.2',
    'https://in-toto.io/attestation/scai/attribute-report/v0.1',
  ],
  proves: 'The producer asserts these attributes of the package, each with its evidence.',
  keys: ['attributes', 'producer'],
  read: (predicate) => ({
    rows: descriptorFacts(partAt(predicate, 'producer'), 'Producer'),
    lists: listOf(partAt(predicate, 'attributes'), 'Attributes', (attribute) => ({
      value: scalarOf(partAt(attribute, 'attribute')) ?? '(not named)',
      kind: 'text',
      remark: undefined,
      details: [
        ...descriptorFacts(partAt(attribute, 'target'), 'Of'),
        ...descriptorFacts(partAt(attribute, 'evidence'), 'Evidence'),
        ...conditions(partAt(attribute, 'conditions')),
      ],
    })),
  }),
}

function descriptorFacts(part: Part, label: string): Fact[] {
  if (kindOf(part.tree, part.node) === undefined) return []
  const { value, kind, remark, details } = descriptor(part)
  return [{ label, value, kind, remark }, ...details]
}

function conditions(part: Part): Fact[] {
  const kind = kindOf(part.tree, part.node)
  if (kind === undefined || kind === 'null') return []
  return [told('Conditions', shortJson(part))]
}
