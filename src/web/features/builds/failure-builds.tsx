import { Box, Button, Group, Stack } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { fullTestName } from '../../../protocol/test-insight.ts'
import { countOf } from '../../../protocol/count.ts'
import type { BuildGroup } from '../../../protocol/insight.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { shownColumns } from '../../domain/build-table/build-columns.tsx'
import { BuildPanel } from '../../domain/build-table/build-panel.tsx'
import { BuildTime } from '../../ui/time.tsx'
import css from './insight.module.css'
import { failureText } from './insight-sentence.ts'
import { ResultList } from './result-list.tsx'
import { useSortedResults } from './result-sort.tsx'
import { useListState } from './use-list-state.ts'
import { NothingFound } from './search-notices.tsx'
import { type Insight, isReading, useInsightAnswer } from './use-insight.ts'

/** The list shows so many of a failure's builds. */
const mostBuilds = 1_000

/** The builds that failed of the same, the newest first. */
export function FailureBuilds({
  insight,
  narrowTo,
  failureKey,
  group,
  onClose,
}: {
  insight: Insight
  /** The query of the address of the search narrowed by a term. */
  narrowTo: (term: string) => string
  /** Null for those whose failure isn't known. */
  failureKey: string | null
  /** Undefined while it isn't known. */
  group: BuildGroup | undefined
  onClose: () => void
}): ReactElement {
  const { list, search } = insight
  const members = useInsightAnswer(insight, {
    kind: 'members',
    failure: failureKey,
    most: mostBuilds,
  }).data
  const found = useMemo(() => {
    const wanted = new Map((members ?? []).map((id, place) => [id, place]))
    const placeOf = (id: string): number => wanted.get(id) ?? 0
    return list.found
      .filter(({ facts }) => wanted.has(facts.buildId))
      .sort((a, b) => placeOf(a.facts.buildId) - placeOf(b.facts.buildId))
  }, [list.found, members])
  const results = useSortedResults(found)
  const state = useListState(failureKey ?? '', results.found)
  const columns = useMemo(() => shownColumns(undefined, undefined), [])
  const { exception, task, message, test } = group?.failure ?? {}
  return (
    <>
      <Group
        component="section"
        flex="none"
        gap={16}
        justify="space-between"
        align="stretch"
        wrap="nowrap"
        px={12}
        py={8}
        bg="var(--surface-panel)"
        style={{ borderLeft: '3px solid var(--bad)' }}
        aria-label="Failure"
      >
        <Stack gap={2} miw={0}>
          {task !== undefined && <strong>{task}</strong>}
          {test !== undefined && <span>{fullTestName(test)}</span>}
          {exception !== undefined && <span className={css.about}>{exception}</span>}
          <Box component="pre" mah="8lh">
            {message ?? failureText({ key: failureKey })}
          </Box>
          {group !== undefined && (
            <span className={css.about}>
              {`${countOf(group.builds, 'build')}, first `}
              <BuildTime at={group.firstSeen} />
              {', last '}
              <BuildTime at={group.lastSeen} />
            </span>
          )}
        </Stack>
        <Group gap={4} align="flex-start">
          <Button size="compact-xs" variant="default" onClick={onClose}>
            All failures
          </Button>
        </Group>
      </Group>
      <Group flex={1} gap={0} wrap="nowrap" align="stretch" mih={300}>
        <ResultList
          view={{ ...list, found }}
          results={results}
          search={search}
          isStale={false}
          list={state}
          columns={columns}
          empty={
            list.state.is === 'failed' && list.found.length === 0 ? (
              <NothingFound
                view={list}
                search={search}
                isFaulty={false}
                isNarrowed
                onShowAll={onClose}
              />
            ) : (
              <p className={css.note}>
                {members === undefined && (isReading(list) || list.found.length > 0)
                  ? 'Looking for its builds…'
                  : 'None of the builds read so far.'}
              </p>
            )
          }
        />
        {state.opened !== undefined && (
          <BuildPanel
            key={state.opened}
            buildId={state.opened}
            build={state.openedBuild}
            isLoading={isReading(list)}
            narrowTo={(field, value) => narrowTo(`${field}:${quoteValue(value)}`)}
            onClose={state.close}
          />
        )}
      </Group>
    </>
  )
}
