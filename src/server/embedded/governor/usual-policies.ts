import { readPolicySet, type PolicySet } from './policy-definition.ts'

/**
 * The policies of the company whose builds are made up here, with three scans: `build` for every
 * build, `release` before a release, and `production`. `publicPem` is the key that releases are
 * signed with.
 */
export function usualPolicies(publicPem: string): PolicySet {
  const indented = publicPem.trim().replaceAll('\n', '\n        ')
  return readPolicySet(documents.join('\n---').replace('PUBLIC_KEY', indented))
}

/** YAML, each beginning with a line break. */
const documents = [
  policy(
    'BuildTool/supported-build-tools',
    ['build', 'release'],
    ['high', 'build', 'platform'],
    `
  description: The package was built with a supported release of a build tool.
  remediation: |-
    Upgrade the wrapper to a supported release:

    \`\`\`
    ./gradlew wrapper --gradle-version 9.6.0
    \`\`\`
  matchingStrategy: must-match
  buildTools:
  - {toolType: gradle, toolVersions: ["9.*"]}
  - {toolType: maven, toolVersions: ["3.9.*"]}
  - {toolType: npm, toolVersions: ["11.*"]}
  - {toolType: sbt}
  - {toolType: bazel}
  - {toolType: python}`,
  ),
  policy(
    'JavaToolchains/supported-jdks',
    ['build', 'release'],
    ['medium', 'build', 'platform'],
    `
  description: Java toolchains are supported releases.
  remediation: Build with JDK 17, 21 or 25.
  matchingStrategy: must-match
  toolchains:
  - {vendor: "*", versions: ["17*", "21*", "25*"]}`,
  ),
  policy(
    'ResolvedDependenciesRepositories/approved-repositories',
    ['release'],
    ['high', 'release', 'security'],
    `
  description: Dependencies come from approved repositories only.
  remediation: |-
    Remove the repositories listed under **uris** from the build, or ask the security team to approve them.

    1. Look for \`maven { url = … }\` in \`settings.gradle.kts\`
    2. Use \`https://artifacts.acme.example/maven-public/\` in its place
  matchingStrategy: must-match
  uris: ["https://artifacts.acme.example/*"]`,
  ),
  policy(
    'PackageUrl/no-known-vulnerable',
    ['build', 'release'],
    ['critical', 'release', 'security'],
    `
  description: No dependency is a known vulnerable package.
  remediation: Upgrade the package named in the details to a release without the vulnerability, and build again.
  matchingStrategy: none-match
  purls:
  - pkg:maven/org.apache.logging.log4j/log4j-core@2.14*
  - pkg:npm/event-stream@3.3.6`,
  ),
  policy(
    'AttestationsExist/provenance-present',
    ['release', 'production'],
    ['high', 'release', 'security'],
    `
  description: The build tool, the dependencies and the provenance are attested.
  remediation: Publish attestations from the build that produced the package.
  expectedPredicates:
  - https://gradle.com/attestation/build-tool/v1
  - https://gradle.com/attestation/resolved-dependencies/v1
  - https://slsa.dev/provenance/v1`,
  ),
  policy(
    'TrustedPublicKeys/release-keys',
    ['release', 'production'],
    ['critical', 'release', 'security'],
    `
  description: Attestations are signed with the release key.
  remediation: Publish the attestations again from a service with the release key.
  keys:
    acme-release:
      pem: |-
        PUBLIC_KEY`,
  ),
  policy(
    'PublishRepositories/release-repositories',
    ['production'],
    ['medium', 'production', 'release'],
    `
  description: The package is in a release repository.
  remediation: Promote the package from the staging repository.
  matchingStrategy: must-match
  uris: ["registry.acme.example/*", "artifacts.acme.example/*-release"]`,
  ),
  policy(
    'DependencyScoring/dependency-health',
    ['production'],
    ['medium', 'production', 'platform'],
    `
  description: Fixes and patch releases of dependencies are adopted in time.
  remediation: Upgrade what the details list under **overdue**, and build again.
  baseline: 70
  tiers:
  - {name: Gold, minScore: 95}
  - {name: Silver, minScore: 85}
  - {name: Bronze, minScore: 70}
  weightRules:
    categoryWeights: {VULNERABILITY: 50, UPGRADE: 50}
  scoringRules:
    vulnerability:
    - {purlPatterns: ["pkg:**"], slo: {CRITICAL: 7, HIGH: 30, MEDIUM: 90}}
    upgrade:
    - {purlPatterns: ["pkg:**"], strategy: PATCH, sloDays: 90}`,
  ),
  policy(
    'VerificationSummary/release-scan-passed',
    ['production'],
    ['high', 'production', 'release'],
    `
  description: The package has passed the policy scan "release".
  remediation: Evaluate the policy scan "release" first, and fix its violations.
  policyScans: [release]`,
  ),
  scan('build', 'Rules for every build.'),
  scan('release', 'Requirements for a release.'),
  scan('production', 'Requirements for production.'),
]

/** A policy of these scans: how bad a violation is, where it is enforced, who looks after it, and its `spec` beside that. */
function policy(
  kindAndName: string,
  scans: readonly string[],
  [severity, point, owner]: readonly [severity: string, point: string, owner: string],
  spec: string,
): string {
  const [kind, name] = kindAndName.split('/')
  return `
apiVersion: policy.gradle.com/v1
kind: ${kind}
metadata:
  name: ${name}
  labels: {${scans.map((scan) => `policy.acme.example/${scan}: "yes"`).join(', ')}}
spec:
  labels:
    policy.acme.example/severity: ${severity}
    policy.acme.example/enforcement-point: ${point}
    policy.acme.example/owner: ${owner}${spec}`
}

function scan(name: string, description: string): string {
  return `
apiVersion: policy.gradle.com/v1
kind: PolicyScanDefinition
metadata: {name: ${name}}
spec:
  description: ${description}
  policySelector:
    matchLabels: {policy.acme.example/${name}: "yes"}`
}
