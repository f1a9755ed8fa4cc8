import { Box, Button, CloseButton, Group, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link } from 'react-router'
import type { RowCell } from '../../../policy/board-row.ts'
import type { Board } from '../../../policy/board.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { packageLink, publishPackageLink } from '../../domain/package/package-links.ts'
import { withoutPackage } from '../../domain/package/remembered-packages.ts'
import { cellTones, cellWord } from '../../domain/run/cell-words.ts'
import { useRecordedRows } from '../../domain/run/recorded-rows.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { DrawnNear } from '../../ui/near-screen.tsx'
import { EmptyState, FormPage, PageHeader, Section } from '../../ui/page.tsx'
import { agoText } from '../../ui/format.ts'
import { RetryNotice } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  knownOf,
  type KnownPackage,
  useAddressedPackage,
  useKnownPackages,
} from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import pageCss from '../../ui/page.module.css'

/** Which package is to be judged: the form, and what is known here. */
export function PackagesPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <PackagesScreen />
    </PolicyServiceScope>
  )
}

function PackagesScreen(): ReactElement {
  const store = usePreferenceStore()
  const { remembered, configured, scans, isKnown } = useKnownPackages()
  return (
    <FormPage
      header={<PageHeader sentence="Can this package be released? Choose it and a policy scan." />}
      aside={
        <>
          {remembered.length > 0 && (
            <PackageList
              title="Used on this device"
              packages={remembered}
              onForget={(forgotten) => {
                store.change({ packages: withoutPackage(remembered, forgotten) })
              }}
            />
          )}
          {configured.length > 0 && (
            <PackageList title="Configured packages" packages={configured} />
          )}
          {isKnown && remembered.length + configured.length === 0 && (
            <EmptyState title="No packages yet">
              <p>Packages you evaluate are listed here with their scans.</p>
            </EmptyState>
          )}
        </>
      }
    >
      <PackageForm scans={scans} />
    </FormPage>
  )
}

/** One package: which scans of it were looked at, and the form for another one. */
export function PackagePage(): ReactElement {
  return (
    <PolicyServiceScope>
      <PackageScreen />
    </PolicyServiceScope>
  )
}

function PackageScreen(): ReactElement {
  const known = useKnownPackages()
  const { address, sha256, repositoryUrl } = useAddressedPackage()
  const before = knownOf(known, address)
  const name = packageText(address)
  return (
    <FormPage
      header={<PageHeader sentence={`Can ${name} be released? Choose a policy scan.`} />}
      aside={
        <>
          {before.length > 0 && <PackageList title="Scans of this package" packages={before} />}
          <p>
            <Link to={publishPackageLink(address, { sha256, repositoryUrl })}>
              Publish attestations of this package
            </Link>
            {' · '}
            <Link to="/packages">All packages</Link>
          </p>
        </>
      }
    >
      <PackageForm
        key={`${name} ${sha256} ${repositoryUrl}`}
        initial={{
          reference: name,
          sha256: sha256 || (before[0]?.sha256 ?? ''),
          repositoryUrl: repositoryUrl || (before[0]?.repositoryUrl ?? ''),
        }}
        scans={known.scans}
      />
    </FormPage>
  )
}

/** Packages with links to their scans. */
function PackageList({
  title,
  packages,
  onForget,
}: {
  title: string
  packages: readonly KnownPackage[]
  onForget?: (forgotten: KnownPackage) => void
}): ReactElement {
  const board = useMemo(() => boardOf(packages), [packages])
  const { rows, fault, retry } = useRecordedRows(board)
  return (
    <Section title={title}>
      {fault !== undefined && (
        <RetryNotice
          sentence={`Recorded results aren't available. ${fault}`}
          onRetry={() => void retry()}
        />
      )}
      <ul className={pageCss.box}>
        {packages.map((one, index) => (
          <Box
            component="li"
            key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}
            className={pageCss.row}
            px={12}
            py={8}
            style={{ overflowWrap: 'anywhere' }}
          >
            <Group justify="space-between" gap={8} wrap="nowrap" mb={2}>
              <Box component={Link} to={packageLink(one.address, one)} ff="monospace" fz="xs">
                {packageText(one.address)}
              </Box>
              {onForget !== undefined && (
                <CloseButton
                  size="sm"
                  aria-label={`Remove ${packageText(one.address)}`}
                  title="Remove from this device"
                  onClick={() => {
                    onForget(one)
                  }}
                />
              )}
            </Group>
            <Text ff="monospace" fz="xs" c="dimmed" mb={2}>
              <IdText id={one.sha256} /> {one.repositoryUrl}
            </Text>
            <DrawnNear height={22}>
              <Group gap={4}>
                {one.scans.map((scan) => (
                  <ScanLink
                    key={scan}
                    to={packageLink(one.address, one, scan)}
                    scan={scan}
                    cell={rows?.[index]?.cells[board.scans.indexOf(scan)]}
                  />
                ))}
              </Group>
            </DrawnNear>
          </Box>
        ))}
      </ul>
    </Section>
  )
}

/** What is known of packages is looked up as that of a board is. */
function boardOf(packages: readonly KnownPackage[]): Board {
  return { title: '', packages, scans: [...new Set(packages.flatMap(({ scans }) => scans))] }
}

/** A link to a scan, with its last recorded result where there is one. */
function ScanLink({
  to,
  scan,
  cell,
}: {
  to: string
  scan: string
  cell: RowCell | undefined
}): ReactElement {
  const at = cell?.cell.known?.at
  const word = cell === undefined || at === undefined ? '' : cellWord(cell)
  const age = useDerivedFromNow((now) => (at === undefined ? '' : agoText(now - at)))
  return (
    <Button
      component={Link}
      to={to}
      variant="default"
      size="compact-xs"
      title={word === '' ? scan : `${scan}: ${word}, ${age}`}
      leftSection={
        cell !== undefined && word !== '' && <StatusShape tone={cellTones[cell.verdict]} />
      }
    >
      {scan}
      {word !== '' && (
        <VisuallyHidden>
          ({word}, {age})
        </VisuallyHidden>
      )}
    </Button>
  )
}
