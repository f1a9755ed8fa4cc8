import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { explain, type Explanation } from './explain.ts'
import type { Fact, PredicateReader } from './predicates/predicate-facts.ts'
import { parseJsonTree } from './decode/parse-json-tree.ts'
import { predicateReaders } from './predicates/predicate-types.ts'
import { readTree } from './statement/payload-content.ts'
import { placesOfText } from './decode/finding.ts'

function explained(
  predicateType: string | undefined,
  predicate: unknown,
  root: object = {},
): Explanation {
  const text = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'a', digest: { sha256: 'a'.repeat(64) } }],
    predicateType,
    predicate,
    ...root,
  })
  const parsed = parseJsonTree(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  const { statement } = readTree({ tree: parsed.tree, place: placesOfText('payload', text) })
  if (!statement) throw new Error('no statement')
  return explain(parsed.tree, statement)
}

const rowsOf = (facts: readonly Fact[]) => facts.map(({ label, value }) => `${label}: ${value}`)
const listsOf = ({ lists }: Explanation) =>
  Object.fromEntries(
    lists.map((list) => [
      list.label,
      Array.from({ length: list.length }, (_, at) => {
        const { value, details } = list.at(at)
        return [value, ...rowsOf(details)].join(' | ')
      }),
    ]),
  )

interface Sample {
  readonly types: readonly string[]
  readonly predicate: unknown
  readonly name: string
  readonly rows: readonly string[]
  readonly lists?: Readonly<Record<string, readonly string[]>>
}

const service = (slug: string) => [
  `https://gradle.com/attestation/${slug}`,
  `https://gradle.com/attestations/${slug}`,
]
const purl = 'pkg:maven/org.acme/lib@1'
const time = '2026-01-31T12:00:00Z'
const builder = 'https://builder.example.com'

const samples: readonly Sample[] = [
  {
    types: ['https://slsa.dev/provenance/v1.0', 'https://slsa.dev/provenance/v1.0?draft'],
    predicate: { runDetails: { builder: { id: builder } } },
    name: 'SLSA provenance v1',
    rows: [`Builder: ${builder}`],
  },
  {
    types: ['https://model_signing/signature/v1.0'],
    predicate: {
      serialization: { method: 'files', hash_type: 'sha256', allow_symlinks: false },
      resources: [{ algorithm: 'sha256', digest: 'ab', name: 'weights.bin' }],
    },
    name: 'Model signature',
    rows: ['Serialized by: files', 'Hash: sha256', 'Symbolic links: false'],
    lists: { Files: ['weights.bin | Digest: sha256:ab'] },
  },
  {
    types: ['chainloop.dev/attestation/v0.2'],
    predicate: {
      builder: { id: 'chainloop.dev/cli' },
      metadata: { name: 'release', project: 'shop', organization: 'acme', initializedAt: time },
      materials: [{ name: 'image', digest: { sha256: 'a'.repeat(64) } }],
      runnerType: 'GITHUB_ACTION',
      policyEvaluations: { image: [{ name: 'signed' }] },
    },
    name: 'Chainloop attestation',
    rows: [
      'Workflow: release',
      'Project: shop',
      'Organization: acme',
      'Builder: chainloop.dev/cli',
      'Runner: GITHUB_ACTION',
      `Started: ${time}`,
    ],
    lists: {
      Materials: [`image | Digest: sha256:${'a'.repeat(64)}`],
      'Policy evaluations': ['image | Policy: signed'],
    },
  },
  {
    types: ['https://github.com/slsa-framework/slsa-source-poc/source-provenance/v1-draft'],
    predicate: {
      repo_uri: 'https://git.example/a',
      branch: 'refs/heads/main',
      actor: 'ann',
      activity_type: 'pr_merge',
      controls: [{ name: 'CONTINUITY_ENFORCED', since: time }],
    },
    name: 'SLSA source provenance',
    rows: [
      'Repository: https://git.example/a',
      'Branch: refs/heads/main',
      'Activity: pr_merge',
      'Actor: ann',
    ],
    lists: { Controls: [`CONTINUITY_ENFORCED | Since: ${time}`] },
  },
  {
    types: ['https://github.com/slsa-framework/slsa-source-poc/tag-provenance/v1-draft'],
    predicate: { tag: 'refs/tags/v1', actor: 'ann' },
    name: 'SLSA tag provenance',
    rows: ['Tag: refs/tags/v1', 'Actor: ann'],
  },
  {
    types: ['https://witness.testifysec.com/attestation-collection/v0.1'],
    predicate: {
      name: 'build',
      attestations: [
        { type: 'https://witness.dev/attestations/git/v0.1', attestation: { commithash: 'c0' } },
        {
          type: 'https://witness.dev/attestations/command-run/v0.1',
          attestation: { cmd: ['go', 'build'], exitcode: 0 },
          starttime: time,
        },
        {
          type: 'https://witness.dev/attestations/product/v0.1',
          attestation: { shop: { mime_type: 'x' } },
        },
      ],
    },
    name: 'Witness collection',
    rows: ['Step: build', 'Exit code: 0', 'Commit: c0'],
    lists: {
      Command: ['go', 'build'],
      Attestations: [
        'https://witness.dev/attestations/git/v0.1',
        `https://witness.dev/attestations/command-run/v0.1 | Started: ${time}`,
        'https://witness.dev/attestations/product/v0.1',
      ],
      Products: ['shop | Value: {"mime_type":"x"}'],
    },
  },
  {
    types: ['https://gittuf.dev/github-pull-request/v0.1'],
    predicate: {
      title: 'Fix',
      number: 806,
      html_url: 'https://git.example/pull/806',
      user: { login: 'ann' },
      base: { label: 'acme:main' },
      merged_at: time,
    },
    name: 'gittuf pull request',
    rows: [
      'Title: Fix',
      'Number: 806',
      'Pull request: https://git.example/pull/806',
      'Author: ann',
      'Into: acme:main',
      `Merged: ${time}`,
    ],
  },
  {
    types: ['https://gittuf.dev/github-pull-request-approval/v0.1'],
    predicate: { approvers: ['ann'], fromRevisionID: 'c0', targetRef: 'refs/heads/main' },
    name: 'gittuf pull request approval',
    rows: ['Branch: refs/heads/main', 'From: c0'],
    lists: { 'Approved by': ['ann'] },
  },
  {
    types: ['https://gittuf.dev/reference-authorization/v0.2'],
    predicate: { fromID: 'c0', targetID: 'c1', targetRef: 'refs/heads/main' },
    name: 'gittuf reference authorization',
    rows: ['Branch: refs/heads/main', 'From: c0', 'To: c1'],
  },
  {
    types: service('build-tool/v1'),
    predicate: {
      buildId: 'abc',
      buildScanUri: 'https://s.example/abc',
      toolType: 'gradle',
      toolVersion: '9.2.0',
      agentVersion: '4.3',
    },
    name: 'Build tool',
    rows: [
      'Build tool: gradle',
      'Version: 9.2.0',
      'Agent version: 4.3',
      'Build: abc',
      'Build scan: https://s.example/abc',
    ],
  },
  {
    types: [...service('java-toolchains/v1'), ...service('jvm/v1')],
    predicate: { toolchains: [{ vendor: 'Eclipse Adoptium', versions: ['17', '21'] }] },
    name: 'Java toolchains',
    rows: [],
    lists: { Toolchains: ['Eclipse Adoptium | Version: 17 | Version: 21'] },
  },
  {
    types: service('resolved-dependencies/v1'),
    predicate: { buildScanUri: 'x', purls: [purl] },
    name: 'Resolved dependencies',
    rows: ['Build scan: x'],
    lists: { Dependencies: [purl] },
  },
  {
    types: [...service('resolved-dependencies-repositories/v1'), ...service('repository/v1')],
    predicate: { uris: ['https://repo.example.com/'] },
    name: 'Dependency repositories',
    rows: [],
    lists: { Repositories: ['https://repo.example.com/'] },
  },
  {
    types: service('publish-repositories/v1'),
    predicate: {
      uris: ['repo.example.com/release'],
      timePublished: time,
      sourcedFrom: 'urn:oidc:x',
    },
    name: 'Publish repositories',
    rows: [`Published: ${time}`, 'Published by: urn:oidc:x'],
    lists: { Repositories: ['repo.example.com/release'] },
  },
  {
    types: service('policyscan/v1'),
    predicate: {
      sourcedFromUri: 'https://s.example/1',
      entries: [
        {
          policyUri: '/policies/BuildTool/x',
          status: 'SATISFIED',
          attestationUri: null,
          details: { buildTool: 'gradle' },
        },
        { policyUri: '/policies/PackageUrl/y', status: 'deferred' },
        { policyUri: '/policies/PackageUrl/z' },
      ],
      evaluatedPolicies: { '/policies/BuildTool/x': { kind: 'BuildTool' } },
    },
    name: 'Policy scan',
    rows: ['Policies satisfied: 1', 'Policies unknown: 2', 'Sourced from: https://s.example/1'],
    lists: {
      Results: [
        '/policies/BuildTool/x | Status: satisfied | Details: {"buildTool":"gradle"}',
        '/policies/PackageUrl/y | Status: unknown (deferred)',
        '/policies/PackageUrl/z | Status: unknown (missing)',
      ],
      'Evaluated policies': ['/policies/BuildTool/x | Policy: {"kind":"BuildTool"}'],
    },
  },
  {
    types: [
      'https://policies.gradle.com/dependency-insights/v1',
      ...service('dependency-insights/v1'),
    ],
    predicate: {
      forAttestationUri: '/packages/x',
      verifiedTime: time,
      purls: {
        [purl]: { versions: { current: { version: '1', publishedTime: time } }, licenses: ['MIT'] },
      },
    },
    name: 'Dependency insights',
    rows: [`Known at: ${time}`, 'About the attestation: /packages/x'],
    lists: {
      Dependencies: [`${purl} | Current version: 1 | Published: ${time} | licenses: ["MIT"]`],
    },
  },
  {
    types: ['https://slsa.dev/provenance/v1'],
    predicate: {
      buildDefinition: {
        buildType: 'https://t.example',
        externalParameters: {
          workflow: { repository: 'https://github.com/a/b', ref: 'refs/heads/main', path: 'x.yml' },
        },
        internalParameters: { run: 12 },
        resolvedDependencies: [
          { uri: 'git+https://github.com/a/b', digest: { gitCommit: 'b'.repeat(40) } },
        ],
      },
      runDetails: {
        builder: { id: builder },
        metadata: { invocationId: 'https://run.example', startedOn: time },
      },
    },
    name: 'SLSA provenance v1',
    rows: [
      `Builder: ${builder}`,
      'Build type: https://t.example',
      'Source: https://github.com/a/b',
      'Ref: refs/heads/main',
      'Workflow: x.yml',
      'Run: https://run.example',
      `Started: ${time}`,
    ],
    lists: {
      'External parameters': [
        'workflow | Value: {"repository":"https://github.com/a/b","ref":"refs/heads/main","path":"x.yml"}',
      ],
      'Internal parameters': ['run | Value: 12'],
      Inputs: [`git+https://github.com/a/b | Digest: gitCommit:${'b'.repeat(40)}`],
    },
  },
  {
    types: ['https://slsa.dev/provenance/v0.2'],
    predicate: {
      builder: { id: builder },
      buildType: 't',
      invocation: {
        configSource: { uri: 'git+x', digest: { sha1: 'c'.repeat(40) }, entryPoint: 'ci.yml' },
        environment: { arch: 'X64' },
      },
      metadata: { buildFinishedOn: time, reproducible: false, completeness: { materials: true } },
      materials: [{ uri: 'git+x' }],
    },
    name: 'SLSA provenance v0.2',
    rows: [
      `Builder: ${builder}`,
      'Build type: t',
      'Configuration: git+x',
      `Digest: sha1:${'c'.repeat(40)}`,
      'Entry point: ci.yml',
      `Finished: ${time}`,
      'Reproducible: false',
      'Materials complete: true',
    ],
    lists: { Materials: ['git+x'], Environment: ['arch | Value: X64'] },
  },
  {
    types: ['https://slsa.dev/provenance/v0.1', 'https://in-toto.io/Provenance/v0.1'],
    predicate: {
      builder: { id: builder },
      recipe: { type: 't', definedInMaterial: 0, entryPoint: 'e' },
      materials: [{ uri: 'x' }],
    },
    name: 'SLSA provenance v0.1',
    rows: [`Builder: ${builder}`, 'Recipe type: t', 'Defined in material: 0', 'Entry point: e'],
    lists: { Materials: ['x'] },
  },
  {
    types: [
      ...['v1', 'v0.2', 'v0.1'].map(
        (version) => `https://slsa.dev/verification_summary/${version}`,
      ),
      'https://in-toto.io/attestation/verification_summary/v1',
    ],
    predicate: {
      verifier: { id: builder },
      timeVerified: time,
      resourceUri: purl,
      policy: { uri: 'https://p.example' },
      verificationResult: 'PASSED',
      verifiedLevels: ['SLSA_BUILD_LEVEL_3'],
      dependencyLevels: { SLSA_BUILD_LEVEL_1: 4 },
    },
    name: 'SLSA verification summary',
    rows: [
      'Result: PASSED',
      `Verifier: ${builder}`,
      `Verified: ${time}`,
      `Resource: ${purl}`,
      'Policy: https://p.example',
    ],
    lists: {
      'Verified levels': ['SLSA_BUILD_LEVEL_3'],
      'Dependency levels': ['SLSA_BUILD_LEVEL_1 | Value: 4'],
    },
  },
  {
    types: ['v0.2', 'v0.1'].map((version) => `https://slsa.dev/verification_summary/${version}`),
    predicate: {
      verifier: { id: builder },
      time_verified: time,
      resource_uri: purl,
      policy: { uri: 'https://p.example' },
      input_attestations: [{ uri: 'https://e.example' }],
      verification_result: 'FAILED',
      policy_level: 'SLSA_LEVEL_3',
      dependency_levels: { SLSA_LEVEL_1: 4 },
    },
    name: 'SLSA verification summary',
    rows: [
      'Result: FAILED',
      `Verifier: ${builder}`,
      `Verified: ${time}`,
      'Verified level: SLSA_LEVEL_3',
      `Resource: ${purl}`,
      'Policy: https://p.example',
    ],
    lists: {
      'Input attestations': ['https://e.example'],
      'Dependency levels': ['SLSA_LEVEL_1 | Value: 4'],
    },
  },
  {
    types: ['https://github.com/npm/attestation/tree/main/specs/publish/v0.1'],
    predicate: { name: 'left-pad', version: '1.0.0', registry: 'https://registry.example.com' },
    name: 'npm publish',
    rows: ['Package: left-pad', 'Version: 1.0.0', 'Registry: https://registry.example.com'],
  },
  {
    types: ['https://docs.pypi.org/attestations/publish/v1'],
    predicate: {},
    name: 'PyPI publish',
    rows: [],
  },
  {
    types: [
      'https://spdx.dev/Document',
      'https://spdx.dev/Document/v2.3',
      'https://spdx.dev/Document/v3',
    ],
    predicate: {
      spdxVersion: 'SPDX-2.3',
      name: 'app',
      creationInfo: { created: time, creators: ['Tool: syft'] },
      packages: [
        {
          name: 'lib',
          versionInfo: '1',
          externalRefs: [{ referenceType: 'purl', referenceLocator: purl }],
        },
        { name: 'other' },
      ],
    },
    name: 'SPDX bill of materials',
    rows: ['Document: app', 'SPDX version: SPDX-2.3', `Created: ${time}`],
    lists: {
      'Created by': ['Tool: syft'],
      Packages: [`${purl} | Name: lib | Version: 1`, 'other'],
    },
  },
  {
    types: ['https://cyclonedx.org/bom', 'https://cyclonedx.org/bom/v1.4'],
    predicate: {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { timestamp: time, component: { name: 'app' } },
      components: [
        { name: 'lib', version: '1', purl },
        { name: 'x', components: [{}, {}] },
      ],
      vulnerabilities: [{ id: 'CVE-1' }],
    },
    name: 'CycloneDX bill of materials',
    rows: ['About: app', `Created: ${time}`, 'Specification: 1.6'],
    lists: {
      Components: [`${purl} | Name: lib | Version: 1`, 'x | Name: x | Components inside it: 2'],
      Vulnerabilities: ['CVE-1'],
    },
  },
  {
    types: [
      'https://in-toto.io/attestation/vulns/v0.1',
      'https://in-toto.io/attestation/vulns/v0.2',
      'https://cosign.sigstore.dev/attestation/vuln/v1',
    ],
    predicate: {
      scanner: {
        uri: 'https://scan.example',
        version: '2',
        result: [{ id: 'CVE-1', severity: [{ method: 'nvd', score: '9.8' }] }],
      },
      metadata: { scanFinishedOn: time },
    },
    name: 'Vulnerability scan',
    rows: ['Scanner: https://scan.example', 'Scanner version: 2', `Finished: ${time}`],
    lists: { Vulnerabilities: ['CVE-1 | Severity: nvd: 9.8'] },
  },
  {
    types: ['https://in-toto.io/attestation/test-result/v0.1'],
    predicate: {
      result: 'FAILED',
      url: 'https://ci.example',
      failedTests: ['a'],
      configuration: [{ name: 'c' }],
    },
    name: 'Test result',
    rows: ['Result: FAILED', 'Report: https://ci.example'],
    lists: { 'Failed tests': ['a'], Configuration: ['c'] },
  },
  {
    types: ['https://in-toto.io/attestation/link/v0.3', 'https://in-toto.io/Link/v1'],
    predicate: {
      name: 'clone',
      command: ['git', 'clone'],
      materials: { 'a.txt': { sha256: 'a'.repeat(64) } },
      byproducts: { 'return-value': 0 },
    },
    name: 'in-toto link',
    rows: ['Step: clone', 'Exit code: 0'],
    lists: {
      Command: ['git', 'clone'],
      Materials: [`a.txt | Digest: sha256:${'a'.repeat(64)}`],
      'By-products': ['return-value | Value: 0'],
    },
  },
  {
    types: [
      'https://in-toto.io/attestation/release/v0.1',
      'https://in-toto.io/attestation/release/v0.2',
    ],
    predicate: { purl, releaseId: '7' },
    name: 'Release',
    rows: [`Package: ${purl}`, 'Release: 7'],
  },
  {
    types: [
      'https://in-toto.io/attestation/scai/v0.3',
      'https://in-toto.io/attestation/scai/attribute-report/v0.2',
    ],
    predicate: {
      attributes: [
        { attribute: 'Hermetic', target: { name: 'x' }, evidence: { uri: 'https://e.example' } },
      ],
      producer: { uri: builder },
    },
    name: 'SCAI attributes',
    rows: [`Producer: ${builder}`],
    lists: { Attributes: ['Hermetic | Of: x | Evidence: https://e.example'] },
  },
  {
    types: ['https://openvex.dev/ns', 'https://openvex.dev/ns/v0.2.0'],
    predicate: {
      author: 'me',
      timestamp: time,
      version: 2,
      statements: [
        { vulnerability: { name: 'CVE-1' }, status: 'not_affected', products: [{ '@id': purl }] },
        { vulnerability: 'CVE-2', status: 'fixed' },
      ],
    },
    name: 'OpenVEX',
    rows: ['Author: me', `Written: ${time}`, 'Version: 2'],
    lists: {
      Statements: [`CVE-1 | Status: not_affected | Product: ${purl}`, 'CVE-2 | Status: fixed'],
    },
  },
]

describe('explain', () => {
  const each = samples.flatMap((sample) => sample.types.map((type) => ({ type, sample })))

  test.each(each)('reads $type', ({ type, sample }) => {
    const result = explained(type, sample.predicate)
    expect(result.name).toBe(sample.name)
    expect(result.isKnown).toBe(true)
    expect(result.proves).toMatch(/^[^\n]+\.$/)
    expect(rowsOf(result.rows)).toEqual(sample.rows)
    expect(listsOf(result)).toEqual(sample.lists ?? {})
    expect(result.rows.filter(({ remark }) => remark !== undefined)).toEqual([])
  })

  test('has a sample for every reader', () => {
    const names = new Set(samples.map(({ name }) => name))
    expect(predicateReaders.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([])
  })

  test('shows fields that no reader knows', () => {
    const result = explained(service('build-tool/v1')[0], {
      toolType: 'maven',
      color: 'red',
      flags: [1, 2],
      nested: { a: 1 },
    })
    expect(rowsOf(result.rows)).toEqual(['Build tool: maven', 'color: red'])
    expect(listsOf(result)).toEqual({ flags: ['1', '2'], nested: ['a | Value: 1'] })
  })

  test('shows the fields of an unknown type and the known one near it', () => {
    const result = explained('https://slsa.dev/provenance/v1.1', { a: 'b', list: ['x'] })
    expect(result).toMatchObject({
      isKnown: false,
      near: { type: 'https://slsa.dev/provenance/v1' },
    })
    expect(rowsOf(result.rows)).toEqual(['a: b'])
    expect(explained('https://example.com/nothing/like/it', {}).near).toBeUndefined()
  })

  test('looks into the Data that older cosign versions wrote around a document', () => {
    const document = { bomFormat: 'CycloneDX', components: [{ name: 'lib' }] }
    const result = explained('https://cyclonedx.org/bom', { Data: document })
    expect(listsOf(result)).toEqual({ Components: ['lib | Name: lib'] })
    const text = explained('https://spdx.dev/Document', { Data: 'SPDXVersion: SPDX-2.2' })
    expect(rowsOf(text.rows)).toEqual(['Document as text: SPDXVersion: SPDX-2.2'])
    expect(text.rows[0]?.remark).toMatch(/string/)
  })

  test('reads a document of JSON that stands in Data as one string', () => {
    const bom = { bomFormat: 'CycloneDX', specVersion: '1.4', components: [{ name: 'lib' }] }
    const cyclonedx = explained('https://cyclonedx.org/bom', {
      Data: JSON.stringify(bom, null, 2),
      Timestamp: time,
    })
    expect(rowsOf(cyclonedx.rows)).toEqual(['Specification: 1.4', `Timestamp: ${time}`])
    expect(listsOf(cyclonedx)).toEqual({ Components: ['lib | Name: lib'] })
    const document = { spdxVersion: 'SPDX-2.2', name: 'app', packages: [{ name: 'p' }] }
    const spdx = explained('https://spdx.dev/Document', { Data: JSON.stringify(document) })
    expect(rowsOf(spdx.rows)).toEqual(['Document: app', 'SPDX version: SPDX-2.2'])
    expect(listsOf(spdx)).toEqual({ Packages: ['p'] })
    for (const Data of ['[1]', '{"cut":', '7']) {
      const [row] = explained('https://cyclonedx.org/bom', { Data }).rows
      expect(row).toMatchObject({ label: 'Document as text', value: Data })
    }
  })

  test('shows a predicate that is no object, also of an unknown type', () => {
    const [row] = explained('https://example.com/own/v1', ['a']).rows
    expect(row).toMatchObject({ label: 'Predicate', value: '["a"]' })
    expect(row?.remark).toMatch(/isn't an object\./)
  })

  test('names the layout that is the payload itself, and shows its fields', () => {
    const result = explained(undefined, undefined, {
      _type: 'layout',
      expires: time,
      steps: [{ name: 'build' }],
      subject: undefined,
    })
    expect(result).toMatchObject({ name: 'in-toto layout', isKnown: true })
    expect(rowsOf(result.rows)).toEqual([`Expires: ${time}`])
    expect(result.lists.map(({ label }) => label)).toEqual(['Steps'])
  })

  test('guesses of unknown fields what may be a link, a package or a time', () => {
    const { rows } = explained('https://example.com/own/v1', {
      a: 'https://x.example',
      b: purl,
      c: time,
      d: 'javascript:x',
    })
    expect(rows.map(({ kind }) => kind)).toEqual(['uri', 'purl', 'time', 'text'])
  })

  test('names types without a view of their own', () => {
    const result = explained('https://gittuf.dev/github-pull-request/v0.1', { title: 'x' })
    expect(result).toMatchObject({ isKnown: true, name: 'gittuf pull request', near: undefined })
  })

  test('reads a link that is the payload itself', () => {
    const result = explained(undefined, undefined, {
      _type: 'link',
      name: 'step',
      command: ['make'],
      subject: undefined,
    })
    expect(result.name).toBe('in-toto link')
    expect(rowsOf(result.rows)).toEqual(['Step: step'])
  })

  test('shows what has the wrong shape as text with a remark', () => {
    const result = explained(service('build-tool/v1')[0], {
      toolType: ['gradle'],
      toolVersion: 9,
      agentVersion: null,
      buildId: '',
    })
    expect(result.rows).toMatchObject([
      {
        label: 'Build tool',
        value: '["gradle"]',
        kind: 'text',
        remark: 'A list where a single value is expected.',
      },
      { label: 'Version', value: '9', remark: undefined },
    ])
    expect(explained(service('build-tool/v1')[0], 'text').rows).toMatchObject([
      { remark: "The predicate isn't an object." },
    ])
  })

  test.each([
    ['https://slsa.dev/provenance/v1', { runDetails: { metadata: { invocationID: 'run 7' } } }],
    ['https://slsa.dev/provenance/v0.2', { metadata: { buildInvocationID: 'run 7' } }],
    ['https://slsa.dev/provenance/v0.1', { metadata: { buildInvocationID: 'run 7' } }],
  ])('%s names its run also as Go programs spell it', (type, predicate) => {
    expect(rowsOf(explained(type, predicate).rows)).toEqual(['Run: run 7'])
  })

  test('shows what a v0.1 provenance says of its own completeness', () => {
    const completeness = { arguments: true, environment: false, materials: false }
    const { rows } = explained('https://slsa.dev/provenance/v0.1', { metadata: { completeness } })
    expect(rowsOf(rows)).toEqual([
      'Arguments complete: true',
      'Environment complete: false',
      'Materials complete: false',
    ])
  })

  test.each([
    ['https://in-toto.io/attestation/vulns/v0.2', { scanner: { result: [] } }, 'Vulnerabilities'],
    ['https://gradle.com/attestation/resolved-dependencies/v1', { purls: [] }, 'Dependencies'],
    [
      'https://gradle.com/attestation/resolved-dependencies-repositories/v1',
      { uris: [] },
      'Repositories',
    ],
    ['https://gradle.com/attestation/publish-repositories/v1', { uris: [] }, 'Repositories'],
    ['https://gradle.com/attestation/java-toolchains/v1', { toolchains: [] }, 'Toolchains'],
    ['https://gradle.com/attestation/policyscan/v1', { entries: [] }, 'Results'],
  ])(
    '%s says so where its list is empty, and nothing where it is missing',
    (type, predicate, label) => {
      expect(rowsOf(explained(type, predicate).rows)).toEqual([`${label}: none`])
      expect(rowsOf(explained(type, {}).rows)).toEqual([])
    },
  )

  test('names the components inside a product that an OpenVEX statement is about', () => {
    const inner = [{ '@id': 'pkg:apk/alpine/openssl@3' }, { '@id': 'libssl' }]
    const statements = [
      { vulnerability: 'CVE-1', products: [{ '@id': purl, subcomponents: inner }, 'pkg:no'] },
    ]
    expect(listsOf(explained('https://openvex.dev/ns', { statements }))).toEqual({
      Statements: [
        `CVE-1 | Product: ${purl} | In it: pkg:apk/alpine/openssl@3 | In it: libssl | Product: pkg:no`,
      ],
    })
  })

  test('names the packages of an SPDX 3 graph by their package URLs', () => {
    const graph = [
      { type: 'CreationInfo', '@id': '_:creation', created: time },
      { type: 'SpdxDocument', spdxId: 'urn:doc', name: 'app' },
      { type: 'software_Package', name: 'lib', software_packageUrl: purl },
      { type: 'software_Package', name: 'x', software_packageVersion: '2' },
    ]
    expect(listsOf(explained('https://spdx.dev/Document/v3', { '@graph': graph }))).toEqual({
      Elements: [
        '_:creation | Type: CreationInfo',
        'app | Type: SpdxDocument',
        `${purl} | Name: lib | Type: software_Package`,
        'x | Type: software_Package | Version: 2',
      ],
    })
  })

  test('keeps all digits of a number', () => {
    const text = '{"_type":"x","predicateType":"y","predicate":{"databaseId":9007199254740993}}'
    const parsed = parseJsonTree(text)
    if (!parsed.ok) throw new Error(parsed.problem)
    const { statement } = readTree({ tree: parsed.tree, place: placesOfText('payload', text) })
    const rows = statement && rowsOf(explain(parsed.tree, statement).rows)
    expect(rows).toEqual(['databaseId: 9007199254740993'])
  })

  test('doubts times and package URLs that are none', () => {
    const published = explained(service('publish-repositories/v1')[0], { timePublished: 'today' })
    expect(published.rows[0]?.remark).toMatch(/isn't an RFC 3339 timestamp/)
    const resolved = explained(service('resolved-dependencies/v1')[0], { purls: ['lib', purl] })
    expect(resolved.lists[0]?.at(0).remark).toMatch(/isn't a package URL/)
    expect(resolved.lists[0]?.at(1).remark).toBeUndefined()
  })

  test('reads an entry of a long list only when it is requested', () => {
    const purls = Array.from({ length: 100_000 }, (_, at) => `pkg:npm/p${at}@1`)
    const [list] = explained(service('resolved-dependencies/v1')[0], { purls }).lists
    expect(list?.length).toBe(100_000)
    expect(list?.at(99_999).value).toBe('pkg:npm/p99999@1')
  })

  /** The keys that a reader looks at. */
  function keysOf({ read, hidden }: PredicateReader): string[] {
    const parsed = parseJsonTree('{}')
    if (!parsed.ok) throw new Error('no tree')
    const seen = new Set<string>(hidden)
    read({ tree: parsed.tree, node: 0, seen })
    return [...seen]
  }

  test('reads a layout, which has no predicate', () => {
    const text = JSON.stringify({
      _type: 'layout',
      expires: time,
      steps: [
        { name: 'build', expected_command: ['npm', 'run', 'a b'], threshold: 2, pubkeys: ['k1'] },
      ],
      inspect: [{ name: 'untar', run: ['tar', 'xzf'] }],
      keys: { k1: { keytype: 'rsa' } },
      readme: '',
    })
    const parsed = parseJsonTree(text)
    if (!parsed.ok) throw new Error(parsed.problem)
    const { statement } = readTree({ tree: parsed.tree, place: placesOfText('payload', text) })
    if (!statement) throw new Error('no statement')
    const layout = explain(parsed.tree, statement)
    expect(layout.name).toBe('in-toto layout')
    expect(rowsOf(layout.rows)).toEqual([`Expires: ${time}`])
    expect(listsOf(layout)).toEqual({
      Steps: ['build | Command: npm run "a b" | Signatures needed: 2 | Key: k1'],
      Inspections: ['untar | Command: tar xzf'],
      Keys: ['k1 | Type: rsa'],
    })
  })

  test.each([
    [
      'https://in-toto.io/attestation/vulns/v0.1',
      { scanner: { result: [{}, { severity: [{}] }, { id: 'CVE-1', severity: [] }] } },
      ['(no id)', '(no id) | Severity: ?: ?', 'CVE-1 | Severity: []'],
    ],
    [
      'https://in-toto.io/attestation/vulns/v0.1',
      { scanner: { result: { Results: [{}, { Target: 'a', Vulnerabilities: [{}] }] } } },
      ['(no target)', 'a | Vulnerabilities: 1'],
    ],
    ['https://openvex.dev/ns/v0.2.0', { statements: [{}] }, ['(no name)']],
    [
      'https://model_signing/signature/v1.0',
      { resources: [{}, { name: 'a', digest: 'ff' }] },
      ['(no name)', 'a | Digest: unknown:ff'],
    ],
    [
      'https://github.com/slsa-framework/slsa-source-poc/source-provenance/v1',
      { controls: [{}, 'REVIEWED'] },
      ['(no name)', 'REVIEWED'],
    ],
    ['https://witness.dev/attestation-collection/v0.1', { attestations: [{}] }, ['(no type)']],
    [
      'https://in-toto.io/attestation/scai/v0.3',
      { attributes: [{ conditions: null }, { attribute: 'A', target: [1], conditions: { a: 1 } }] },
      ['(no name)', 'A | Of: [1] | Conditions: {"a":1}'],
    ],
  ])('names of %s what has no name', (type, predicate, entries) => {
    expect(Object.values(listsOf(explained(type, predicate)))[0]).toEqual(entries)
  })

  test('names twenty products of a statement, and how many more there are', () => {
    const products = Array.from({ length: 23 }, (_, at) => ({ '@id': `p${at}` }))
    const [statement] = explained('https://openvex.dev/ns', { statements: [{ products }] }).lists
    const named = statement?.at(0).details.filter(({ label }) => label === 'Product') ?? []
    expect(named.map(({ value }) => value).slice(-2)).toEqual(['p19', 'and 3 more'])
  })

  test('never throws, whatever a predicate holds', () => {
    const types = predicateReaders.map(({ types: [type = ''] }) => type)
    const keys = fc.constantFrom(
      ...predicateReaders.flatMap(keysOf),
      'id',
      'uri',
      'digest',
      'result',
    )
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, 0, '', 'x', purl, []),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(keys, tie('any'), { maxKeys: 5 }),
      ),
    })).any
    fc.assert(
      fc.property(fc.constantFrom(...types), value, (type, predicate) => {
        const { rows, lists } = explained(type, predicate)
        for (const { label } of rows) expect(label).not.toBe('')
        for (const list of lists) {
          for (let at = 0; at < list.length; at++) expect(typeof list.at(at).value).toBe('string')
        }
      }),
      { numRuns: runs(1_000) },
    )
  })
})

test.each<[string, string, unknown, string]>([
  ['a list', 'https://slsa.dev/verification_summary/v1', { verifiedLevels: 'L3' }, 'L3'],
  ['an object', 'https://slsa.dev/verification_summary/v1', { policy: 'https://p' }, 'https://p'],
  ['an object', 'https://slsa.dev/verification_summary/v1', { verifier: 'https://v' }, 'https://v'],
  ['a list', 'https://gradle.com/attestation/publish-repositories/v1', { uris: 'evil' }, 'evil'],
  ['an object', 'https://slsa.dev/provenance/v1', { buildDefinition: 'all of it' }, 'all of it'],
  [
    'an object',
    'https://slsa.dev/provenance/v1',
    { buildDefinition: { externalParameters: 'secret' } },
    'secret',
  ],
])('a text where %s belongs is shown: %s %j', (_, type, predicate, value) => {
  const explanation = explained(type, predicate)
  const shown = [...explanation.rows, ...explanation.lists.map((list) => list.at(0))]
  expect(shown.filter((one) => one.value === value)).toHaveLength(1)
})

test('the result of a scanner is read in the forms of Grype and Trivy, and any other shown as it is', () => {
  const scan = (result: unknown) =>
    explained('https://cosign.sigstore.dev/attestation/vuln/v1', { scanner: { result } })
  const artifact = { name: 'xz', version: '5.6.0' }
  const matches = [{ vulnerability: { id: 'CVE-2024-3094', severity: 'Critical' }, artifact }]
  expect(listsOf(scan({ matches }))).toEqual({
    Vulnerabilities: ['CVE-2024-3094 | Severity: Critical | Package: xz | Version: 5.6.0'],
  })
  const Results = [{ Target: 'cfg', Misconfigurations: [{ ID: 'DS1' }], Secrets: [{}, {}] }]
  expect(listsOf(scan({ Results }))).toEqual({
    'Scanner results': ['cfg | Misconfigurations: 1 | Secrets: 2'],
  })
  for (const [other, value] of [
    ['CVE-1, CVE-2', '"CVE-1, CVE-2"'],
    [{ runs: [1] }, '{"runs":[1]}'],
  ]) {
    expect(scan(other).rows).toMatchObject([
      { label: 'Scan result', value, remark: expect.stringContaining("aren't counted") as string },
    ])
  }
  expect(scan(null).rows).toEqual([])
})
