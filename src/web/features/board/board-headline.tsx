import { Progress, Stack, Text } from '@mantine/core'
import { memo, type ReactElement, type ReactNode, useMemo } from 'react'
import { type BoardCell, type BoardRow, outcomeVerdict } from '../../../policy/board-row.ts'
import { boardSentence } from '../../../policy/board-sentence.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { type BoardSnapshot, isGoing } from '../../data/board/board-run.ts'
import { RelativeTime, useDerivedFromNow } from '../../ui/time.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { PageHeader } from '../../ui/page.tsx'
import { type PlaceState, verdictLacking } from '../../../policy/decision.ts'
import { whyNot } from '../../../protocol/permission.ts'
import { placeKey } from '../../../protocol/decision.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { useSessionUser } from '../../data/core/services.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { ReleaseDecision } from '../../domain/release/release-decision.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'

const tones = {
  releasable: 'good',
  // What only a waiver lets pass is never shown like what passed.
  'releasable-with-waivers': 'waiting',
  // Nor what was released without proof that weighs.
  'releasable-unchecked': 'waiting',
  'not-releasable': 'bad',
  undecided: 'waiting',
  open: 'waiting',
} as const

/** The verdict of a board with its sentence, and how that looks. */
export function boardVerdict(rows: readonly BoardRow[]) {
  const { text, more, verdict: said } = boardSentence(rows)
  const isWaived = rows.some((row) => row.verdict === 'releasable-with-waivers')
  const verdict = said === 'releasable' && isWaived ? 'releasable-with-waivers' : said
  return { text, more, verdict, tone: tones[verdict] }
}

/** The answer of the board in one sentence; below it what it is of, and how far a run has come. */
export const BoardHeadline = memo(function BoardHeadline({
  title,
  rows,
  scans,
  snapshot,
  isLoadingWaivers,
  actions,
}: {
  title: string
  rows: readonly BoardRow[]
  scans: number
  snapshot: BoardSnapshot
  /** What fails may be waived: that isn't known yet. */
  isLoadingWaivers: boolean
  actions: ReactNode
}): ReactElement {
  const { text: sentence, more, verdict: said, tone } = useMemo(() => boardVerdict(rows), [rows])
  // A cell without a result may have one that others recorded.
  const hasOpen = rows.some((row) => row.verdict === 'open')
  const isOpen = snapshot.isLookingUp && hasOpen
  const isUnknown = snapshot.lookUpFault !== undefined && hasOpen
  const isUndecided = isLoadingWaivers && said === 'not-releasable'
  const text = isOpen
    ? 'Loading recorded results…'
    : isUnknown
      ? "Recorded results can't be loaded."
      : isUndecided
        ? 'Loading waivers…'
        : sentence
  const verdict = isUndecided || isUnknown ? 'open' : said
  const { state, run } = snapshot
  const progress = useDerivedFromNow((now) => progressText(snapshot, now) ?? '')
  const oldest = useMemo(() => oldestResult(snapshot.cells.values()), [snapshot])
  return (
    <PageHeader
      title={
        <>
          <strong>{title}</strong>
          <span>
            {countOf(rows.length, 'package')}, {countOf(scans, 'scan')}
            {(oldest !== undefined || isOpen) && ', oldest result '}
            {oldest === undefined ? isOpen && 'loading…' : <RelativeTime at={oldest} />}
          </span>
        </>
      }
      sentence={text}
      tone={isUndecided || isUnknown ? tones.open : tone}
      attributes={{
        'data-verdict': verdict,
        'data-pending': isOpen || isUndecided ? '' : undefined,
      }}
      actions={actions}
    >
      {/* What counts down is not read out; the end is. */}
      <span role="status">
        <VisuallyHidden>{isGoing(state) ? 'Evaluating the board' : text}</VisuallyHidden>
      </span>
      {more !== '' && text === sentence && <Text c="dimmed">{more}</Text>}
      {!snapshot.isKept && (
        <Text c="var(--waiting-ink)">
          This browser can't store the results. They are lost when you close the page.
        </Text>
      )}
      {progress !== '' && run !== undefined && (
        <Stack gap={4}>
          <Progress.Root
            size={6}
            role="progressbar"
            aria-label="Evaluated"
            aria-valuemin={0}
            aria-valuemax={run.total}
            aria-valuenow={run.done}
            aria-valuetext={progress}
          >
            <Progress.Section withAria={false} value={(100 * run.done) / Math.max(1, run.total)} />
          </Progress.Root>
          <Text data-testid="progress">{progress}</Text>
        </Stack>
      )}
    </PageHeader>
  )
})

/** When the oldest of the results came in, epoch ms; undefined where there is none. */
export function oldestResult(cells: Iterable<BoardCell>): number | undefined {
  let oldest: number | undefined
  for (const { known } of cells) {
    if (known !== undefined && (oldest === undefined || known.at < oldest)) oldest = known.at
  }
  return oldest
}

/** How far a run has come, as text; undefined where none goes on. `now` is epoch ms. */
function progressText(snapshot: BoardSnapshot, now: number): string | undefined {
  const { state, run } = snapshot
  const done = run === undefined ? '' : `${countText(run.done)} of ${countText(run.total)} done`
  const seconds = (until: number): number => Math.max(0, Math.ceil((until - now) / 1000))
  switch (state.is) {
    case 'idle':
      return undefined
    case 'stopped':
      return `Stopped: ${state.problem.sentence} ${done}`
    case 'paused':
      return `Paused, ${done}. Running evaluations will finish.`
    case 'following':
      return `Evaluating in another tab, ${done}`
    case 'reconnecting':
      return `${state.problem.sentence} Retrying in ${seconds(state.until)} s, ${done}`
    case 'running':
      return `${inWork(snapshot, now).join(', ')}; ${done}`
  }
}

/** What of a run is in work at `now`, epoch ms; where nothing is, the service is still busy with what was requested before. */
export function inWork({ cells }: Pick<BoardSnapshot, 'cells'>, now: number): readonly string[] {
  let busy = 0
  let waiting = 0
  let next = Infinity
  for (const { doing } of cells.values()) {
    if (doing.is === 'asking' || doing.is === 'reading') busy += 1
    if (doing.is !== 'waiting') continue
    waiting += 1
    next = Math.min(next, doing.until)
  }
  const isDue = next <= now
  if (busy === 0 && (waiting === 0 || isDue)) return ['Waiting for the policy service']
  const soon = isDue ? '' : ` (next in ${Math.ceil((next - now) / 1000)} s)`
  return [
    `Evaluating ${countText(busy)}`,
    ...(waiting > 0 ? [`waiting ${countText(waiting)}${soon}`] : []),
  ]
}

/** The decision on a board, and the recorded runs that it stands on. */
export const BoardDecision = memo(function BoardDecision({
  board,
  title,
  rows,
  areWaiversKnown,
  areRunsKnown,
}: {
  /** Its name, by which everybody finds its decisions. */
  board: string
  title: string
  rows: readonly BoardRow[]
  areWaiversKnown: boolean
  /** Whether the recorded runs could be read: without them nothing is released. */
  areRunsKnown: boolean
}): ReactElement | null {
  // A package may stand on a board twice; it is decided on once.
  const places = useMemo(
    () => [...new Map(rows.flatMap(placesOf).map((one) => [placeKey(one), one])).values()],
    [rows],
  )
  const user = useSessionUser()
  // Of a board one package outside somebody's limits is enough.
  const limit = useMemo(
    () =>
      rows
        .flatMap(({ of, cells }) =>
          cells.flatMap((cell) =>
            cell === undefined ? [] : packageSubject(of.address, cell.place.scan),
          ),
        )
        .find((one) => user !== undefined && whyNot(user, 'decide', one) !== undefined),
    [rows, user],
  )
  if (places.length === 0) return null
  return (
    <ReleaseDecision
      subject={{ is: 'board', board }}
      name={title}
      places={places}
      areWaiversKnown={areWaiversKnown}
      evidenceOf={(decision) => (
        <EvidenceBundle of={{ decision }} label="Evidence of the decision" />
      )}
      limit={limit}
      areRunsKnown={areRunsKnown}
      // The step that comes next, once nothing holds the board back.
      variant={boardVerdict(rows).verdict.startsWith('releasable') ? 'filled' : 'default'}
    />
  )
})

/** A package of a board as what is decided on. */
export function placesOf({ of, cells }: BoardRow): readonly PlaceState[] {
  const { address, sha256, repositoryUrl } = of
  return cells.flatMap((one): PlaceState[] => {
    if (one === undefined) return []
    const { known } = one.cell
    const place = { packagePath: packagePath(address), sha256, repositoryUrl, scan: one.place.scan }
    const id = known?.outcome.evaluation
    // What failed to be evaluated, or was not recorded, is nothing to stand on.
    if (known === undefined || typeof id !== 'string' || one.cell.fault !== undefined) {
      return [{ ...place, run: undefined, verdict: 'open', missing: [], unchecked: [] }]
    }
    const { by = '', ended = 'complete' } = known.outcome
    const run = { id, by, endedAt: known.at, ended, sha256, repositoryUrl }
    const { missing, unchecked, mayLack } = one
    const verdict = verdictLacking(outcomeVerdict(known.outcome, one.waived), mayLack)
    return [{ ...place, run, verdict, missing, unchecked, mayLack }]
  })
}
