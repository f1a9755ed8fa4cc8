import { Group, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import type { BoardRow } from '../../../policy/board-row.ts'
import type { Board } from '../../../policy/board.ts'
import { useRecordedRows } from '../../domain/run/recorded-rows.ts'
import { RetryNotice } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { boardVerdict, oldestResult } from './board-headline.tsx'

/** How a board stands by recorded results. */
export function BoardStanding({ board }: { board: Board }): ReactElement {
  const { rows, fault, retry } = useRecordedRows(board)
  if (fault !== undefined) {
    return (
      <RetryNotice
        sentence={`Recorded results aren't available. ${fault}`}
        onRetry={() => void retry()}
      />
    )
  }
  if (rows === undefined) return <p role="status">Loading recorded results…</p>
  return <Standing rows={rows} />
}

function Standing({ rows }: { rows: readonly BoardRow[] }): ReactElement {
  const { text, tone } = boardVerdict(rows)
  const oldest = useMemo(
    () => oldestResult(rows.flatMap(({ cells }) => cells.flatMap((one) => one?.cell ?? []))),
    [rows],
  )
  return (
    <>
      <Group gap={6} wrap="nowrap" align="flex-start" c={`var(--${tone}-ink)`}>
        <Group h="1lh">
          <StatusShape tone={tone} />
        </Group>
        <span>{text}</span>
      </Group>
      {oldest !== undefined && (
        <Text inherit c="dimmed">
          Oldest result <RelativeTime at={oldest} />
        </Text>
      )}
    </>
  )
}
