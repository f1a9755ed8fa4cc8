import { readPolicySet, type PolicySet } from './policy-definition.ts'

/**
 * The policies of the company whose builds are made up here, with three scans: `build` for every
 * build, `release` before a release, and `production`. `publicPem` is the key that releases are
 * signed with.
 */
export function usualPolicies(publicPem: string): PolicySet {
  const indented = publicPem.trim().replaceAll('\n', '\n        ')
  return readPolicySet(yaml.replace('PUBLIC_KEY', indented))
}

const yaml = `
apiVersion: policy.gradle.com/v1
kind: BuildTool
metadata:
  name: supported-build-tools
  labels: {policy.acme.example/build: "yes", policy.acme.example/release: "yes"}
spec:
  labels:
    policy.acme.example/severity: high
    policy.acme.example/enforcement-point: build
    policy.acme.example/owner: platform
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
  - {toolType: python}
---
apiVersion: policy.gradle.com/v1
kind: JavaToolchains
metadata:
  name: supported-jdks
  labels: {policy.acme.example/build: "yes", policy.acme.example/release: "yes"}
spec:
  labels:
    policy.acme.example/severity: medium
    policy.acme.example/enforcement-point: build
    policy.acme.example/owner: platform
  description: Java toolchains are supported releases.
  remediation: Build with JDK 17, 21 or 25.
  matchingStrategy: must-match
  toolchains:
  - {vendor: "*", versions: ["17*", "21*", "25*"]}
---
apiVersion: policy.gradle.com/v1
kind: ResolvedDependenciesRepositories
metadata:
  name: approved-repositories
  labels: {policy.acme.example/release: "yes"}
spec:
  labels:
    policy.acme.example/severity: high
    policy.acme.example/enforcement-point: release
    policy.acme.example/owner: security
  description: Dependencies come from approved repositories only.
  remediation: |-
    Remove the repositories listed under **uris** from the build, or ask the security team to approve them.

    1. Look for \`maven { url = … }\` in \`settings.gradle.kts\`
    2. Use \`https://artifacts.acme.example/maven-public/\` in its place
  matchingStrategy: must-match
  uris: ["https://artifacts.acme.example/*"]
---
apiVersion: policy.gradle.com/v1
kind: PackageUrl
metadata:
  name: no-known-vulnerable
  labels: {policy.acme.example/build: "yes", policy.acme.example/release: "yes"}
spec:
  labels:
    policy.acme.example/severity: critical
    policy.acme.example/enforcement-point: release
    policy.acme.example/owner: security
  description: No dependency is a known vulnerable package.
  remediation: Upgrade the package named in the details to a release without the vulnerability, and build again.
  matchingStrategy: none-match
  purls:
  - pkg:maven/org.apache.logging.log4j/log4j-core@2.14*
  - pkg:npm/event-stream@3.3.6
---
apiVersion: policy.gradle.com/v1
kind: AttestationsExist
metadata:
  name: provenance-present
  labels: {policy.acme.example/release: "yes", policy.acme.example/production: "yes"}
spec:
  labels:
    policy.acme.example/severity: high
    policy.acme.example/enforcement-point: release
    policy.acme.example/owner: security
  description: The build tool, the dependencies and the provenance are attested.
  remediation: Publish attestations from the build that produced the package.
  expectedPredicates:
  - https://gradle.com/attestation/build-tool/v1
  - https://gradle.com/attestation/resolved-dependencies/v1
  - https://slsa.dev/provenance/v1
---
apiVersion: policy.gradle.com/v1
kind: TrustedPublicKeys
metadata:
  name: release-keys
  labels: {policy.acme.example/release: "yes", policy.acme.example/production: "yes"}
spec:
  labels:
    policy.acme.example/severity: critical
    policy.acme.example/enforcement-point: release
    policy.acme.example/owner: security
  description: Attestations are signed with the release key.
  remediation: Publish the attestations again from a service with the release key.
  keys:
    acme-release:
      pem: |-
        PUBLIC_KEY
---
apiVersion: policy.gradle.com/v1
kind: PublishRepositories
metadata:
  name: release-repositories
  labels: {policy.acme.example/production: "yes"}
spec:
  labels:
    policy.acme.example/severity: medium
    policy.acme.example/enforcement-point: production
    policy.acme.example/owner: release
  description: The package is in a release repository.
  remediation: Promote the package from the staging repository.
  matchingStrategy: must-match
  uris: ["registry.acme.example/*", "artifacts.acme.example/*-release"]
---
apiVersion: policy.gradle.com/v1
kind: DependencyScoring
metadata:
  name: dependency-health
  labels: {policy.acme.example/production: "yes"}
spec:
  labels:
    policy.acme.example/severity: medium
    policy.acme.example/enforcement-point: production
    policy.acme.example/owner: platform
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
    - {purlPatterns: ["pkg:**"], strategy: PATCH, sloDays: 90}
---
apiVersion: policy.gradle.com/v1
kind: VerificationSummary
metadata:
  name: release-scan-passed
  labels: {policy.acme.example/production: "yes"}
spec:
  labels:
    policy.acme.example/severity: high
    policy.acme.example/enforcement-point: production
    policy.acme.example/owner: release
  description: The package has passed the policy scan "release".
  remediation: Evaluate the policy scan "release" first, and fix its violations.
  policyScans: [release]
---
apiVersion: policy.gradle.com/v1
kind: PolicyScanDefinition
metadata: {name: build}
spec:
  description: Rules for every build.
  policySelector:
    matchLabels: {policy.acme.example/build: "yes"}
---
apiVersion: policy.gradle.com/v1
kind: PolicyScanDefinition
metadata: {name: release}
spec:
  description: Requirements for a release.
  policySelector:
    matchLabels: {policy.acme.example/release: "yes"}
---
apiVersion: policy.gradle.com/v1
kind: PolicyScanDefinition
metadata: {name: production}
spec:
  description: Requirements for production.
  policySelector:
    matchLabels: {policy.acme.example/production: "yes"}
`
