import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Stack,
  Text,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { Query } from '../../../search/tree.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { seenValues } from '../../ui/query-editor/query-assistance.ts'
import {
  columnMeaning,
  columnOfValue,
  plainColumns,
  type ShownColumn,
  withinBounds,
} from '../../domain/build-table/build-columns.tsx'
import { ExportMenu } from './export-menu.tsx'
import { startRange, withoutStart } from './query-time.ts'
import { type SearchPage, useServerNow } from './use-search-page.ts'
import { useServices } from '../../data/core/services.ts'
import { movedColumn, resizedColumn, toggledColumn } from '../../domain/build-table/column-edge.tsx'
import { MenuPopover } from '../../ui/menu-popover.tsx'

/** The most custom values that are offered as columns, and in how many builds they are looked for. */
const mostValueNames = 12
const mostBuilds = 500

/** What can be done with all that was found: columns, files, the same search on the server's page. */
export function ResultTools({
  page,
  builds,
  columns,
  isComplete,
  onColumns,
  onResetColumns,
}: {
  page: SearchPage
  builds: readonly Facts[]
  columns: readonly ShownColumn[]
  isComplete: boolean
  onColumns: (columns: readonly ShownColumn[]) => void
  onResetColumns: () => void
}): ReactElement {
  const serverLink = useServerLink(page)
  const valueNames = useMemo(
    () =>
      seenValues(builds.slice(0, mostBuilds), 'value')
        .slice(0, mostValueNames)
        .map(({ value }) => value),
    [builds],
  )
  return (
    <Group gap={4}>
      {serverLink !== undefined && (
        <Anchor href={serverLink} target="_blank" rel="noreferrer">
          On the build server<span aria-hidden="true"> ↗</span>
        </Anchor>
      )}
      <ColumnMenu {...{ columns, valueNames }} onChange={onColumns} onReset={onResetColumns} />
      <ExportMenu {...{ page, builds, columns, isComplete }} />
    </Group>
  )
}

function useServerLink({ query, timeZone }: SearchPage): string | undefined {
  const { data } = useQuery(configQuery(useServices().request))
  const serverNow = useServerNow()
  const server = data?.upstreams.buildData
  return useMemo(
    () => serverSearchLink(server, query, { now: serverNow(), timeZone }),
    [server, query, timeZone, serverNow],
  )
}

/**
 * The same search on the build server's own page (docs/services.md#build-page-links), undefined
 * where there is no such server. That page has its own window of time, and its search knows no
 * buildStartTime.
 */
export function serverSearchLink(
  server: ProxyConfig['upstreams']['buildData'] | undefined,
  query: Query,
  at: { readonly now: number; readonly timeZone: string },
): string | undefined {
  if (server?.kind !== 'server' || server.origin === null) return undefined
  const { from = 1, to = at.now } = startRange(query, at)
  const text = toApiQuery(parse(withoutStart(query)), { timeZone: at.timeZone }).trim()
  const search = new URLSearchParams({
    ...(text === '' ? {} : { 'search.query': text }),
    'search.startTimeMin': String(Math.max(1, Math.floor(from))),
    'search.startTimeMax': String(Math.floor(to)),
    'search.timeZoneId': at.timeZone,
  })
  return `${server.origin}/scans?${search.toString().replaceAll('+', '%20')}`
}

/** Which columns there are, in which order and how wide. */
function ColumnMenu({
  columns,
  valueNames,
  onChange,
  onReset,
}: {
  columns: readonly ShownColumn[]
  /** The custom values of the builds shown, the most frequent first. */
  valueNames: readonly string[]
  onChange: (columns: readonly ShownColumn[]) => void
  onReset: () => void
}): ReactElement {
  const offered = [...plainColumns, ...valueNames.map(columnOfValue)].filter(
    (name) => !columns.some((column) => column.name === name),
  )
  return (
    <MenuPopover label="Columns" width={340}>
      {() => (
        <>
          <Text fz="xs" fw={600} c="dimmed">
            Shown, from left to right
          </Text>
          <Stack component="ul" gap={2} m={0} p={0}>
            {columns.map((column, index) => (
              <ShownItem
                key={column.name}
                column={column}
                isFirst={index === 0}
                isLast={index === columns.length - 1}
                columns={columns}
                onChange={onChange}
              />
            ))}
          </Stack>
          <Text fz="xs" fw={600} c="dimmed">
            More
          </Text>
          {offered.map((name) => (
            <Checkbox
              key={name}
              size="xs"
              py={4}
              label={columnMeaning(name).heading}
              checked={false}
              onChange={() => {
                onChange(toggledColumn(columns, name))
              }}
            />
          ))}
          <Button size="compact-sm" variant="subtle" onClick={onReset}>
            Reset columns
          </Button>
        </>
      )}
    </MenuPopover>
  )
}

function ShownItem({
  column: { name, width },
  isFirst,
  isLast,
  columns,
  onChange,
}: {
  column: ShownColumn
  isFirst: boolean
  isLast: boolean
  columns: readonly ShownColumn[]
  onChange: (columns: readonly ShownColumn[]) => void
}): ReactElement {
  const { heading } = columnMeaning(name)
  /** What is being typed: the beginning of a width may be none that a column can have. */
  const [typed, setTyped] = useState<number | string>()
  const setWidth = (wanted: number): void => {
    onChange(resizedColumn(columns, name, wanted))
  }
  const keep = (): void => {
    if (typeof typed === 'number') setWidth(typed)
    setTyped(undefined)
  }
  const mover = (label: string, sign: string, by: number, isEnd: boolean): ReactElement => (
    <ActionIcon
      variant="subtle"
      size="sm"
      aria-label={`Move ${heading} to the ${label}`}
      disabled={isEnd}
      onClick={() => {
        onChange(movedColumn(columns, name, by))
      }}
    >
      {sign}
    </ActionIcon>
  )
  return (
    <Group component="li" gap={4} wrap="nowrap">
      <Checkbox
        flex={1}
        size="xs"
        label={heading}
        checked
        disabled={columns.length === 1}
        onChange={() => {
          onChange(toggledColumn(columns, name))
        }}
      />
      <NumberInput
        size="xs"
        w={64}
        hideControls
        aria-label={`Width of ${heading} in pixels`}
        step={20}
        value={typed ?? width}
        onChange={(next) => {
          setTyped(next)
          if (typeof next === 'number' && withinBounds(name, next) === next) setWidth(next)
        }}
        onBlur={keep}
        onKeyDown={({ key }) => {
          if (key === 'Enter') keep()
        }}
      />
      {mover('left', '↑', -1, isFirst)}
      {mover('right', '↓', 1, isLast)}
    </Group>
  )
}
