import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import * as z from 'zod/mini'
import { whyNot } from '../../../protocol/permission.ts'
import { longestQueryName, type StoredQuery } from '../../../protocol/saved-query.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import {
  conflictIn,
  replacing,
  type SavedQueryTask,
  useImportQueries,
  useSavedQueries,
  useSavedQueryTask,
} from '../../data/queries/saved-queries.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/problem.tsx'
import { Choice, NameField, type RunnableQuery, SavedItem, Section } from './saved-item.tsx'
import { countOf } from '../../../protocol/count.ts'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { toast } from '../../ui/toast.ts'

/** One's own queries, those that everybody shares, and those of the configuration. */
export function SavedQueries({
  query,
  onRun,
}: {
  query: RunnableQuery
  onRun: (query: RunnableQuery) => void
}): ReactElement {
  const user = useSessionUser()
  const { data: saved = [], error, refetch, isPending } = useSavedQueries()
  const configured = useQuery(configQuery(useServices().request)).data?.savedQueries ?? []
  const task = useSavedQueryTask()
  const [deleted, setDeleted] = useState<StoredQuery>()
  const whyNotShared =
    user === undefined ? 'Sign in to share queries.' : whyNot(user, 'share-queries')
  const run = (wanted: SavedQueryTask, onDone?: (query: StoredQuery) => void): void => {
    setDeleted(undefined)
    task.mutate(wanted, {
      onSuccess: (query) => {
        onDone?.(query)
      },
    })
  }
  const [renamed, setRenamed] = useState<{ readonly query: StoredQuery; readonly at: number }>()
  const isGone = renamed !== undefined && !saved.some(({ id }) => id === renamed.query.id)
  // What is typed for it stays, where it stood.
  const all = isGone ? saved.toSpliced(renamed.at, 0, renamed.query) : saved
  const item = (one: StoredQuery): ReactElement => (
    <SavedItem
      key={one.id}
      saved={one}
      shown={query}
      isGone={isGone && one === renamed.query}
      onRename={(isOpen) => {
        setRenamed(isOpen ? { query: one, at: saved.indexOf(one) } : undefined)
      }}
      whyNotShared={whyNotShared}
      onRun={onRun}
      onTask={run}
      onDelete={() => {
        run({ is: 'delete', id: one.id, version: one.version }, setDeleted)
      }}
    />
  )
  const [sought, setSought] = useState('')
  const isFound = ({ name, query: text }: { readonly name: string; readonly query: string }) =>
    `${name}\n${text}`.toLowerCase().includes(sought.trim().toLowerCase())
  const found = all.filter((one) => isFound(one) || one.id === renamed?.query.id)
  const mine = found.filter(({ shared }) => !shared)
  const shared = found.filter((one) => one.shared)
  const foundHere = configured.filter(isFound)
  return (
    <Stack gap={4}>
      <SaveForm query={query} whyNotShared={whyNotShared} isSaving={task.isPending} onSave={run} />
      <Refusal task={task} onReplace={run} />
      {deleted !== undefined && (
        <Notice
          role="status"
          tone="none"
          action={
            <Button
              ref={focusNow}
              size="compact-xs"
              variant="default"
              onClick={() => {
                run({ is: 'restore', id: deleted.id })
              }}
            >
              Undo
            </Button>
          }
        >
          {`Deleted ${deleted.name}.`}
        </Notice>
      )}
      {error !== null && (
        <RetryNotice
          sentence={`Saved queries aren't available. ${error.message}`}
          onRetry={() => void refetch()}
        />
      )}
      <DeviceQueries onRun={onRun} />
      {all.length + configured.length > 10 && (
        <TextInput
          size="xs"
          label="Find a saved query"
          placeholder="Name or query"
          value={sought}
          onChange={({ currentTarget }) => {
            setSought(currentTarget.value)
          }}
        />
      )}
      {found.length + foundHere.length === 0 && sought !== '' && (
        <Text fz="xs" c="dimmed" role="status">
          No saved query contains “{sought.trim()}”.
        </Text>
      )}
      {(mine.length > 0 || sought === '') && (
        <Section title="Yours">
          {mine.length === 0 && error === null && (
            <Text fz="xs" c="dimmed">
              {isPending ? 'Loading…' : 'None yet.'}
            </Text>
          )}
          {mine.map(item)}
        </Section>
      )}
      {shared.length > 0 && <Section title="Shared with everyone">{shared.map(item)}</Section>}
      {foundHere.length > 0 && (
        <Section title="From the configuration">
          {foundHere.map((one) => (
            <Choice
              key={one.name}
              name={one.name}
              text={one.description ?? one.query}
              onRun={() => {
                onRun({ query: one.query })
              }}
            />
          ))}
        </Section>
      )}
    </Stack>
  )
}

/** Whoever scrolled down a long list sees it, too. */
function showNow(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' })
}

/** What had the focus is gone: it goes on with what came in its place. */
function focusNow(element: HTMLElement | null): void {
  element?.focus()
}

/** A name for what is shown; what was typed stays until it is saved. */
function SaveForm({
  query: { query, zone },
  whyNotShared,
  isSaving,
  onSave,
}: {
  query: RunnableQuery
  whyNotShared: string | undefined
  isSaving: boolean
  onSave: (task: SavedQueryTask, onDone: () => void) => void
}): ReactElement {
  const [name, setName] = useDraftState('query.name', z.string(), '')
  const [isShared, setShared] = useState(false)
  const isEmpty = query.trim() === ''
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim() === '' || isEmpty || isSaving) return
        const saved = { name: name.trim(), query, zone: zone ?? null, shared: isShared }
        onSave({ is: 'save', query: saved }, () => {
          setName('')
        })
      }}
    >
      <NameField
        label="Name for this query"
        placeholder={isEmpty ? 'Run a query to save it' : 'Name for this query'}
        name={name}
        button="Save"
        isDisabled={isEmpty}
        isSending={isSaving}
        onName={setName}
      />
      <Checkbox
        size="xs"
        py={4}
        label="Share with everyone"
        checked={isShared}
        disabled={isEmpty || whyNotShared !== undefined}
        description={whyNotShared}
        onChange={({ currentTarget }) => {
          setShared(currentTarget.checked)
        }}
      />
    </form>
  )
}

/** Why it was not done; where another query is in the way, that query and the choice. */
function Refusal({
  task: { error, variables, reset },
  onReplace,
}: {
  task: ReturnType<typeof useSavedQueryTask>
  onReplace: (task: SavedQueryTask) => void
}): ReactElement | null {
  if (error === null) return null
  const current = conflictIn(error)
  return (
    <div ref={showNow}>
      <Notice
        role="alert"
        tone="bad"
        action={
          current !== undefined && (
            <Group gap={4} wrap="nowrap">
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => {
                  onReplace(replacing(variables, current))
                }}
              >
                {variables.is === 'delete' ? 'Delete anyway' : 'Replace it'}
              </Button>
              <Button size="compact-xs" variant="subtle" onClick={reset}>
                Keep it
              </Button>
            </Group>
          )
        }
      >
        {error.message}
        {current !== undefined && (
          <Text fz="xs" ff="monospace" lineClamp={3} title={current.query}>
            {current.query}
          </Text>
        )}
      </Notice>
    </div>
  )
}

/** What this browser kept by itself before queries were saved on the server; it can be moved once. */
function DeviceQueries({ onRun }: { onRun: (query: RunnableQuery) => void }): ReactElement | null {
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
