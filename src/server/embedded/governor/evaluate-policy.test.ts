import { expect, test } from 'vitest'
import { evaluatePolicy, packageMatcher } from './evaluate-policy.ts'
import { type Evidence, predicateTypes } from './evidence.ts'
import { PolicyDefinition } from './policy-definition.ts'

function evidence(
  predicateType: string,
  predicate: unknown,
  more: Partial<Evidence> = {},
): Evidence {
  return {
    attestationUri: '/packages/oci/a/1/sha256:1/attestations/af:evidence/1',
    sourcedFromUri: 'https://builds.example.com/s/k3j7q2m5x7a4c',
    predicateType,
    predicate,
    keyIds: ['9c1f'],
    signedBy: () => Promise.resolve([]),
    ...more,
  }
}

function policy(kind: string, spec: Readonly<Record<string, unknown>>): PolicyDefinition {
  return PolicyDefinition.parse({
    apiVersion: 'policy.gradle.com/v1',
    kind,
    metadata: { name: 'p' },
    spec: { description: 'What it checks.', remediation: 'What to do.', ...spec },
  })
}

const gradle = evidence(predicateTypes.buildTool, {
  toolType: 'gradle',
  toolVersion: '9.2.0',
  agentVersion: '4.2',
})
const java = evidence(predicateTypes.javaToolchains, {
  toolchains: [{ vendor: 'BellSoft Liberica', versions: ['17.0.2', '21.0.1'] }],
})
const repositories = evidence(predicateTypes.resolvedDependenciesRepositories, {
  uris: ['https://repo.example.com/maven2/', 'https://jitpack.io'],
})
const dependencies = evidence(predicateTypes.resolvedDependencies, {
  purls: ['pkg:maven/org.apache.commons/commons-lang3@3.14.0', 'pkg:maven/org.log/core@2.14.1'],
})
const published = evidence(predicateTypes.publishRepositories, {
  uris: ['registry.example.com/release'],
})
const passed = evidence(predicateTypes.verificationSummary, {
  verificationResult: 'PASSED',
  policy: { uri: '/policies/PolicyScanDefinition/staging' },
})

test.each([
  [
    'BuildTool',
    { matchingStrategy: 'must-match', buildTools: [{ toolType: 'gradle', toolVersions: ['9.*'] }] },
    gradle,
    'satisfied',
    { buildTool: 'gradle 9.2.0' },
  ],
  [
    'BuildTool',
    { matchingStrategy: 'must-match', buildTools: [{ toolType: 'maven' }] },
    gradle,
    'unsatisfied',
    { buildTool: 'gradle 9.2.0' },
  ],
  [
    'BuildTool',
    {
      matchingStrategy: 'none-match',
      buildTools: [{ toolType: 'gradle', toolVersions: ['9.2.0'] }],
    },
    gradle,
    'unsatisfied',
    { buildTool: 'gradle 9.2.0' },
  ],
  [
    'BuildTool',
    {
      matchingStrategy: 'must-match',
      buildTools: [{ toolType: 'gradle', agentVersions: ['3.*'] }],
    },
    gradle,
    'unsatisfied',
    { buildTool: 'gradle 9.2.0' },
  ],
  [
    'JavaToolchains',
    { matchingStrategy: 'must-match', toolchains: [{ vendor: 'bellsoft *' }] },
    java,
    'satisfied',
    {},
  ],
  [
    'JavaToolchains',
    {
      matchingStrategy: 'must-match',
      toolchains: [{ vendor: 'BellSoft Liberica', versions: ['21*'] }],
    },
    java,
    'unsatisfied',
    { toolchains: ['BellSoft Liberica 17.0.2'] },
  ],
  [
    'JavaToolchains',
    { matchingStrategy: 'none-match', toolchains: [{ vendor: 'Oracle' }] },
    java,
    'satisfied',
    {},
  ],
  [
    'ResolvedDependenciesRepositories',
    { matchingStrategy: 'must-match', uris: ['https://repo.example.com/maven2'] },
    repositories,
    'unsatisfied',
    { uris: ['https://jitpack.io'] },
  ],
  [
    'ResolvedDependenciesRepositories',
    { matchingStrategy: 'none-match', uris: ['https://evil.example.com/*'] },
    repositories,
    'satisfied',
    { uris: [] },
  ],
  [
    'PackageUrl',
    { matchingStrategy: 'none-match', purls: ['pkg:maven/org.log/core@2.14.1'] },
    dependencies,
    'unsatisfied',
    {
      vulnerablePackage: 'pkg:maven/org.log/core@2.14.1',
      predicateType: predicateTypes.resolvedDependencies,
    },
  ],
  [
    'PackageUrl',
    { matchingStrategy: 'none-match', purls: ['pkg:maven/org.log/*@2.1*'] },
    dependencies,
    'unsatisfied',
    {
      vulnerablePackage: 'pkg:maven/org.log/core@2.14.1',
      predicateType: predicateTypes.resolvedDependencies,
    },
  ],
  [
    'PackageUrl',
    { matchingStrategy: 'none-match', purls: ['pkg:maven/org.log/core@2.15.0'] },
    dependencies,
    'satisfied',
    {},
  ],
  [
    'PublishRepositories',
    { matchingStrategy: 'must-match', uris: ['https://registry.example.com/release/'] },
    published,
    'satisfied',
    { uris: [] },
  ],
  [
    'PublishRepositories',
    { matchingStrategy: 'none-match', uris: ['https://registry.example.com/*'] },
    published,
    'unsatisfied',
    { uris: ['registry.example.com/release'] },
  ],
  [
    'VerificationSummary',
    { policyScans: ['staging'] },
    passed,
    'satisfied',
    { message: '/policies/PolicyScanDefinition/staging came out as PASSED' },
  ],
  [
    'VerificationSummary',
    { policyScans: ['production'] },
    passed,
    'unsatisfied',
    { message: '/policies/PolicyScanDefinition/staging came out as PASSED' },
  ],
] as const)('%s %j', async (kind, spec, about, status, details) => {
  const results = await evaluatePolicy(policy(kind, spec), [about])
  expect(results).toEqual([
    {
      labels: {},
      status,
      policyUri: `/policies/${kind}/p`,
      policyDescription: 'What it checks.',
      policyRemediation: status === 'satisfied' ? '' : 'What to do.',
      attestationUri: about.attestationUri,
      sourcedFromUri: about.sourcedFromUri,
      details,
    },
  ])
})

test('each attestation of the type is judged by itself, and others are left alone', async () => {
  const tools = policy('BuildTool', {
    matchingStrategy: 'must-match',
    buildTools: [{ toolType: 'gradle' }],
  })
  const maven = evidence(predicateTypes.buildTool, { toolType: 'maven', toolVersion: '3' })
  const results = await evaluatePolicy(tools, [gradle, java, maven])
  expect(results.map(({ status }) => status)).toEqual(['satisfied', 'unsatisfied'])
})

test('without an attestation of its type a policy does not apply, and says so', async () => {
  const results = await evaluatePolicy(
    policy('PublishRepositories', { matchingStrategy: 'must-match', uris: ['https://a'] }),
    [gradle],
  )
  expect(results).toMatchObject([
    {
      status: 'not-applicable',
      attestationUri: null,
      policyRemediation: 'What to do.',
      details: {
        message: `No attestation of type ${predicateTypes.publishRepositories} was found for this package.`,
      },
    },
  ])
})

test('attestations have to exist, by their type', async () => {
  const exist = policy('AttestationsExist', {
    expectedPredicates: [predicateTypes.buildTool, predicateTypes.javaToolchains],
  })
  expect(await evaluatePolicy(exist, [gradle, java])).toMatchObject([{ status: 'satisfied' }])
  expect(await evaluatePolicy(exist, [gradle])).toMatchObject([
    { status: 'unsatisfied', details: { message: `Missing: ${predicateTypes.javaToolchains}` } },
  ])
  expect(await evaluatePolicy(exist, [])).toMatchObject([{ status: 'unsatisfied' }])
})

test('signatures are judged on every attestation, whatever its type', async () => {
  const trusted = policy('TrustedPublicKeys', { keys: { release: { pem: 'x' } } })
  const signed = { ...java, signedBy: () => Promise.resolve(['release']) }
  expect(await evaluatePolicy(trusted, [gradle, signed])).toMatchObject([
    { status: 'unsatisfied', details: { keyIds: ['9c1f'] } },
    { status: 'satisfied', details: { keyIds: ['9c1f'] } },
  ])
})

test.each([
  ['pkg:maven/a/b', 'pkg:maven/a/b@1', true],
  ['pkg:maven/a/b@1', 'pkg:maven/a/b@1?type=jar', true],
  ['pkg:maven/a/b@1', 'pkg:maven/a/b@2', false],
  ['pkg:maven/a/*@6.2.7', 'pkg:maven/a/beans@6.2.7', true],
  ['pkg:maven/a/*@6.2.7', 'pkg:maven/a.b/beans@6.2.7', false],
  ['pkg:maven/a*/x', 'pkg:maven/a.b/x@1', true],
  ['pkg:npm/%40acme/ui', 'pkg:npm/@acme/ui@1', true],
  ['pkg:npm/ui', 'pkg:npm/%40acme/ui@1', true],
  ['pkg:maven/a/b?type=jar', 'pkg:maven/a/b@1', false],
  ['*log4j*', 'pkg:maven/org.apache/log4j-core@1', true],
  ['pkg:maven/a/b', 'not a package', false],
])('%s means %s: %s', (pattern, purl, expected) => {
  expect(packageMatcher(pattern)(purl)).toBe(expected)
})
