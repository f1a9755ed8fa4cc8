import { kindOf } from '../decode/json-tree.ts'
import {
  fact,
  item,
  type Fact,
  type FactItem,
  type FactList,
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

export const vulnerabilities: PredicateReader = {
  name: 'Vulnerability scan',
  types: [
    'https://in-toto.io/attestation/vulns/v0.1',
    'https://in-toto.io/attestation/vulns/v0.2',
    'https://in-toto.io/attestation/vulns',
    'https://cosign.sigstore.dev/attestation/vuln/v1',
    'cosign.sigstore.dev/attestation/vuln/v1',
  ],
  proves:
    'This scanner checked the package at this time with this database and found only these vulnerabilities.',
  read: (predicate) => {
    const scanner = partAt(predicate, 'scanner')
    return {
      rows: [
        ...fact(scanner, 'Scanner', 'uri', 'uri'),
        ...fact(scanner, 'Scanner version', 'text', 'version'),
        ...fact(scanner, 'Database', 'uri', 'db', 'uri'),
        ...fact(scanner, 'Database version', 'text', 'db', 'version'),
        ...fact(scanner, 'Database updated', 'time', 'db', 'lastUpdate'),
        ...fact(predicate, 'Started', 'time', 'metadata', 'scanStartedOn'),
        ...fact(predicate, 'Finished', 'time', 'metadata', 'scanFinishedOn'),
        ...fact(predicate, 'Run', 'uri', 'invocation', 'uri'),
        ...noneOf(scanner, 'Vulnerabilities', 'result'),
        ...noneOf(scanner, 'Vulnerabilities', 'result', 'matches'),
        ...unknownResult(partAt(scanner, 'result')),
      ],
      lists: results(partAt(scanner, 'result')),
    }
  },
}

/** The reports of Trivy and Grype stand where the specification has a list of findings. */
function results(result: Part): FactList[] {
  if (kindOf(result.tree, result.node) === 'array') return listOf(result, 'Vulnerabilities', found)
  return [
    ...listOf(partAt(result, 'matches'), 'Vulnerabilities', match),
    ...listOf(partAt(result, 'ignoredMatches'), 'Ignored vulnerabilities', match),
    ...listOf(partAt(result, 'Results'), 'Scanner results', (target) =>
      item(
        scalarOf(partAt(target, 'Target')) ?? '(no target)',
        ['Vulnerabilities', 'Misconfigurations', 'Secrets', 'Licenses'].flatMap((key) =>
          listOf(partAt(target, key), key, found).map(({ length }) =>
            textFact(key, String(length)),
          ),
        ),
      ),
    ),
  ]
}

/** What no other scanner is known to write isn't counted, and must not look like nothing. */
function unknownResult(result: Part): Fact[] {
  const kind = kindOf(result.tree, result.node)
  const isKnown = ['matches', 'Results'].some((key) => {
    const { tree, node } = partAt(result, key)
    return kindOf(tree, node) === 'array'
  })
  if (isKnown || kind === undefined || kind === 'null' || kind === 'array') return []
  const remark = "Sightline doesn't know this form of result, so its findings aren't counted."
  return [textFact('Scan result', shortJson(result), remark)]
}

function match(part: Part): FactItem {
  const { value, details } = found(partAt(part, 'vulnerability'))
  return item(value, [
    ...details,
    ...fact(part, 'Package', 'text', 'artifact', 'name'),
    ...fact(part, 'Version', 'text', 'artifact', 'version'),
  ])
}

function found(part: Part): FactItem {
  const id = scalarOf(partAt(part, 'id')) ?? scalarOf(partAt(part, 'VulnerabilityID'))
  const severity = partAt(part, 'severity')
  return item(id ?? '(no id)', [
    ...(kindOf(severity.tree, severity.node) === undefined
      ? []
      : [textFact('Severity', scalarOf(severity) ?? severities(severity))]),
    ...fact(part, 'Severity', 'text', 'Severity'),
    ...fact(part, 'Package', 'text', 'PkgName'),
  ])
}

function severities(severity: Part): string {
  const each = listOf(severity, '', (one) =>
    item(`${scalarOf(partAt(one, 'method')) ?? '?'}: ${scalarOf(partAt(one, 'score')) ?? '?'}`, []),
  )[0]
  if (!each) return shortJson(severity)
  return Array.from({ length: Math.min(each.length, 10) }, (_, at) => each.at(at).value).join(', ')
}

export const openvex: PredicateReader = {
  name: 'OpenVEX',
  types: [
    'https://openvex.dev/ns',
    ...['v0.0.1', 'v0.1.0', 'v0.2.0'].map((v) => `https://openvex.dev/ns/${v}`),
  ],
  proves: "The author states which vulnerabilities affect the package, which don't, and why.",
  hidden: ['@context'],
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
    lists: listOf(partAt(predicate, 'statements'), 'Statements', (statement) =>
      item(nameOf(partAt(statement, 'vulnerability')), [
        ...fact(statement, 'Status', 'text', 'status'),
        ...fact(statement, 'Justification', 'text', 'justification'),
        ...fact(statement, 'Impact', 'text', 'impact_statement'),
        ...fact(statement, 'Action', 'text', 'action_statement'),
        ...fact(statement, 'Written', 'time', 'timestamp'),
        ...products(partAt(statement, 'products')),
      ]),
    ),
  }),
}

/** A name in older versions, an object with one in newer ones. */
function nameOf(part: Part): string {
  return (
    scalarOf(part) ?? scalarOf(partAt(part, 'name')) ?? scalarOf(partAt(part, '@id')) ?? '(no name)'
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
  return more > 0 ? [...shown, textFact('Product', `and ${more} more`)] : shown
}

/** Products by their names, each with the components inside it that the statement is about. */
function named(part: Part): FactList | undefined {
  return listOf(part, 'Products', (one) => {
    const inside = listOf(partAt(one, 'subcomponents'), '', (component) =>
      item(nameOf(component), []),
    )[0]
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
    : textFact(label, value)
}
