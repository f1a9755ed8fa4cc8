import { fact, keyAt, listOf, partAt, shortJson, told, type Fact, type Part } from '../facts.ts'
import { childrenOf, keyOf, kindOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { purlProblem } from '../purl-parts.ts'
import { serviceTypes } from './service-types.ts'

export const dependencyInsights: PredicateReader = {
  name: 'Dependency insights',
  types: [
    'https://policies.gradle.com/dependency-insights/v1',
    ...serviceTypes('dependency-insights/v1'),
  ],
  proves:
    'At this time, this was known about the dependencies of the package: versions, vulnerabilities, licences.',
  keys: ['forAttestationUri', 'sourcedFromUrn', 'verifiedTime', 'purls'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Known at', 'time', 'verifiedTime'),
      ...fact(predicate, 'About the attestation', 'uri', 'forAttestationUri'),
      ...fact(predicate, 'Sourced from', 'text', 'sourcedFromUrn'),
    ],
    lists: listOf(partAt(predicate, 'purls'), 'Dependencies', (insight) => ({
      value: keyAt(insight),
      kind: 'purl',
      remark: purlProblem(keyAt(insight)),
      details: [
        ...fact(insight, 'Current version', 'text', 'versions', 'current', 'version'),
        ...fact(insight, 'Published', 'time', 'versions', 'current', 'publishedTime'),
        ...otherFacts(insight),
      ],
    })),
  }),
}

/** What else is known of a dependency: its shape differs from one source of insight to the next. */
function otherFacts({ tree, node }: Part): Fact[] {
  if (kindOf(tree, node) !== 'object') return []
  const facts: Fact[] = []
  for (const child of childrenOf(tree, node)) {
    const key = keyOf(tree, child) ?? ''
    if (key !== 'versions') facts.push(told(key, shortJson({ tree, node: child })))
  }
  return facts
}
