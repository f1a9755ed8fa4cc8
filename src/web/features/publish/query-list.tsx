import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { countOf } from '../../../protocol/count.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { refusalKind } from '../../data/core/problem-words.ts'
import { buildCountQuery, searchAbilityQuery } from '../../data/builds/build-queries.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { type QueryAssistance, useRested } from '../../ui/query-editor/query-assistance.ts'
import { QueryEditor } from '../../ui/query-editor/query-editor.tsx'
import { QueryExplanation } from '../../ui/query-editor/query-explanation.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { useTicker } from '../../ui/time.tsx'
import css from './publish.module.css'
import { Section } from '../../ui/page.tsx'
import { useBuildServices } from '../../data/core/services.ts'

/** The queries whose builds are published of; what they match is for the service to say. */
export function QueryList({
  queries,
  timeZone,
  mistake,
  onChange,
  onKeep,
}: {
  queries: readonly string[]
  timeZone: string
  mistake: string | undefined
  onChange: (queries: readonly string[]) => void
  onKeep: (queries: readonly string[]) => void
}): ReactElement {
  const list = useRef<HTMLOListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const assistance = useAssistance(timeZone)
  // Rows keep their editor, with its undo history, when one before them goes.
  const [keys, setKeys] = useState<readonly number[]>([])
  if (keys.length !== queries.length)
    setKeys(queries.map((_, index) => keys[index] ?? next(keys) + index))

  return (
    <Section title="Queries">
      {mistake !== undefined && (
        <Text fw={600} c="var(--bad-ink)" role="alert">
          {mistake}
        </Text>
      )}
      {queries.length > 0 && (
        <ol ref={list} className={css.queries}>
          {queries.map((text, index) => (
            <QueryRow
              key={keys[index] ?? -index}
              text={text}
              label={`Query ${index + 1}`}
              assistance={assistance}
              onChange={(changed) => {
                onChange(queries.with(index, changed))
              }}
              onKeep={() => {
                onKeep(queries)
              }}
              onRemove={() => {
                add.current?.focus({ preventScroll: true })
                setKeys(keys.filter((_, at) => at !== index))
                onKeep(queries.filter((_, at) => at !== index))
              }}
            />
          ))}
        </ol>
      )}
      <Button
        ref={add}
        variant="default"
        style={{ justifySelf: 'start' }}
        onClick={() => {
          // An added query is written next.
          flushSync(() => {
            onChange([...queries, ''])
          })
          const row = list.current?.lastElementChild
          row?.querySelector<HTMLElement>('[role="textbox"], textarea')?.focus()
        }}
      >
        Add a query
      </Button>
      <Text fz="xs" c="dimmed">
        The policy service searches when it publishes, so newer builds are included.
      </Text>
    </Section>
  )
}

function useAssistance(timeZone: string): QueryAssistance {
  const { pastQueries } = usePreferences()
  const ticker = useTicker()
  return useMemo(
    () => ({ timeZone, now: ticker.now, values: () => [], history: pastQueries }),
    [timeZone, ticker, pastQueries],
  )
}

function next(keys: readonly number[]): number {
  return Math.max(0, ...keys) + 1
}

/** How long typing rests before the server is requested to count how many builds match, ms. */
const restMs = 600

/** One query: where it is written, what it says, and how many builds it matches now. */
function QueryRow({
  text,
  label,
  assistance,
  onChange,
  onKeep,
  onRemove,
}: {
  text: string
  label: string
  assistance: QueryAssistance
  onChange: (text: string) => void
  onKeep: () => void
  onRemove: () => void
}): ReactElement {
  const { timeZone } = assistance
  const rested = useRested(text, restMs)
  const counted = useMemo(() => countable(rested, timeZone), [rested, timeZone])
  return (
    <li onBlur={onKeep}>
      <Group gap={8} align="flex-start" wrap="nowrap">
        <Box flex={1} miw={0}>
          <QueryEditor
            text={text}
            onChange={onChange}
            onRun={onKeep}
            label={label}
            assistance={assistance}
          />
        </Box>
        <Button variant="default" aria-label={`Remove ${label}`} onClick={onRemove}>
          Remove
        </Button>
      </Group>
      {text.trim() !== '' && (
        <Stack gap={2}>
          {counted !== undefined && <QueryCount query={counted} />}
          <QueryExplanation text={text} timeZone={timeZone} />
        </Stack>
      )}
    </li>
  )
}

/** The query as the server gets it; undefined for none, and for one with errors. */
function countable(text: string, timeZone: string): string | undefined {
  const query = parse(text)
  const isFaulty = check(query).some(({ severity }) => severity === 'error')
  return query.root === undefined || isFaulty ? undefined : toApiQuery(query, { timeZone })
}

/** How many builds a query matches, counted by the build server; `query` is as that gets it. */
function QueryCount({ query }: { query: string }): ReactElement {
  const { reader } = useBuildServices().searches
  const ability = useQuery(searchAbilityQuery(reader, query))
  const count = useQuery(
    ability.data === true
      ? buildCountQuery(reader, query)
      : { queryKey: ['build-count'], queryFn: skipToken },
  )
  const { tone, text } = countText(ability.data, count.data, ability.error ?? count.error)
  return (
    <span role="status" data-testid="query-count">
      <StatusMark tone={tone} word={text} />
    </span>
  )
}

function countText(
  canSearch: boolean | undefined,
  count: number | null | undefined,
  error: Error | null,
): { readonly tone: StatusTone; readonly text: string } {
  if (error instanceof ProblemError && refusalKind(error) === 'no-service') {
    return {
      tone: 'none',
      text: 'Not counted: no build server is connected. The policy service can still search.',
    }
  }
  if (error !== null) return { tone: 'bad', text: `Not counted: ${error.message}` }
  if (canSearch === false) {
    return {
      tone: 'none',
      text: 'Not counted: this build server has no search. The policy service can still search.',
    }
  }
  if (count === undefined) return { tone: 'waiting', text: 'Counting…' }
  if (count === null) return { tone: 'waiting', text: 'Matches more than 5,000 builds.' }
  if (count === 0) return { tone: 'waiting', text: 'Matches no builds.' }
  return { tone: 'info', text: `Matches ${countOf(count, 'build')}.` }
}
