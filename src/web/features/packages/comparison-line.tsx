import { Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { differenceSentence } from '../../../policy/run-difference.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion } from '../../data/scans/policy-scan.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { KnownPackages } from './known-packages.ts'
import type { ScanAddress } from './scan-address.ts'
import type { Comparison } from './comparison.ts'

/** What changed since the last run here, or between two versions of the package. */
export function ComparisonLine({
  question,
  comparison,
  other,
  known,
  onChoose,
}: {
  question: PolicyScanQuestion
  comparison: Comparison
  other: ScanAddress['other']
  known: KnownPackages
  onChoose: (other: ScanAddress['other']) => void
}): ReactElement | null {
  const versions = otherVersions(known, question)
  if (comparison.is === 'none' && other === undefined && versions.length === 0) return null
  const isListed = versions.some((one) => other !== undefined && keyOf(one) === keyOf(other))
  return (
    <Group gap="8px 16px">
      <ComparisonText comparison={comparison} />
      {(versions.length > 0 || other !== undefined) && (
        <InlineSelect
          label="Compare with"
          value={other === undefined ? '' : keyOf(other)}
          onChange={(key) => {
            onChoose(versions.find((one) => keyOf(one) === key))
          }}
        >
          <option value="">the previous run</option>
          {other !== undefined && !isListed && (
            <option value={keyOf(other)}>version {other.version}</option>
          )}
          {versions.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              version {one.version}
              {versions.filter(({ version }) => version === one.version).length > 1 &&
                ` (${one.sha256.slice(0, 8)})`}
            </option>
          ))}
        </InlineSelect>
      )}
    </Group>
  )
}

function ComparisonText({ comparison }: { comparison: Comparison }): ReactElement {
  switch (comparison.is) {
    case 'none':
      return (
        <Text span inherit c="dimmed">
          Nothing to compare with yet.
        </Text>
      )
    case 'running':
      return <span>Evaluating {comparison.since} loading…</span>
    case 'failed':
      return (
        <span>
          Not compared with {comparison.since}: {comparison.reason}
        </span>
      )
    case 'done': {
      const sentence = differenceSentence(comparison.difference, comparison.since)
      const gone = comparison.difference.gone.map(({ name }) => name)
      return (
        <span data-testid="comparison">
          {sentence || `Nothing changed since ${comparison.since}.`}
          {gone.length > 0 && ` Removed: ${gone.slice(0, 5).join(', ')}.`}{' '}
          <Text span inherit c="dimmed">
            (<RelativeTime at={comparison.at} />
            {comparison.by !== undefined && `, by ${comparison.by}`})
          </Text>
        </span>
      )
    }
  }
}

type Version = NonNullable<ScanAddress['other']>

/** What is known of the same package with another artifact. */
function otherVersions(
  { remembered, configured }: KnownPackages,
  { address, sha256 }: PolicyScanQuestion,
): readonly Version[] {
  const ofSame = packagePath({ ...address, version: '' })
  const found = [...remembered, ...configured]
    .filter((one) => packagePath({ ...one.address, version: '' }) === ofSame)
    .filter((one) => one.address.version !== address.version || one.sha256 !== sha256)
    .map((one) => ({
      version: one.address.version,
      sha256: one.sha256,
      repositoryUrl: one.repositoryUrl,
    }))
  return [...new Map(found.map((one) => [keyOf(one), one])).values()]
}

function keyOf({ version, sha256, repositoryUrl }: Version): string {
  return [version, sha256, repositoryUrl].join(' ')
}
