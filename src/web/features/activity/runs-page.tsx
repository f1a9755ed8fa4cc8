import { Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { type PackageAddress, packagePath } from '../../../protocol/package-address.ts'
import { evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { allVersionsPath } from '../../data/scans/waivers.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { EmptyState } from '../../ui/page.tsx'
import { dayText } from '../../ui/format.ts'
import { type Artifact, packageLink, packageText } from '../../domain/package/package-links.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { verdictTones } from '../../domain/run/remembered-runs.ts'
import css from './activity.module.css'
import pageCss from '../../ui/page.module.css'
import { historySentence, RunList, runSteps } from './run-list.tsx'
import { HistoryTrouble, RecordingNotice } from './history-notices.tsx'
import { RunBars } from './run-bars.tsx'
import { useServices } from '../../data/core/services.ts'

/** How one scan of a package came out over time, for one version or across all of them. */
export function RunsPage(): ReactElement {
  const { type = '', namespace, name = '', version = '', scan = '' } = useParams()
  const address = { type, ...(namespace === undefined ? {} : { namespace }), name, version }
  const [search] = useSearchParams()
  const { zone } = usePreferences()
  const isOfAll = search.get('versions') === 'all'
  const path = packagePath(address)
  const filter = { path: isOfAll ? allVersionsPath(path) : path, scan }
  const query = useInfiniteQuery(evaluationsQuery(useServices().request, filter))
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations) ?? []
  const [newest] = runs
  const sentence = query.isPending
    ? 'Loading recorded runs…'
    : historySentence(runs, !query.hasNextPage, (at) => dayText(at, zone, 'date'))
  const recording = query.data?.pages[0]?.recording
  const artifact = artifactOf(search, runs, path)
  return (
    <div className={pageCss.page}>
      <h1 className={pageCss.sentence}>
        {newest !== undefined && <StatusShape tone={verdictTones[newest.verdict]} />}
        <span>
          {query.isError && query.data === undefined ? "Can't load the history." : sentence}
        </span>
      </h1>
      <Group gap="8px 16px">
        <span className={css.name}>{packageText(address)}</span>
        <span>
          Scan <strong>{scan}</strong>
        </span>
        <VersionChoice search={search} isOfAll={isOfAll} version={version} />
        <EvaluateNow address={address} scan={scan} artifact={artifact} />
      </Group>
      {recording !== undefined && <RecordingNotice recording={recording} />}
      {query.isError && (
        <HistoryTrouble
          what="Recorded runs"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isSuccess && newest === undefined && (
        <EmptyState title="No recorded runs yet.">
          <p>
            Every evaluation is recorded here with its results. Evaluate the package to record the
            first one.
          </p>
        </EmptyState>
      )}
      {newest !== undefined && (
        <>
          <RunBars runs={runs} summary={`Policies per run. ${sentence}`} />
          <RunList steps={runSteps(runs)} hasPackage={isOfAll} />
        </>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className={css.more}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Loading…' : 'Show older runs'}
        </button>
      )}
    </div>
  )
}

function VersionChoice({
  search,
  isOfAll,
  version,
}: {
  search: URLSearchParams
  isOfAll: boolean
  version: string
}): ReactElement {
  const one = new URLSearchParams(search)
  one.delete('versions')
  const all = new URLSearchParams(search)
  all.set('versions', 'all')
  return (
    <nav className={css.choice} aria-label="Versions">
      <Link to={`?${one.toString()}`} aria-current={!isOfAll}>
        Version {version}
      </Link>
      <Link to={`?${all.toString()}`} aria-current={isOfAll}>
        All versions
      </Link>
    </nav>
  )
}

function EvaluateNow({
  address,
  scan,
  artifact,
}: {
  address: PackageAddress
  scan: string
  artifact: Artifact
}): ReactElement {
  return <Link to={packageLink(address, artifact, scan)}>Evaluate now</Link>
}

/** The artifact that the address names, or that of the newest run of this version. */
function artifactOf(
  search: URLSearchParams,
  runs: readonly EvaluationSummary[],
  path: string,
): Artifact {
  const run = runs.find(({ packagePath: of }) => of === path)
  return {
    sha256: search.get('sha256') ?? run?.sha256 ?? '',
    repositoryUrl: search.get('repository') ?? run?.repositoryUrl ?? '',
  }
}
