import { Checkbox, Group, Text, TextInput } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BoardAddress } from './board-address.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'

/** What of the board is looked at; all of it stands in the address. */
export function BoardFilters({
  address,
  scans,
  shown,
  all,
  onChange,
}: {
  address: BoardAddress
  scans: readonly string[]
  shown: number
  all: number
  onChange: (change: Partial<BoardAddress>) => void
}): ReactElement {
  return (
    <Group role="search" gap="8px 16px">
      <Checkbox
        label="Failing only"
        checked={address.onlyFailing}
        onChange={({ target }) => {
          onChange({ onlyFailing: target.checked })
        }}
      />
      <TextInput
        type="search"
        w={240}
        maw="100%"
        aria-label="Package or policy contains"
        placeholder="Package or policy contains…"
        value={address.text}
        onChange={({ target }) => {
          onChange({ text: target.value })
        }}
      />
      <InlineSelect
        label="Scan"
        value={address.scan}
        onChange={(scan) => {
          onChange({ scan })
        }}
      >
        <option value="">all</option>
        {scans.map((scan) => (
          <option key={scan}>{scan}</option>
        ))}
      </InlineSelect>
      <InlineSelect
        label="Order"
        value={address.order}
        onChange={(order) => {
          onChange({ order: order === 'written' ? 'written' : 'worst' })
        }}
      >
        <option value="worst">worst first</option>
        <option value="written">as written</option>
      </InlineSelect>
      {shown < all && (
        <Text span inherit c="dimmed">
          {shown} of {all} packages shown
        </Text>
      )}
    </Group>
  )
}
