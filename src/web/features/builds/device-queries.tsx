import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { longestQueryName } from '../../../protocol/saved-query.ts'
import { useImportQueries } from '../../data/queries/saved-queries.ts'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toast.ts'
import { Choice, type RunnableQuery, Section } from './saved-item.tsx'

/** What this browser kept by itself before queries were saved on the server; it can be moved once. */
export function DeviceQueries({
  onRun,
}: {
  onRun: (query: RunnableQuery) => void
}): ReactElement | null {
  const store = usePreferenceStore()
  const { savedQueries, pastQueries } = usePreferences()
  const move = useImportQueries()
  if (savedQueries.length === 0) return null
  const moveAll = async (): Promise<void> => {
    const queries = savedQueries.map(({ name, query, zone }) => ({
      name: name.slice(0, longestQueryName),
      query,
      zone: zone ?? null,
    }))
    try {
      await move.mutateAsync({ queries, runs: pastQueries })
    } catch {
      // They stay where they are, and the notice says why.
      return
    }
    const moved = new Set(savedQueries)
    store.change({ savedQueries: store.get().savedQueries.filter((one) => !moved.has(one)) })
    await toast(`${countOf(queries.length, 'query', 'queries')} moved to the server.`)
  }
  return (
    <Section title="On this device">
      <Notice
        tone={move.error === null ? 'info' : 'bad'}
        action={
          <Button
            size="compact-xs"
            variant="default"
            loading={move.isPending}
            onClick={() => void moveAll()}
          >
            {`Move ${savedQueries.length === 1 ? 'it' : `all ${savedQueries.length}`} to the server`}
          </Button>
        }
      >
        {move.error?.message ??
          'Saved in this browser only. On the server you have them everywhere.'}
      </Notice>
      {savedQueries.map((saved) => (
        <Choice
          key={saved.name}
          name={saved.name}
          text={saved.query}
          onRun={() => {
            onRun(saved)
          }}
        />
      ))}
    </Section>
  )
}
