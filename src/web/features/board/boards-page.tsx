import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link, useSearchParams } from 'react-router'
import type { BoardRow } from '../../../policy/board-row.ts'
import { type Board, configuredBoard } from '../../../policy/board.ts'
import { countOf } from '../../../protocol/count.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useRecordedRows } from '../../domain/run/recorded-rows.ts'
import { AllWaiversNotice } from '../../domain/waiver/waiver-mark.tsx'
import { basePath } from '../../ui/base-path.ts'
import { copyText } from '../../ui/copy.tsx'
import { type PastedBoard, usePreferences } from '../../ui/device-preferences.ts'
import { canStore } from '../../ui/drafts.ts'
import { DrawnNear } from '../../ui/near-screen.tsx'
import { EmptyState, PageHeader, Section } from '../../ui/page.tsx'
import { RetryNotice } from '../../ui/problem.tsx'
import { StatusShape } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import {
  BoardForm,
  boardInAddress,
  LineMistakes,
  mostKept,
  readPastedBoard,
  shareableAddress,
  useKnownHere,
} from './pasted-board.tsx'
import { BoardScreen } from './board-screen.tsx'
import { boardVerdict, oldestResult } from './board-headline.tsx'
import page from '../../ui/page.module.css'
import css from './board.module.css'
import { useServices } from '../../data/core/services.ts'

/** The boards there are, and a place to paste one; with a list in the address, that board. */
export function BoardsPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <BoardsScreen />
    </PolicyServiceScope>
  )
}

function BoardsScreen(): ReactElement {
  const [search] = useSearchParams()
  const { boards = [] } = usePreferences()
  const kept = search.get('kept')
  const list = search.get('list')
  const scans = search.get('scans')
  const title = search.get('title')
  const pasted = useMemo(
    () =>
      list === null
        ? boards.find(({ id }) => id === kept)
        : boardInAddress(new URLSearchParams({ list, scans: scans ?? '', title: title ?? '' })),
    [boards, kept, list, scans, title],
  )
  if (pasted !== undefined) return <PastedScreen pasted={pasted} isInAddress={list !== null} />
  if (kept !== null) {
    return (
      <EmptyState
        title="This browser doesn't have this board."
        heading="h1"
        action={<Link to="/board">All boards</Link>}
      >
        <p>
          Its list is too long for a link, so only the browser where it was pasted has it, while it
          is among the {mostKept} newest there. Copy the list there and paste it here.
        </p>
      </EmptyState>
    )
  }
  return <AllBoards />
}

function AllBoards(): ReactElement {
  const { data, error, isPending, refetch } = useQuery(configQuery(useServices().request))
  const { boards: pasted = [] } = usePreferences()
  const configured = useMemo(
    () => (data?.boards ?? []).map((one) => ({ name: one.name, ...configuredBoard(one) })),
    [data],
  )
  const hasBoards = configured.length + pasted.length > 0
  return (
    <div className={page.page}>
      <PageHeader sentence="Can this release go out? Choose a board, or paste its packages." />
      {configured.length > 0 && <AllWaiversNotice />}
      {data === undefined && error !== null && (
        <RetryNotice
          sentence={`Configured boards aren't available. ${error.message}`}
          onRetry={() => void refetch()}
        />
      )}
      {/* Where the form stands is known once there is a list or none. */}
      {!isPending && (
        <div className={page.columns} data-page={hasBoards ? 'choice' : 'form'}>
          {hasBoards && (
            <div className={page.column}>
              {configured.length > 0 && (
                <Section title="Configured boards">
                  <ul className={`${page.box} ${css.list}`}>
                    {configured.map(({ name, board, mistakes }) => (
                      <li key={name}>
                        <Link to={`/board/${encodeURIComponent(name)}`}>{board.title}</Link>{' '}
                        <Text span inherit c="dimmed">
                          {countOf(board.packages.length, 'package')}
                          {mistakes.length > 0 && ` (${mistakes.length} more unreadable)`},{' '}
                          {board.scans.join(', ')}
                        </Text>
                        <DrawnNear height={48}>
                          <BoardStanding board={board} />
                        </DrawnNear>
                      </li>
                    ))}
                  </ul>
                </Section>
              )}
              {pasted.length > 0 && (
                <Section title="Pasted boards">
                  <ul className={`${page.box} ${css.list}`}>
                    {pasted.map(({ id, title, text, scans }) => (
                      <li key={id}>
                        <Link to={`/board?kept=${id}`}>{title}</Link>{' '}
                        <Text span inherit c="dimmed">
                          {countOf(text.trim().split('\n').length, 'line')}, {scans.join(', ')}
                        </Text>
                      </li>
                    ))}
                  </ul>
                </Section>
              )}
            </div>
          )}
          <div className={page.column}>
            <BoardForm />
          </div>
        </div>
      )}
    </div>
  )
}

/** How a board stands by recorded results. */
function BoardStanding({ board }: { board: Board }): ReactElement {
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
          Oldest result: <RelativeTime at={oldest} />
        </Text>
      )}
    </>
  )
}

/** A board that was pasted: says which lines are left out, and whether it can be sent as a link. */
function PastedScreen({
  pasted,
  isInAddress,
}: {
  pasted: Omit<PastedBoard, 'id'>
  isInAddress: boolean
}): ReactElement {
  const { artifactOf } = useKnownHere()
  const [isStored] = useState(() => canStore(pasted.text.length))
  const [isEditing, setEditing] = useState(false)
  const { id, board, mistakes } = useMemo(
    () => readPastedBoard(pasted, artifactOf),
    [pasted, artifactOf],
  )
  const address = shareableAddress(pasted)
  return (
    <BoardScreen id={id} board={board}>
      <Group gap="8px 16px">
        <Text span inherit c="dimmed">
          {isInAddress
            ? 'The link contains the complete list. Anyone who opens it sees this board, with their own results.'
            : address === undefined && !isStored
              ? "This browser can't store the list, which is too long for a link. Keep a copy: it is lost when you close or reload the page."
              : address === undefined
                ? 'The list is too long for a link and is stored in this browser.'
                : 'The list is stored in this browser. Copy the link to share it.'}
        </Text>
        {address !== undefined && (
          <Button
            variant="default"
            onClick={() => {
              void copyText(new URL(basePath + address.slice(1), location.href).href)
            }}
          >
            Copy link
          </Button>
        )}
        <Button
          variant="default"
          aria-expanded={isEditing}
          onClick={() => {
            setEditing(!isEditing)
          }}
        >
          Edit list
        </Button>
      </Group>
      {isEditing ? <BoardForm start={pasted} /> : <LineMistakes mistakes={mistakes} />}
    </BoardScreen>
  )
}
