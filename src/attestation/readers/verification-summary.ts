import { anyMember, fact, list, listOf, partAt, type Fact, type Part } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { descriptors, digestFacts } from './resource-descriptor.ts'

export const verificationSummary: PredicateReader = {
  name: 'SLSA verification summary',
  types: [
    ...['v1', 'v0.2', 'v0.1'].map((version) => `https://slsa.dev/verification_summary/${version}`),
    'https://in-toto.io/attestation/verification_summary/v1',
  ],
  proves:
    'This verifier checked the package against this policy and came to this result; its evidence is not repeated here.',
  keys: [
    'verifier',
    'timeVerified',
    'resourceUri',
    'policy',
    'inputAttestations',
    'verificationResult',
    'verifiedLevels',
    'dependencyLevels',
    'slsaVersion',
    // Before v1 the names were in snake case, with one level for all.
    'time_verified',
    'resource_uri',
    'input_attestations',
    'verification_result',
    'policy_level',
    'dependency_levels',
  ],
  read: (predicate) => ({
    rows: [
      ...result(predicate),
      ...fact(predicate, 'Verifier', 'uri', 'verifier', 'id'),
      ...fact(predicate, 'Verified', 'time', 'timeVerified'),
      ...fact(predicate, 'Verified', 'time', 'time_verified'),
      ...fact(predicate, 'Verified level', 'text', 'policy_level'),
      ...fact(predicate, 'Resource', 'text', 'resourceUri'),
      ...fact(predicate, 'Resource', 'text', 'resource_uri'),
      ...fact(predicate, 'Policy', 'uri', 'policy', 'uri'),
      ...digestFacts(partAt(predicate, 'policy', 'digest')),
      ...fact(predicate, 'SLSA version', 'text', 'slsaVersion'),
    ],
    lists: [
      ...list(predicate, 'Verified levels', 'text', 'verifiedLevels'),
      ...descriptors(predicate, 'Attestations it looked at', 'inputAttestations'),
      ...descriptors(predicate, 'Attestations it looked at', 'input_attestations'),
      ...listOf(partAt(predicate, 'dependencyLevels'), 'Levels of the dependencies', anyMember),
      ...listOf(partAt(predicate, 'dependency_levels'), 'Levels of the dependencies', anyMember),
      ...listOf(partAt(predicate, 'verifier', 'version'), 'Verifier versions', anyMember),
    ],
  }),
}

function result(predicate: Part): Fact[] {
  return [
    ...fact(predicate, 'Result', 'text', 'verificationResult'),
    ...fact(predicate, 'Result', 'text', 'verification_result'),
  ].map((row) =>
    row.value === 'PASSED' || row.value === 'FAILED'
      ? row
      : { ...row, remark: 'The result is neither PASSED nor FAILED; it counts as not passed.' },
  )
}
