import { ActionIcon, Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import {
  columnMeaning,
  columnOfValue,
  plainColumns,
  type ShownColumn,
} from '../../domain/build-table/build-columns.tsx'
import {
  movedColumn,
  resizedColumn,
  toggledColumn,
} from '../../domain/build-table/column-changes.ts'
import { MenuPopover } from '../../ui/menu-popover.tsx'

/** Which columns there are, in which order and how wide. */
export function ColumnMenu({
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
        value={width}
        onChange={(typed) => {
          if (typeof typed === 'number') onChange(resizedColumn(columns, name, typed))
        }}
      />
      {mover('left', '↑', -1, isFirst)}
      {mover('right', '↓', 1, isLast)}
    </Group>
  )
}
