import { Box, Button, CloseButton, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { packageLink, publishPackageLink } from '../../domain/package/package-links.ts'
import { withoutPackage } from '../../domain/package/remembered-packages.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { EmptyState, FormPage, PageHeader, Section } from '../../ui/page.tsx'
import { IdText } from '../../ui/text.tsx'
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
  return (
    <Section title={title}>
      <ul className={pageCss.box}>
        {packages.map((one) => (
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
            <Group gap={4}>
              {one.scans.map((scan) => (
                <Button
                  key={scan}
                  component={Link}
                  to={packageLink(one.address, one, scan)}
                  variant="default"
                  size="compact-xs"
                  title={scan}
                >
                  {scan}
                </Button>
              ))}
            </Group>
          </Box>
        ))}
      </ul>
    </Section>
  )
}
