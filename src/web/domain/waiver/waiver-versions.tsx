import { Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { policyKey } from '../../../policy/policy-group.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { versionOf } from '../../../protocol/package-address.ts'
import {
  compareVersions,
  isWithinVersions,
  type VersionRange,
} from '../../../protocol/version-order.ts'
import type { WaiverScope } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import { evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { allVersionsPath } from '../../data/scans/waivers.ts'
import { Notice } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/problem.tsx'

export type VersionsDraft =
  | { readonly is: 'artifact' }
  | { readonly is: 'versions'; readonly from: string; readonly until: string }

/** The versions that a draft names: null for the artifact alone; else what is wrong with them. */
export function readVersions(
  draft: VersionsDraft,
):
  | { readonly ok: true; readonly versions: VersionRange | null }
  | { readonly ok: false; readonly mistake: string } {
  if (draft.is === 'artifact') return { ok: true, versions: null }
  const [from, until] = [draft.from.trim(), draft.until.trim()]
  if (from === '') return { ok: false, mistake: 'Enter the first version.' }
  if (until === '' || until === from) {
    return { ok: true, versions: { from, until: until === '' ? null : until } }
  }
  const order = compareVersions(from, until)
  if (order === undefined) {
    return {
      ok: false,
      mistake: "These versions can't be compared. Both must begin with a number.",
    }
  }
  return order > 0
    ? { ok: false, mistake: `Matches nothing: ${from} comes after ${until}.` }
    : { ok: true, versions: { from, until } }
}

/**
 * What of the recorded runs, the newest first, a range of versions covers, in a sentence, and whether it covers any.
 * `isMore`: there are runs before these.
 */
export function coverage(
  runs: readonly Pick<
    EvaluationSummary,
    'packagePath' | 'failing' | 'sha256' | 'repositoryUrl' | 'ended'
  >[],
  isMore: boolean,
  policyUri: string,
  range: VersionRange,
): { readonly matches: boolean; readonly sentence: string } {
  const newest = new Map<string, boolean>()
  const read = new Set<string>()
  for (const { packagePath, failing, sha256, repositoryUrl, ended } of runs) {
    const version = versionOf(packagePath)
    const artifact = `${version} ${sha256} ${repositoryUrl}`
    const isFailing = failing.map(policyKey).includes(policyKey(policyUri))
    newest.set(version, newest.get(version) === true || (isFailing && !read.has(artifact)))
    // What broke off without the failure doesn't say that there is none.
    if (isFailing || ended === 'complete') read.add(artifact)
  }
  const recorded = isMore ? 'most recently evaluated' : 'recorded'
  if (newest.size === 0) {
    return { matches: false, sentence: 'Matches nothing yet: no version is recorded.' }
  }
  const covered = [...newest].filter(([version]) => isWithinVersions(version, range))
  if (covered.length === 0) {
    const known =
      newest.size === 1
        ? `the ${isMore ? '' : 'only '}${recorded} version`
        : `any of the ${newest.size} ${recorded} versions`
    return {
      matches: false,
      sentence: `Matches nothing yet: it doesn't cover ${known}${newest.size > 8 ? '' : ` (${[...newest.keys()].join(', ')})`}.`,
    }
  }
  const named = covered
    .slice(0, 8)
    .map(([version, isFailing]) => `${version} (${isFailing ? 'fails' : "doesn't fail"})`)
  const more = covered.length > 8 ? ` and ${covered.length - 8} more` : ''
  const last = range.until === null ? '' : ` up to ${range.until}`
  return {
    matches: covered.some(([, isFailing]) => isFailing),
    sentence: covered.some(([, isFailing]) => isFailing)
      ? `Covers ${named.join(', ')}${more}, and versions to come${last}.`
      : `Matches nothing yet: none of the ${recorded} versions in it fails: ${named.join(', ')}${more}.`,
  }
}

/** Which versions of the package a waiver is for, with what that covers of what is recorded. */
export function WaiverVersions({
  of: { packagePath, scan, policyUri },
  draft,
  onChange,
}: {
  of: WaiverScope
  draft: VersionsDraft
  onChange: (draft: VersionsDraft) => void
}): ReactElement {
  const filter = { path: allVersionsPath(packagePath), scan }
  const query = useInfiniteQuery({
    ...evaluationsQuery(useServices().request, filter),
    enabled: draft.is === 'versions',
  })
  const read = readVersions(draft)
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations)
  const covered =
    read.ok && read.versions !== null && runs !== undefined
      ? coverage(runs, query.hasNextPage, policyUri, read.versions)
      : undefined
  return (
    <Stack gap={8}>
      <Radio.Group
        label="Applies to"
        value={draft.is}
        onChange={(is) => {
          onChange(
            is === 'versions'
              ? { is: 'versions', from: versionOf(packagePath), until: '' }
              : { is: 'artifact' },
          )
        }}
      >
        <Group gap={16} mt={4}>
          <Radio value="artifact" label="This artifact only" />
          <Radio value="versions" label="Versions of the package" />
        </Group>
      </Radio.Group>
      {draft.is === 'versions' && (
        <>
          <Group gap={8} align="flex-start" grow>
            <TextInput
              label="From version"
              autoComplete="off"
              maxLength={200}
              value={draft.from}
              onChange={(event) => {
                onChange({ ...draft, from: event.currentTarget.value })
              }}
            />
            <TextInput
              label="To version (optional)"
              autoComplete="off"
              maxLength={200}
              value={draft.until}
              onChange={(event) => {
                onChange({ ...draft, until: event.currentTarget.value })
              }}
            />
          </Group>
          <Text c="dimmed" fz="xs">
            Both are included, in any repository. Versions compare number by number: 2.9 is before
            2.10, and 2.4.0-rc.1 is before 2.4.0.
          </Text>
          {!read.ok && (
            <Notice role="alert" tone="bad">
              {read.mistake}
            </Notice>
          )}
          {runs === undefined && query.error !== null && (
            <RetryNotice
              sentence={`Can't check which recorded versions it covers: ${query.error.message}`}
              onRetry={() => void query.refetch()}
            />
          )}
          {covered !== undefined && (
            <Notice {...(covered.matches ? {} : { tone: 'bad' as const })}>
              {covered.sentence}
            </Notice>
          )}
        </>
      )}
    </Stack>
  )
}
