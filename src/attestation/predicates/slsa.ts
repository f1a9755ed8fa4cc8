import {
  anyMember,
  descriptors,
  digestFacts,
  type Fact,
  fact,
  list,
  listOf,
  type Part,
  partAt,
  type PredicateReader,
} from './predicate-facts.ts'

export const slsaProvenanceV1: PredicateReader = {
  name: 'SLSA provenance v1',
  types: [
    'https://slsa.dev/provenance/v1',
    // Early writers named it so, the last after its page.
    'https://slsa.dev/provenance/v1.0',
    'https://slsa.dev/provenance/v1.0?draft',
    'https://slsa.dev/provenance/v1-rc1',
    'https://slsa.dev/provenance/v1-rc2',
    'https://slsa.dev/spec/v1.0/provenance',
  ],
  proves:
    'The package was built by this builder from these inputs, with these external parameters.',
  read: (predicate) => {
    const definition = partAt(predicate, 'buildDefinition')
    const run = partAt(predicate, 'runDetails')
    const workflow = partAt(definition, 'externalParameters', 'workflow')
    return {
      rows: [
        ...fact(run, 'Builder', 'uri', 'builder', 'id'),
        ...fact(definition, 'Build type', 'uri', 'buildType'),
        ...fact(workflow, 'Source', 'uri', 'repository'),
        ...fact(workflow, 'Ref', 'text', 'ref'),
        ...fact(workflow, 'Workflow', 'text', 'path'),
        ...fact(run, 'Run', 'uri', 'metadata', 'invocationId'),
        // Older Go writers spell it so.
        ...fact(run, 'Run', 'uri', 'metadata', 'invocationID'),
        ...fact(run, 'Started', 'time', 'metadata', 'startedOn'),
        ...fact(run, 'Finished', 'time', 'metadata', 'finishedOn'),
      ],
      lists: [
        ...listOf(partAt(definition, 'externalParameters'), 'External parameters', anyMember),
        ...listOf(partAt(definition, 'internalParameters'), 'Internal parameters', anyMember),
        ...descriptors(definition, 'Inputs', 'resolvedDependencies'),
        ...descriptors(run, 'Builder dependencies', 'builder', 'builderDependencies'),
        ...descriptors(run, 'By-products', 'byproducts'),
        ...listOf(partAt(run, 'builder', 'version'), 'Builder versions', anyMember),
      ],
    }
  },
}

export const slsaProvenanceV02: PredicateReader = {
  name: 'SLSA provenance v0.2',
  types: ['https://slsa.dev/provenance/v0.2'],
  proves: 'The package was built by this builder from these materials, from this configuration.',
  read: (predicate) => {
    const source = partAt(predicate, 'invocation', 'configSource')
    const metadata = partAt(predicate, 'metadata')
    return {
      rows: [
        ...fact(predicate, 'Builder', 'uri', 'builder', 'id'),
        ...fact(predicate, 'Build type', 'uri', 'buildType'),
        ...fact(source, 'Configuration', 'uri', 'uri'),
        ...digestFacts(partAt(source, 'digest')),
        ...fact(source, 'Entry point', 'text', 'entryPoint'),
        ...runFacts(metadata, 'Parameters'),
      ],
      lists: [
        ...descriptors(predicate, 'Materials', 'materials'),
        ...listOf(partAt(predicate, 'invocation', 'parameters'), 'Parameters', anyMember),
        ...listOf(partAt(predicate, 'invocation', 'environment'), 'Environment', anyMember),
        ...listOf(partAt(predicate, 'buildConfig'), 'Build configuration', anyMember),
      ],
    }
  },
}

export const slsaProvenanceV01: PredicateReader = {
  name: 'SLSA provenance v0.1',
  types: ['https://slsa.dev/provenance/v0.1', 'https://in-toto.io/Provenance/v0.1'],
  proves: 'The package was built by this builder from these materials, following this recipe.',
  read: (predicate) => {
    const recipe = partAt(predicate, 'recipe')
    const metadata = partAt(predicate, 'metadata')
    return {
      rows: [
        ...fact(predicate, 'Builder', 'uri', 'builder', 'id'),
        ...fact(recipe, 'Recipe type', 'uri', 'type'),
        ...fact(recipe, 'Defined in material', 'text', 'definedInMaterial'),
        ...fact(recipe, 'Entry point', 'text', 'entryPoint'),
        ...runFacts(metadata, 'Arguments'),
      ],
      lists: [
        ...descriptors(predicate, 'Materials', 'materials'),
        ...listOf(partAt(recipe, 'arguments'), 'Arguments', anyMember),
        ...listOf(partAt(recipe, 'environment'), 'Environment', anyMember),
      ],
    }
  },
}

/** What both older versions have of the run. */
function runFacts(metadata: Part, inputs: 'Parameters' | 'Arguments'): Fact[] {
  return [
    ...fact(metadata, 'Run', 'uri', 'buildInvocationId'),
    ...fact(metadata, 'Run', 'uri', 'buildInvocationID'),
    ...fact(metadata, 'Started', 'time', 'buildStartedOn'),
    ...fact(metadata, 'Finished', 'time', 'buildFinishedOn'),
    ...fact(metadata, 'Reproducible', 'text', 'reproducible'),
    ...[inputs, 'Environment', 'Materials'].flatMap((part) =>
      fact(metadata, `${part} complete`, 'text', 'completeness', part.toLowerCase()),
    ),
  ]
}

export const verificationSummary: PredicateReader = {
  name: 'SLSA verification summary',
  types: [
    ...['v1', 'v0.2', 'v0.1'].map((version) => `https://slsa.dev/verification_summary/${version}`),
    'https://in-toto.io/attestation/verification_summary/v1',
  ],
  proves:
    "This verifier checked the package against this policy, with this result. The evidence itself isn't included.",
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
      ...descriptors(predicate, 'Input attestations', 'inputAttestations'),
      ...descriptors(predicate, 'Input attestations', 'input_attestations'),
      ...listOf(partAt(predicate, 'dependencyLevels'), 'Dependency levels', anyMember),
      ...listOf(partAt(predicate, 'dependency_levels'), 'Dependency levels', anyMember),
      ...listOf(partAt(predicate, 'verifier', 'version'), 'Verifier versions', anyMember),
    ],
  }),
}

function result(predicate: Part): Fact[] {
  const rows = [
    ...fact(predicate, 'Result', 'text', 'verificationResult'),
    ...fact(predicate, 'Result', 'text', 'verification_result'),
  ]
  return rows.map((row) => {
    if (rows.some(({ value }) => value !== row.value)) {
      const remark =
        '"verificationResult" and "verification_result" differ, so it counts as not passed.'
      return { ...row, remark }
    }
    return row.value === 'PASSED' || row.value === 'FAILED'
      ? row
      : { ...row, remark: "The result isn't PASSED or FAILED, so it counts as not passed." }
  })
}
