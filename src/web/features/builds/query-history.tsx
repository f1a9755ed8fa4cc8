import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import { mostQueryRuns, type QueryRun } from '../../../protocol/saved-query.ts'
import { useClearQueryRuns, useQueryRuns } from '../../data/queries/saved-queries.ts'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { RunnableQuery } from './saved-item.tsx'

/** What the person searched for, the newest first, and the way to forget it all. */
export function QueryHistory({ onRun }: { onRun: (query: RunnableQuery) => void }): ReactElement {
  const store = usePreferenceStore()
  const { pastQueries } = usePreferences()
  const { data: runs = [], error, refetch } = useQueryRuns()
  const clear = useClearQueryRuns()
  const here = onDeviceOnly(pastQueries, runs)
  const fault = clear.error ?? error
  const clearAll = async (): Promise<void> => {
    try {
      await clear.mutateAsync(undefined)
      store.change({ pastQueries: [] })
    } catch {
      // The notice says why.
    }
  }
  return (
    <Stack gap={4}>
      {fault !== null && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
              Retry
            </Button>
          }
        >
          {`Your history isn't available. ${fault.message}`}
        </Notice>
      )}
      <Text fz="xs" c="dimmed">
        {`Only you can see this. The newest ${mostQueryRuns} queries are kept.`}
      </Text>
      {runs.length + here.length === 0 && (
        <Text fz="xs" c="dimmed">
          Queries you run are listed here.
        </Text>
      )}
      <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
        {runs.map((run) => (
          <Past
            key={run.query}
            query={run.query}
            onRun={() => {
              onRun(runnable(run))
            }}
          >
            <RelativeTime at={run.at} />
            {matchesText(run)}
          </Past>
        ))}
        {here.map((query) => (
          <Past
            key={query}
            query={query}
            onRun={() => {
              onRun({ query })
            }}
          >
            On this device
          </Past>
        ))}
      </Stack>
      {runs.length + here.length > 0 && (
        <Group>
          <Button size="compact-sm" variant="subtle" onClick={() => void clearAll()}>
            Clear history
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Those that only this device knows, as the server could not be reached or knew of none then. */
export function onDeviceOnly(
  pastQueries: readonly string[],
  runs: readonly Pick<QueryRun, 'query'>[],
): readonly string[] {
  const known = new Set(runs.map(({ query }) => query.trim()))
  return pastQueries.filter((query) => !known.has(query.trim()))
}

function runnable({ query, zone }: QueryRun): RunnableQuery {
  return zone === null ? { query } : { query, zone }
}

/** ", 312 builds"; with a plus where there may be more. */
export function matchesText({ matches, isComplete }: QueryRun): string {
  if (matches === null) return ''
  return isComplete ? `, ${countOf(matches, 'build')}` : `, ${countText(matches)}+ builds`
}

function Past({
  query,
  onRun,
  children,
}: {
  query: string
  onRun: () => void
  children: ReactNode
}): ReactElement {
  return (
    <li>
      <UnstyledButton w="100%" py={4} onClick={onRun} title={query}>
        <Text truncate fz="xs" ff="monospace">
          {query}
        </Text>
        <Text fz="xs" c="dimmed">
          {children}
        </Text>
      </UnstyledButton>
    </li>
  )
}
