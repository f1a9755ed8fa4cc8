import { kindOf } from '../decode/json-tree.ts'
import {
  anyMember,
  descriptor,
  descriptors,
  digestFacts,
  type Fact,
  fact,
  type FactList,
  item,
  jsonFact,
  keyAt,
  list,
  listOf,
  type Part,
  partAt,
  type PredicateReader,
  scalarOf,
} from './predicate-facts.ts'

export const link: PredicateReader = {
  name: 'in-toto link',
  types: [
    'https://in-toto.io/attestation/link/v0.3',
    'https://in-toto.io/Link/v1',
    'https://in-toto.io/Link/v0.2',
    'https://in-toto.io/Link/v0.1',
  ],
  proves: 'This step of the supply chain ran this command on these materials.',
  hidden: ['_type'],
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
  return listOf(part, label, (artifact) => item(keyAt(artifact), digestFacts(artifact)))
}

export const scai: PredicateReader = {
  name: 'SCAI attributes',
  types: [
    'https://in-toto.io/attestation/scai/v0.3',
    'https://in-toto.io/attestation/scai/attribute-report/v0.2',
    'https://in-toto.io/attestation/scai/attribute-report/v0.1',
  ],
  proves: 'The producer asserts these attributes of the package, each with its evidence.',
  read: (predicate) => ({
    rows: descriptorFacts(partAt(predicate, 'producer'), 'Producer'),
    lists: listOf(partAt(predicate, 'attributes'), 'Attributes', (attribute) =>
      item(scalarOf(partAt(attribute, 'attribute')) ?? '(no name)', [
        ...descriptorFacts(partAt(attribute, 'target'), 'Of'),
        ...descriptorFacts(partAt(attribute, 'evidence'), 'Evidence'),
        ...jsonFact(partAt(attribute, 'conditions'), 'Conditions'),
      ]),
    ),
  }),
}

function descriptorFacts(part: Part, label: string): Fact[] {
  if (kindOf(part.tree, part.node) === undefined) return []
  const { value, kind, remark, details } = descriptor(part)
  return [{ label, value, kind, remark }, ...details]
}

export const release: PredicateReader = {
  name: 'Release',
  types: [
    'https://in-toto.io/attestation/release/v0.1',
    'https://in-toto.io/attestation/release/v0.2',
  ],
  proves: 'The registry released these files together as this version of the package.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Package', 'purl', 'purl'),
      ...fact(predicate, 'Release', 'text', 'releaseId'),
      ...fact(predicate, 'Package ID', 'text', 'packageId'),
      ...fact(predicate, 'Tag', 'text', 'tag'),
      ...fact(predicate, 'Repository', 'text', 'repository'),
      ...fact(predicate, 'Repository ID', 'text', 'repositoryId'),
      ...fact(predicate, 'Owner ID', 'text', 'ownerId'),
      ...fact(predicate, 'Database ID', 'text', 'databaseId'),
    ],
    lists: [],
  }),
}

export const testResult: PredicateReader = {
  name: 'Test result',
  types: ['https://in-toto.io/attestation/test-result/v0.1'],
  proves: 'These tests were run on the package in this configuration, with this result.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Result', 'text', 'result').map((row) =>
        ['PASSED', 'WARNED', 'FAILED'].includes(row.value)
          ? row
          : { ...row, remark: "The result isn't PASSED, WARNED or FAILED." },
      ),
      ...fact(predicate, 'Report', 'uri', 'url'),
    ],
    lists: [
      ...list(predicate, 'Failed tests', 'text', 'failedTests'),
      ...list(predicate, 'Tests with warnings', 'text', 'warnedTests'),
      ...list(predicate, 'Passed tests', 'text', 'passedTests'),
      ...descriptors(predicate, 'Configuration', 'configuration'),
    ],
  }),
}

export const npmPublish: PredicateReader = {
  name: 'npm publish',
  types: ['https://github.com/npm/attestation/tree/main/specs/publish/v0.1'],
  proves: 'The registry accepted this package under this name and version.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Package', 'text', 'name'),
      ...fact(predicate, 'Version', 'text', 'version'),
      ...fact(predicate, 'Registry', 'uri', 'registry'),
    ],
    lists: [],
  }),
}

/** Its predicate is empty: that it was signed by the certificate's identity is all it says. */
export const pypiPublish: PredicateReader = {
  name: 'PyPI publish',
  types: ['https://docs.pypi.org/attestations/publish/v1'],
  proves:
    'The distribution was uploaded to PyPI by the identity in the certificate. The predicate itself is empty.',
  read: () => ({ rows: [], lists: [] }),
}
