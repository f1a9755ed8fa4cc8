import { Flex, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BoardAddress } from './board-address.ts'
import css from './board.module.css'

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
      <Flex component="label" wrap="wrap" align="center" gap={8}>
        <input
          type="checkbox"
          checked={address.onlyFailing}
          onChange={({ target }) => {
            onChange({ onlyFailing: target.checked })
          }}
        />
        Failing only
      </Flex>
      <input
        type="search"
        className={css.text}
        aria-label="Package or policy contains"
        placeholder="Package or policy contains …"
        value={address.text}
        onChange={({ target }) => {
          onChange({ text: target.value })
        }}
      />
      <Flex component="label" wrap="wrap" align="center" gap={8}>
        Scan
        <select
          value={address.scan}
          onChange={({ target }) => {
            onChange({ scan: target.value })
          }}
        >
          <option value="">all</option>
          {scans.map((scan) => (
            <option key={scan}>{scan}</option>
          ))}
        </select>
      </Flex>
      <Flex component="label" wrap="wrap" align="center" gap={8}>
        Order
        <select
          value={address.order}
          onChange={({ target }) => {
            onChange({ order: target.value === 'written' ? 'written' : 'worst' })
          }}
        >
          <option value="worst">worst first</option>
          <option value="written">as written</option>
        </select>
      </Flex>
      {shown < all && (
        <Text span inherit c="dimmed">
          {shown} of {all} packages shown
        </Text>
      )}
    </Group>
  )
}
