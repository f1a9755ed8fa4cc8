import { anyMember, fact, keyAt, list, listOf, partAt, type FactList, type Part } from '../facts.ts'
import { kindOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptors, digestFacts } from './resource-descriptor.ts'

export const link: PredicateReader = {
  name: 'in-toto link',
  types: [
    'https://in-toto.io/attestation/link/v0.3',
    'https://in-toto.io/Link/v1',
    'https://in-toto.io/Link/v0.2',
    'https://in-toto.io/Link/v0.1',
  ],
  proves: 'This step of the supply chain ran this command on these materials.',
  keys: ['_type', 'name', 'command', 'materials', 'products', 'byproducts', 'environment'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Step', 'text', 'name'),
      ...fact(predicate, 'Exit code', 'text', 'byproducts', 'return-value'),
    ],
    lists: [
      ...list(predicate, 'Command', 'text', 'command'),
      ...artifacts(predicate, 'Materials', 'materials'),
      ...artifacts(predicate, 'Products', 'products'),
      ...listOf(partAt(predicate, 'byproducts'), 'By-products', anyMember),
      ...listOf(partAt(predicate, 'environment'), 'Environment', anyMember),
    ],
  }),
}

/** Up to v0.2 an object from path to digests; then a list of resource descriptors. */
function artifacts(predicate: Part, label: string, key: string): FactList[] {
  const part = partAt(predicate, key)
  if (kindOf(part.tree, part.node) === 'array') return descriptors(part, label)
  return listOf(part, label, (artifact) => ({
    value: keyAt(artifact),
    kind: 'text',
    remark: undefined,
    details: digestFacts(artifact),
  }))
}
