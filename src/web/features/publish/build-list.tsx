import { Box, Button, CloseButton, Flex, Group, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { toolName } from '../../../protocol/build-tool.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-data.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { refusalKind } from '../../data/core/problem-words.ts'
import { buildSummaryQuery } from '../../data/builds/build-queries.ts'
import { BuildTime } from '../../ui/time.tsx'
import { StatusMark, StatusShape } from '../../ui/status-mark.tsx'
import { addedText, buildIdMistake, withBuildIds } from './publish-draft.ts'
import css from './publish.module.css'
import { Section } from '../../ui/page.tsx'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'

/** From so many on they can be removed together. */
const manyBuilds = 10

/**
 * The builds that are published of, and a field to add some by their ids. `pasted` is what stands in
 * the field: it is published of as well, so that nothing is left out without a word.
 */
export function BuildList({
  builds,
  pasted,
  mistake,
  onPasted,
  onChange,
}: {
  builds: readonly string[]
  pasted: string
  mistake: string | undefined
  onPasted: (text: string) => void
  onChange: (builds: readonly string[]) => void
}): ReactElement {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const { data } = useQuery(configQuery(useServices().request))
  const [added, setAdded] = useState('')
  const wrong = builds.filter((one) => buildIdMistake(one) !== undefined)

  function add(): void {
    if (pasted.trim() === '') return
    onChange(withBuildIds(builds, pasted))
    setAdded(addedText(builds, pasted))
    onPasted('')
  }

  return (
    <Section
      title={
        builds.length === 0
          ? 'Builds'
          : `Builds: ${countOf(builds.length - wrong.length, 'build')} selected`
      }
    >
      {mistake !== undefined && (
        <Text fw={600} c="var(--bad-ink)" role="alert">
          {mistake}
        </Text>
      )}
      {builds.length > 0 && (
        <ChosenBuilds
          builds={builds}
          onRemove={(removed) => {
            onChange(builds.filter((one) => one !== removed))
          }}
        />
      )}
      {wrong.length > 1 && (
        <Button
          size="compact-xs"
          variant="default"
          style={{ justifySelf: 'start' }}
          onClick={() => {
            onChange(builds.filter((one) => buildIdMistake(one) === undefined))
          }}
        >
          Remove the {wrong.length} that aren't build ids
        </Button>
      )}
      {builds.length >= manyBuilds && (
        <Button
          size="compact-xs"
          variant="default"
          style={{ justifySelf: 'start' }}
          onClick={() => {
            onChange([])
            field.current?.focus()
          }}
        >
          Remove all {countText(builds.length)}
        </Button>
      )}
      <Group gap={8} align="flex-start" wrap="nowrap">
        <Textarea
          ref={field}
          flex={1}
          name="builds"
          rows={2}
          styles={{ input: { fontFamily: 'var(--font-mono)' } }}
          value={pasted}
          aria-label="Add builds by id"
          aria-describedby={`${id}-hint`}
          placeholder="k3j7x2m4q7a4c, one per line or comma-separated"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setAdded('')
            onPasted(event.currentTarget.value)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            add()
          }}
        />
        <Button variant="default" disabled={pasted.trim() === ''} onClick={add}>
          Add builds
        </Button>
      </Group>
      <Text fz="xs" c="dimmed" id={`${id}-hint`}>
        Build ids or URLs.
        {data?.upstreams.buildData.kind !== 'none' && (
          <>
            {' '}
            Or select builds in the <Link to="/builds">build search</Link> and press “Publish”
            there.
          </>
        )}
      </Text>
      <Text fz="xs" c="dimmed" mih="1.4em" role="status" data-testid="builds-added">
        {added}
      </Text>
    </Section>
  )
}

/** Where a row stands in a list of which only a part is drawn. */
export interface RowPlace {
  readonly index: number
  readonly of: number
  /** px from the top of the list. */
  readonly top: number
  readonly measure: (row: HTMLLIElement | null) => void
}

/** One of the chosen builds, or an entry that is none, with the reason. */
function BuildRow({
  id,
  place,
  onRemove,
}: {
  id: string
  place?: RowPlace
  onRemove: () => void
}): ReactElement {
  const mistake = buildIdMistake(id)
  return (
    <li
      className={css.row}
      data-build-id={id}
      data-wrong={mistake !== undefined}
      {...(place !== undefined && {
        ref: place.measure,
        'data-index': place.index,
        'aria-setsize': place.of,
        'aria-posinset': place.index + 1,
        style: { transform: `translateY(${place.top}px)` },
      })}
    >
      {mistake === undefined ? (
        <>
          <Box component={Link} to={`/builds/${id}`} ff="monospace" fz="xs">
            {id}
          </Box>
          <KnownBuild id={id} />
        </>
      ) : (
        <>
          <Box component="span" ff="monospace" fz="xs">
            {id}
          </Box>
          <Group component="span" gap={4} wrap="nowrap" c="var(--bad-ink)" fw={600}>
            <StatusShape tone="bad" />
            <span>{mistake}</span>
          </Group>
        </>
      )}
      <CloseButton
        aria-label={`Remove ${id}`}
        onClick={({ currentTarget }) => {
          handFocusOn(currentTarget)
          onRemove()
        }}
      />
    </li>
  )
}

/** After a removal the focus is on the next one, and after the last one in the field. */
function handFocusOn(button: HTMLElement): void {
  const row = button.closest('li')
  const other = row?.nextElementSibling ?? row?.previousElementSibling
  const next = other?.querySelector('button') ?? row?.closest('section')?.querySelector('textarea')
  next?.focus({ preventScroll: true })
}

/** What the build server says of it, where it says anything. */
function KnownBuild({ id }: { id: string }): ReactElement {
  const { data, error } = useQuery(buildSummaryQuery(useServices().request, id))
  if (data !== undefined) return <BuildFacts summary={data} />
  return (
    <Flex component="span" wrap="wrap" align="center" gap="0 12px">
      {error instanceof ProblemError && refusalKind(error) === 'not-found' && (
        <StatusMark tone="waiting" word="unknown to the build server" />
      )}
    </Flex>
  )
}

function BuildFacts({ summary }: { summary: BuildSummary }): ReactElement {
  const facts = factsFromAttributes(toBuildMessage(summary), summary.models ?? {})
  const what = [facts.project, facts.requested?.join(' ')].filter(Boolean).join(' · ')
  return (
    <Flex component="span" wrap="wrap" align="center" gap="0 12px">
      {facts.outcome === 'succeeded' && <StatusMark tone="good" word="succeeded" />}
      {facts.outcome === 'failed' && <StatusMark tone="bad" word="failed" />}
      <span>{what === '' ? toolName(facts.buildTool) : what}</span>
      <BuildTime at={facts.startTime ?? facts.receivedAt} />
    </Flex>
  )
}

/** A list so short that it stands there whole. */
const short = 30

/** The usual height of a row, px; each is measured. */
const usualHeight = 34

interface ChosenBuildsProps {
  readonly builds: readonly string[]
  readonly onRemove: (build: string) => void
}

/** The rows of the chosen builds; of many only those in sight are drawn and looked up. */
function ChosenBuilds({ builds, onRemove }: ChosenBuildsProps): ReactElement {
  if (builds.length > short) return <ManyBuilds builds={builds} onRemove={onRemove} />
  return (
    <ul className={css.list} aria-label="Selected builds">
      {builds.map((build) => (
        <BuildRow
          key={build}
          id={build}
          onRemove={() => {
            onRemove(build)
          }}
        />
      ))}
    </ul>
  )
}

function ManyBuilds({ builds, onRemove }: ChosenBuildsProps): ReactElement {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const virtualizer = useVirtualizer({
    count: builds.length,
    getScrollElement: () => scroller,
    estimateSize: () => usualHeight,
    getItemKey: (index) => builds[index] ?? index,
    overscan: 4,
  })
  return (
    <div
      ref={setScroller}
      className={css.list}
      role="region"
      aria-label="Selected builds"
      // Scrollable by keyboard.
      tabIndex={0}
    >
      <ul
        className={css.many}
        aria-label="Selected builds"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const build = builds[index] ?? ''
          return (
            <BuildRow
              key={key}
              id={build}
              place={{ index, of: builds.length, top: start, measure: virtualizer.measureElement }}
              onRemove={() => {
                onRemove(build)
              }}
            />
          )
        })}
      </ul>
    </div>
  )
}
