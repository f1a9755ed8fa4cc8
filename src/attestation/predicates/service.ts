import { childrenOf, keyOf, kindOf } from '../decode/json-tree.ts'
import {
  fact,
  item,
  type Fact,
  jsonFact,
  keyAt,
  list,
  listOf,
  noneOf,
  type Part,
  partAt,
  type PredicateReader,
  purlProblem,
  scalarOf,
  shortJson,
  textFact,
} from './predicate-facts.ts'

/** Both spellings of a type of the attestation service: documents say one, its clients the other. */
function serviceTypes(slug: string): string[] {
  return [`https://gradle.com/attestation/${slug}`, `https://gradle.com/attestations/${slug}`]
}

export const buildTool: PredicateReader = {
  name: 'Build tool',
  types: serviceTypes('build-tool/v1'),
  proves: 'The package was built by this build tool in this version, as its build scan recorded.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build tool', 'text', 'toolType'),
      ...fact(predicate, 'Version', 'text', 'toolVersion'),
      ...fact(predicate, 'Agent version', 'text', 'agentVersion'),
      ...fact(predicate, 'Build', 'buildId', 'buildId'),
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
    ],
    lists: [],
  }),
}

export const javaToolchains: PredicateReader = {
  name: 'Java toolchains',
  types: [...serviceTypes('java-toolchains/v1'), ...serviceTypes('jvm/v1')],
  proves: 'The package was compiled and tested with Java of these vendors and versions only.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Toolchains', 'toolchains'),
    ],
    lists: listOf(partAt(predicate, 'toolchains'), 'Toolchains', (toolchain) => {
      const [versions] = list(toolchain, 'Version', 'text', 'versions')
      const shown = Array.from({ length: Math.min(versions?.length ?? 0, 50) }, (_, at) => {
        const { value = '', remark } = versions?.at(at) ?? {}
        return textFact('Version', value, remark)
      })
      return item(scalarOf(partAt(toolchain, 'vendor')) ?? '(no vendor)', shown)
    }),
  }),
}

export const dependencyInsights: PredicateReader = {
  name: 'Dependency insights',
  types: [
    'https://policies.gradle.com/dependency-insights/v1',
    ...serviceTypes('dependency-insights/v1'),
  ],
  proves:
    "What was known about the package's dependencies at this time: versions, vulnerabilities and licenses.",
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
    if (key !== 'versions') facts.push(textFact(key, shortJson({ tree, node: child })))
  }
  return facts
}

export const dependencyRepositories: PredicateReader = {
  name: 'Dependency repositories',
  types: [
    ...serviceTypes('resolved-dependencies-repositories/v1'),
    ...serviceTypes('repository/v1'),
  ],
  proves: "The package's dependencies came from these repositories only.",
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Repositories', 'uris'),
    ],
    lists: list(predicate, 'Repositories', 'uri', 'uris'),
  }),
}

export const resolvedDependencies: PredicateReader = {
  name: 'Resolved dependencies',
  types: serviceTypes('resolved-dependencies/v1'),
  proves: 'The build of the package resolved exactly these dependencies.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Dependencies', 'purls'),
    ],
    lists: list(predicate, 'Dependencies', 'purl', 'purls'),
  }),
}

export const publishRepositories: PredicateReader = {
  name: 'Publish repositories',
  types: serviceTypes('publish-repositories/v1'),
  proves: 'The package was published to these repositories at this time, by this identity.',
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Published', 'time', 'timePublished'),
      ...fact(predicate, 'Published by', 'text', 'sourcedFrom'),
      ...noneOf(predicate, 'Repositories', 'uris'),
    ],
    lists: list(predicate, 'Repositories', 'uri', 'uris'),
  }),
}

export const policyScan: PredicateReader = {
  name: 'Policy scan',
  types: [...serviceTypes('policyscan/v1'), ...serviceTypes('policy-scan/v1')],
  proves: 'These policies were evaluated for the package, each with the result given here.',
  read: (predicate) => ({
    rows: [
      ...statusCounts(partAt(predicate, 'entries')),
      ...noneOf(predicate, 'Results', 'entries'),
      ...fact(predicate, 'Sourced from', 'uri', 'sourcedFromUri'),
    ],
    lists: [
      ...listOf(partAt(predicate, 'entries'), 'Results', (entry) =>
        item(scalarOf(partAt(entry, 'policyUri')) ?? '(no policy)', [
          textFact('Status', statusOf(entry)),
          ...fact(entry, 'Attestation', 'uri', 'attestationUri'),
          ...jsonFact(partAt(entry, 'details'), 'Details'),
        ]),
      ),
      ...listOf(partAt(predicate, 'evaluatedPolicies'), 'Evaluated policies', (policy) =>
        item(keyAt(policy), [textFact('Policy', shortJson(policy))]),
      ),
    ],
  }),
}

/** The three statuses there are; whatever else stands there is unknown, never passed. */
const statuses = ['satisfied', 'unsatisfied', 'not-applicable']

function statusOf(entry: Part): string {
  const status = scalarOf(partAt(entry, 'status')) ?? ''
  const known = statuses.find((name) => name === status.toLowerCase())
  return known ?? `unknown (${status === '' ? 'missing' : status})`
}

function statusCounts(entries: Part): Fact[] {
  const counts = new Map<string, number>()
  if (kindOf(entries.tree, entries.node) !== 'array') return []
  for (const node of childrenOf(entries.tree, entries.node)) {
    const status = statusOf({ tree: entries.tree, node })
    const name = statuses.includes(status) ? status : 'unknown'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...statuses, 'unknown'].flatMap((name) => {
    const count = counts.get(name)
    return count === undefined ? [] : [textFact(`Policies ${name}`, String(count))]
  })
}
