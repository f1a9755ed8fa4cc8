import { Button, Group, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import type { Query } from '../../../search/tree.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import {
  dayAt,
  fieldTime,
  startCondition,
  startRange,
  timeLabel,
  timePresets,
  typedRange,
  withoutStart,
  withStart,
} from './query-time.ts'
import { type RefreshChoice, refreshChoices } from './search-address.ts'
import { type SearchPage, useServerNow } from './use-search-page.ts'

/** When builds started, as a part of the query, and how often newer ones are added. */
export function TimePicker({ page }: { page: SearchPage }): ReactElement {
  const { query, timeZone, address, refine, show } = page
  const today = useDerivedFromNow((now) => dayAt(now, timeZone))
  const presets = useMemo(() => timePresets(today), [today])
  const condition = startCondition(query)
  const isAny = withoutStart(query) === query.text
  const label = timeLabel(condition, !isAny, presets)
  const every = address.refresh
  return (
    <MenuPopover
      label={every === 'off' ? label : `${label}, every ${refreshWords[every]}`}
      width={320}
    >
      {(close) => {
        const use = (change: (written: Query) => string): void => {
          close()
          refine(change)
        }
        return (
          <Stack gap={8} p={8}>
            <SimpleGrid cols={2} spacing={4} role="group" aria-label="Presets">
              {presets.map((preset) => (
                <Button
                  key={preset.label}
                  size="compact-xs"
                  variant={preset.condition === condition ? 'filled' : 'default'}
                  fw={400}
                  aria-pressed={preset.condition === condition}
                  onClick={() => {
                    use((written) => withStart(written, preset.condition))
                  }}
                >
                  {preset.label}
                </Button>
              ))}
              <Button
                size="compact-xs"
                variant={isAny ? 'filled' : 'default'}
                fw={400}
                aria-pressed={isAny}
                onClick={() => {
                  use(withoutStart)
                }}
              >
                Any time
              </Button>
            </SimpleGrid>
            <TypedRange page={page} onUse={use} />
            <div>
              <Text size="xs" c="dimmed" mb={2}>
                Auto-refresh
              </Text>
              <SegmentedControl
                fullWidth
                size="xs"
                aria-label="Auto-refresh"
                value={every}
                onChange={(choice) => {
                  show({ refresh: choice })
                }}
                data={refreshChoices.map((value) => ({ value, label: refreshWords[value] }))}
              />
            </div>
          </Stack>
        )
      }}
    </MenuPopover>
  )
}

const refreshWords = {
  off: 'Off',
  '10s': '10 s',
  '30s': '30 s',
  '1m': '1 min',
  '5m': '5 min',
} as const satisfies Record<RefreshChoice, string>

function TypedRange({
  page: { query, timeZone },
  onUse,
}: {
  page: SearchPage
  onUse: (change: (written: Query) => string) => void
}): ReactElement {
  const serverNow = useServerNow()
  const [{ from, to }, setRange] = useState(() => {
    const range = startRange(query, { now: serverNow(), timeZone })
    return { from: fieldTime(range.from, timeZone), to: fieldTime(range.to, timeZone) }
  })
  const [mistake, setMistake] = useState('')
  const change = (part: { readonly from?: string; readonly to?: string }): void => {
    setRange((now) => ({ ...now, ...part }))
    setMistake('')
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const range = typedRange(from, to)
        if ('mistake' in range) setMistake(range.mistake)
        else onUse((written) => withStart(written, range.condition))
      }}
    >
      <Stack gap={4}>
        <TextInput
          type="datetime-local"
          size="xs"
          label="From"
          value={from}
          onChange={(event) => {
            change({ from: event.currentTarget.value })
          }}
        />
        <TextInput
          type="datetime-local"
          size="xs"
          label="To"
          value={to}
          error={mistake === '' ? undefined : mistake}
          onChange={(event) => {
            change({ to: event.currentTarget.value })
          }}
        />
        <Group justify="space-between" gap={8} wrap="nowrap">
          <Text size="xs" c="dimmed">{`${timeZone.replaceAll('_', ' ')} time`}</Text>
          <Button type="submit" size="compact-xs" variant="default">
            Apply range
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
