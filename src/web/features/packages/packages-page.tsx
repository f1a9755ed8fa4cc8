import { Box, Button, CloseButton, Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link } from 'react-router'
import type { BoardRow, RowCell } from '../../../policy/board-row.ts'
import { boardText } from '../../../policy/board-sentence.ts'
import type { Board } from '../../../policy/board.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { searchState, textParam, useSearchState } from '../../data/core/search-state.ts'
import { packageLink, publishPackageLink } from '../../domain/package/package-links.ts'
import { withoutPackage } from '../../domain/package/remembered-packages.ts'
import { cellTones, cellWord } from '../../domain/run/cell-words.ts'
import { useRecordedRows } from '../../domain/run/recorded-rows.ts'
import { AllWaiversNotice } from '../../domain/waiver/waiver-mark.tsx'
import { breakable } from '../../ui/external-link.tsx'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { DrawnNear } from '../../ui/near-screen.tsx'
import { ClearFilters } from '../../ui/folded-filters.tsx'
import { EmptyState, PageHeader, Section } from '../../ui/page.tsx'
import { agoText } from '../../ui/format.ts'
import { RetryNotice } from '../../ui/problem.tsx'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import { IdText, VisuallyHidden } from '../../ui/text.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  artifactOf,
  knownOf,
  type KnownPackage,
  requiredOfArtifact,
  useAddressedPackage,
  useKnownPackages,
} from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { PackagePlace } from './scan-headline.tsx'
import pageCss from '../../ui/page.module.css'
import css from './scan-page.module.css'

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
  const { remembered, configured, scans, isKnown, isLoading, fault, retry } = useKnownPackages()
  const [{ text }, change] = useSearchState(packagesAddress)
  return (
    <PackagesLayout
      header={<PageHeader sentence="Can this package be released? Choose it and a policy scan." />}
      form={
        // Below the list it would jump down when that comes.
        <Box {...(isLoading && { visibleFrom: 'md' })}>
          <PackageForm scans={scans} />
        </Box>
      }
    >
      {fault !== undefined && (
        <RetryNotice sentence={`Configured packages aren't available. ${fault}`} onRetry={retry} />
      )}
      {remembered.length + configured.length > 0 && (
        <TextInput
          type="search"
          w={320}
          maw="100%"
          aria-label="Find a package"
          placeholder="Find by name, digest or repository…"
          value={text}
          onChange={({ target }) => {
            change({ text: target.value }, true)
          }}
        />
      )}
      <PackageList
        title="Used on this device"
        packages={remembered}
        text={text}
        onForget={(forgotten) => {
          store.change({ packages: withoutPackage(remembered, forgotten) })
        }}
      />
      <PackageList title="Configured packages" packages={configured} text={text} />
      {text !== '' && ![...remembered, ...configured].some((one) => isFound(one, text)) && (
        <EmptyState
          title="No packages match."
          action={
            <ClearFilters
              onClear={() => {
                change({ text: '' })
              }}
            />
          }
        />
      )}
      {isKnown && remembered.length + configured.length === 0 && (
        <EmptyState title="No packages yet">
          <p>Packages you evaluate are listed here with their scans.</p>
        </EmptyState>
      )}
    </PackagesLayout>
  )
}

/** Which of the packages are shown. */
const packagesAddress = searchState({ text: textParam('q') })

/** The packages that are known, of which there may be hundreds, and the form for another one. */
function PackagesLayout({
  header,
  form,
  children,
}: {
  header: ReactNode
  form: ReactNode
  children: ReactNode
}): ReactElement {
  return (
    <div className={pageCss.page}>
      {header}
      <AllWaiversNotice />
      <div className={pageCss.columns} data-page="choice">
        <div className={pageCss.column}>{children}</div>
        <div className={pageCss.column}>{form}</div>
      </div>
    </div>
  )
}

/** One package: whether it can be released by what is recorded, its scans, and the form for another one. */
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
  const artifact = artifactOf(before, { sha256, repositoryUrl })
  const { boards } = known
  const { rows, fault } = useRecordedRows(
    useMemo(
      () =>
        artifact === undefined
          ? boardOf([])
          : { ...boardOf([artifact]), require: requiredOfArtifact(boards, artifact) },
      [artifact, boards],
    ),
  )
  return (
    <PackagesLayout
      header={
        <PageHeader
          title={<PackagePlace address={address} />}
          {...packageSentence({
            isLoading: known.isLoading || (artifact?.scans.length ?? 0) > 0,
            // Boards may have further scans of it, and require something.
            row: known.isLoading ? undefined : artifact && rows?.[0],
            fault,
          })}
        />
      }
      form={
        <PackageForm
          key={`${name} ${sha256} ${repositoryUrl}`}
          initial={{
            reference: name,
            sha256: sha256 || (before[0]?.sha256 ?? ''),
            repositoryUrl: repositoryUrl || (before[0]?.repositoryUrl ?? ''),
          }}
          scans={known.scans}
        />
      }
    >
      {/* What follows it stays in its place when the list comes, or is known to be empty. */}
      <Box mih={{ base: 116, sm: 92 }}>
        <PackageList title="Scans of this package" packages={before} isOfOne />
        {!known.isLoading && before.length === 0 && (
          <Section title="Scans of this package">
            <Text c="dimmed">Scans you evaluate are listed here.</Text>
          </Section>
        )}
      </Box>
      <p>
        <Link to={publishPackageLink(address, { sha256, repositoryUrl })}>
          Publish attestations of this package
        </Link>
        {' · '}
        <Link to="/packages">All packages</Link>
      </p>
    </PackagesLayout>
  )
}

/** Whether a package can be released by what is recorded, and how that looks; the same parts at each moment. */
export function packageSentence({
  isLoading,
  row,
  fault,
}: {
  readonly isLoading: boolean
  /** Undefined where its artifact isn't known, or not yet what is recorded of it. */
  readonly row: BoardRow | undefined
  /** Why the results can't be read. */
  readonly fault: string | undefined
}): { readonly sentence: string; readonly tone: StatusTone } {
  if (row !== undefined) return { sentence: boardText([row]), tone: cellTones[row.verdict] }
  if (fault !== undefined) return { sentence: "Recorded results can't be loaded.", tone: 'waiting' }
  return isLoading
    ? { sentence: 'Loading package…', tone: 'waiting' }
    : { sentence: 'Can it be released? Choose a policy scan.', tone: 'none' }
}

/** Packages with links to their scans, a row each; nothing where there are none. */
function PackageList({
  title,
  packages,
  text = '',
  isOfOne = false,
  onForget,
}: {
  title: string
  packages: readonly KnownPackage[]
  /** What a package shown contains, its digest and repository included. */
  text?: string
  /** Whether they are artifacts of one package, whose page this is. */
  isOfOne?: boolean
  onForget?: (forgotten: KnownPackage) => void
}): ReactElement | null {
  const board = useMemo(() => boardOf(packages), [packages])
  const { rows, fault, retry } = useRecordedRows(board)
  const shown = packages
    .map((one, index) => ({ one, name: packageText(one.address), cells: rows?.[index]?.cells }))
    .filter(({ one }) => isFound(one, text))
  if (shown.length === 0) return null
  return (
    <Section title={title}>
      {fault !== undefined && (
        <RetryNotice
          sentence={`Recorded results aren't available. ${fault}`}
          onRetry={() => void retry()}
        />
      )}
      {shown.length < packages.length && (
        <Text c="dimmed" role="status">
          {countText(shown.length)} of {countOf(packages.length, 'package')} shown
        </Text>
      )}
      <table className={css.known} aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{isOfOne ? 'Digest' : 'Package'}</th>
            <th scope="col">Policy scans</th>
            <th scope="col">Repository</th>
            {onForget !== undefined && <td />}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ one, name, cells }, index) => (
            <tr key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}>
              <th scope="row">
                {!isOfOne && (
                  <Box component={Link} to={packageLink(one.address, one)} ff="monospace" fz="xs">
                    {breakable(name)}
                  </Box>
                )}{' '}
                <Text span ff="monospace" fz="xs" c="dimmed">
                  <IdText id={one.sha256} />
                </Text>
              </th>
              <td>
                <DrawnNear height={22} isFirst={index < 10}>
                  <Group gap={4}>
                    {one.scans.map((scan) => (
                      <ScanLink
                        key={scan}
                        to={packageLink(one.address, one, scan)}
                        scan={scan}
                        cell={cells?.[board.scans.indexOf(scan)]}
                      />
                    ))}
                  </Group>
                </DrawnNear>
              </td>
              <Box component="td" ff="monospace" fz="xs" c="dimmed">
                {breakable(one.repositoryUrl)}
              </Box>
              {onForget !== undefined && (
                <td>
                  <CloseButton
                    size="sm"
                    aria-label={`Remove ${name}`}
                    title="Remove from this device"
                    onClick={() => {
                      onForget(one)
                    }}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

/** Whether a package, its digest or its repository contains what was typed. */
function isFound({ address, sha256, repositoryUrl }: KnownPackage, text: string): boolean {
  const all = `${packageText(address)} ${sha256} ${repositoryUrl}`
  return all.toLowerCase().includes(text.trim().toLowerCase())
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
