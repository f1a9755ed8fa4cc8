import {
  fact,
  listOf,
  noneOf,
  partAt,
  scalarOf,
  shortJson,
  told,
  type FactItem,
  type FactList,
  type Part,
} from '../facts.ts'
import { kindOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'

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
    'This scanner looked at the package at this time, with this database, and found these vulnerabilities and no others.',
  keys: ['invocation', 'scanner', 'metadata'],
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
      ],
      lists: results(partAt(scanner, 'result')),
    }
  },
}

/** Trivy's own report stands where the specification has a list of findings. */
function results(result: Part): FactList[] {
  if (kindOf(result.tree, result.node) === 'array') return listOf(result, 'Vulnerabilities', found)
  return listOf(partAt(result, 'Results'), 'Results of the scanner', (target) => ({
    value: scalarOf(partAt(target, 'Target')) ?? '(no target)',
    kind: 'text',
    remark: undefined,
    details: listOf(partAt(target, 'Vulnerabilities'), 'Vulnerabilities', found).map(({ length }) =>
      told('Vulnerabilities', String(length)),
    ),
  }))
}

function found(part: Part): FactItem {
  const id = scalarOf(partAt(part, 'id')) ?? scalarOf(partAt(part, 'VulnerabilityID'))
  const severity = partAt(part, 'severity')
  return {
    value: id ?? '(no id)',
    kind: 'text',
    remark: undefined,
    details: [
      ...(kindOf(severity.tree, severity.node) === undefined
        ? []
        : [told('Severity', scalarOf(severity) ?? severities(severity))]),
      ...fact(part, 'Severity', 'text', 'Severity'),
      ...fact(part, 'Package', 'text', 'PkgName'),
    ],
  }
}

function severities(severity: Part): string {
  const each = listOf(severity, '', (one) => ({
    value: `${scalarOf(partAt(one, 'method')) ?? '?'}: ${scalarOf(partAt(one, 'score')) ?? '?'}`,
    kind: 'text',
    remark: undefined,
    details: [],
  }))[0]
  if (!each) return shortJson(severity)
  return Array.from({ length: Math.min(each.length, 10) }, (_, at) => each.at(at).value).join(', ')
}
