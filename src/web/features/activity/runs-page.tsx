import { Box, Button, ColorSwatch, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { useServices } from '../../data/core/services.ts'
import { useFreshQuery } from '../../data/core/queries.tsx'
import { evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { allVersionsPath } from '../../data/scans/waivers.ts'
import { type Artifact, packageLink } from '../../domain/package/package-links.ts'
import { verdictOfRun } from '../../../policy/verdict.ts'
import { verdictTone } from '../../domain/run/remembered-runs.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, instantText } from '../../ui/format.ts'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { BarChart } from '../../ui/charts/charts.tsx'
import type { ChartSeries } from '../../ui/charts/bar-scale.ts'
import { HistoryList, ViewChoice } from './history-list.tsx'
import { historySentence, RunList, runSteps } from './run-list.tsx'

/** How one scan of a package came out over time, for one version or across all of them. */
export function RunsPage(): ReactElement {
  const { type = '', namespace, name = '', version = '', scan = '' } = useParams()
  const address = { type, ...(namespace === undefined ? {} : { namespace }), name, version }
  const [search] = useSearchParams()
  const { zone } = usePreferences()
  const isOfAll = search.get('versions') === 'all'
  const path = packagePath(address)
  const filter = isOfAll
    ? { path: allVersionsPath(path), scan }
    : {
        path,
        scan,
        // Of one version, where the address names an artifact: only its runs say how it came out.
        sha256: search.get('sha256') ?? undefined,
        repository: search.get('repository') ?? undefined,
      }
  const ofRuns = evaluationsQuery(useServices().request, filter)
  const query = useInfiniteQuery(ofRuns)
  // The path of all versions ends with a star.
  useFreshQuery('evaluations', ofRuns.queryKey, (key) =>
    isOfAll
      ? key.startsWith(filter.path.slice(0, -1)) && key.endsWith(` ${scan}`)
      : key === `${path} ${scan}`,
  )
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations) ?? []
  const [newest] = runs
  const sentence = query.isPending
    ? 'Loading recorded runs…'
    : query.data === undefined
      ? "Can't load the history."
      : historySentence(runs, !query.hasNextPage, (at) => dayText(at, zone, 'date'))
  const viewTo = (versions: string): string => {
    const others = new URLSearchParams(search)
    others.delete('versions')
    if (versions !== '') others.set('versions', versions)
    return `?${others.toString()}`
  }
  return (
    <div className={pageCss.page}>
      <PageHeader
        title={
          <>
            <Box component="strong" ff="monospace" fz="xs">
              {packageText(address)}
            </Box>
            <span>
              Scan <strong>{scan}</strong>
            </span>
          </>
        }
        sentence={sentence}
        tone={newest && verdictTone(newest.verdict, verdictOfRun(newest))}
        actions={
          <>
            <ViewChoice
              label="Versions"
              views={[
                { to: viewTo(''), name: `Version ${version}`, isShown: !isOfAll },
                { to: viewTo('all'), name: 'All versions', isShown: isOfAll },
              ]}
            />
            <Button
              variant="default"
              component={Link}
              to={packageLink(address, artifactOf(search, runs, path), scan)}
            >
              Evaluate now
            </Button>
          </>
        }
      />
      <HistoryList query={query} noun="runs" recording={query.data?.pages[0]?.recording}>
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
      </HistoryList>
    </div>
  )
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

/** What fails stands on the ground, where heights can be compared. */
const series: readonly ChartSeries[] = [
  { name: 'unsatisfied', color: 'var(--bar-bad)' },
  { name: 'unsatisfied but waived at the time', color: 'var(--waiting)' },
  { name: 'unknown', color: 'var(--bar-unknown)' },
  { name: 'satisfied', color: 'var(--bar-good)' },
]
/** Fewer runs than these do not fill the width, or each would be a wall. */
const fewest = 24
const most = 60

/** The policies of each run by how they came out, the oldest of the newest 60 at the left. */
function RunBars({
  runs,
  summary,
}: {
  /** The newest first. */
  runs: readonly EvaluationSummary[]
  summary: string
}): ReactElement {
  const { zone } = usePreferences()
  const shown = runs.slice(0, most).reverse()
  const bars = shown.map((run) => ({
    id: run.id,
    label: instantText(run.endedAt, zone),
    axisLabel: dayText(run.endedAt, zone),
    values: valuesOf(run),
  }))
  return (
    <div>
      <BarChart
        bars={bars}
        series={series}
        unit="policies"
        summary={summary}
        heading="Run"
        end={bars.length < fewest ? '' : (bars.at(-1)?.axisLabel ?? '')}
        least={fewest}
      />
      <Group gap="2px 16px" c="dimmed" fz="xs" aria-hidden="true">
        {series.map(({ name, color }, index) =>
          bars.some(({ values }) => (values[index] ?? 0) > 0) ? (
            <Group key={name} gap={4}>
              <ColorSwatch size={10} radius={0} withShadow={false} color={color} />
              {name}
            </Group>
          ) : null,
        )}
      </Group>
    </div>
  )
}

/** As many as `series`, in its order. */
function valuesOf({ counts, waived }: EvaluationSummary): readonly number[] {
  const excused = Math.min(waived.length, counts.unsatisfied)
  return [counts.unsatisfied - excused, excused, counts.unknown, counts.satisfied]
}
