import { Button, Group, Menu } from '@mantine/core'
import { memo, type ReactElement, useCallback } from 'react'
import {
  boardCsv,
  boardJson,
  boardMarkdown,
  type BoardReport,
} from '../../../policy/board-export.ts'
import type { BoardPackage, BoardPlace } from '../../../policy/board.ts'
import { countText } from '../../../protocol/count.ts'
import type { BundleRequest } from '../../../protocol/evidence-bundle.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { BoardRun, BoardSnapshot } from '../../data/board/board-run.ts'
import { packageSubject, usePermitted } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { EvidenceBundle } from '../../domain/run/evidence-bundle.tsx'
import { download } from '../../ui/download.ts'
import { ExportChoices } from '../../ui/export-choices.tsx'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { useTicker } from '../../ui/time.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import css from './board.module.css'

const choices = [4, 16, 64] as const

/** What can be done with a board. */
export const BoardTools = memo(function BoardTools({
  run,
  snapshot,
  places,
  packages,
  report,
}: {
  run: BoardRun
  snapshot: BoardSnapshot
  places: readonly BoardPlace[]
  /** By the rows of the places. */
  packages: readonly BoardPackage[]
  report: () => BoardReport
}): ReactElement {
  const { state, cells, mostInFlight, isLookingUp, lookUpFault } = snapshot
  const isUnknown = isLookingUp || lookUpFault !== undefined
  const subjectOf = useCallback(
    ({ row, scan }: BoardPlace) => {
      const one = packages[row]
      return one === undefined ? {} : packageSubject(one.address, scan)
    },
    [packages],
  )
  const { allowed, button } = usePermitted('evaluate', places, subjectOf)
  const isAllowed = allowed.length > 0
  // Where it is none of them, the buttons say why.
  const within = isAllowed ? allowed : places
  const isPart = within.length < places.length
  const title = isPart ? 'Cells outside your limits are left out.' : undefined
  const failed = within.filter(({ key }) => cells.get(key)?.fault !== undefined)
  const isMissing = ({ key }: BoardPlace): boolean => {
    const cell = cells.get(key)
    return cell?.known === undefined && cell?.fault === undefined
  }
  const missing = within.filter(isMissing)
  const isOn = state.is !== 'idle'
  const isElsewhere = state.is === 'following'
  const all = missing.length === within.length
  const evaluate = (some: readonly BoardPlace[]) => (): void => {
    run.evaluate(some.map(({ key }) => key))
  }
  useKeys('Release board', [
    ...(isAllowed && !isUnknown
      ? [
          {
            keys: ['r'],
            label: 'Evaluate missing or failed cells',
            isCommand: true,
            run: evaluate([...new Set([...missing, ...failed])]),
          } as const,
        ]
      : []),
  ])
  return (
    <Group gap={8}>
      {!isOn && missing.length > 0 && (
        <PermittedButton {...button} title={title} disabled={isUnknown} onClick={evaluate(missing)}>
          {all && !isPart
            ? `Evaluate all ${countText(places.length)}`
            : `Evaluate ${countText(missing.length)} missing`}
        </PermittedButton>
      )}
      {!isElsewhere && failed.length > 0 && (
        <PermittedButton {...button} title={title} variant="default" onClick={evaluate(failed)}>
          Evaluate {countText(failed.length)} failed again
        </PermittedButton>
      )}
      {!isOn && !all && (
        <PermittedButton {...button} title={title} variant="default" onClick={evaluate(within)}>
          {isPart ? `Evaluate ${countText(within.length)} again` : 'Evaluate all again'}
        </PermittedButton>
      )}
      {(state.is === 'running' || state.is === 'reconnecting') && (
        <Button variant="default" onClick={run.pause}>
          Pause
        </Button>
      )}
      {(state.is === 'paused' || state.is === 'stopped') && (
        <Button onClick={run.resume}>Resume</Button>
      )}
      {isOn && !isElsewhere && (
        <Button variant="default" onClick={run.cancel}>
          Cancel
        </Button>
      )}
      <FoldedFilters label="Board tools" word="More" until={900} className={css.inLine}>
        {!isOn && !all && isAllowed && <EvaluateSome places={within} cells={cells} run={run} />}
        <InlineSelect
          label="Parallel evaluations"
          value={String(mostInFlight)}
          isDisabled={isElsewhere || !isAllowed}
          onChange={(most) => {
            run.setMostInFlight(Number(most))
          }}
        >
          {choices.map((most) => (
            <option key={most} value={most}>
              {most}
            </option>
          ))}
        </InlineSelect>
        <ExportChoices
          forms={forms}
          content="All packages, including those that filters hide"
          onChoose={({ ending, type, write }) => {
            const whole = report()
            const file = new Blob([write(whole)], { type: `${type};charset=utf-8` })
            download(file, `${fileName(whole)}.${ending}`)
          }}
        />
        <EvidenceBundle
          of={{ board: () => bundleRequest(report()) }}
          isDisabled={places.every(isMissing)}
        />
        <Button
          variant="default"
          onClick={() => {
            print()
          }}
        >
          Print
        </Button>
      </FoldedFilters>
    </Group>
  )
})

/** Which results are called old, ms. */
const ages = [
  ['an hour', 3_600_000],
  ['a day', 86_400_000],
  ['a week', 7 * 86_400_000],
] as const

/** Evaluates those that fail, or that are older than an age that somebody chooses. */
function EvaluateSome({
  places,
  cells,
  run,
}: {
  places: readonly BoardPlace[]
  cells: BoardSnapshot['cells']
  run: BoardRun
}): ReactElement {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" rightSection={<MenuCaret />}>
          Evaluate some
        </Button>
      </Menu.Target>
      <Menu.Dropdown aria-label="Evaluate some">
        <SomeCells places={places} cells={cells} run={run} />
      </Menu.Dropdown>
    </Menu>
  )
}

/** Counted only once somebody looks. */
function SomeCells({ places, cells, run }: Parameters<typeof EvaluateSome>[0]): ReactElement {
  const ticker = useTicker()
  const failing = places.filter(
    ({ key }) => cells.get(key)?.known?.outcome.verdict === 'not-releasable',
  )
  const olderThan = (ms: number): readonly BoardPlace[] =>
    places.filter(({ key }) => {
      const known = cells.get(key)?.known
      return known !== undefined && ticker.now() - known.at > ms
    })
  const evaluate = (some: readonly BoardPlace[]): void => {
    run.evaluate(some.map(({ key }) => key))
  }
  return (
    <>
      <Menu.Item
        disabled={failing.length === 0}
        onClick={() => {
          evaluate(failing)
        }}
      >
        Failing ({countText(failing.length)})
      </Menu.Item>
      {ages.map(([age, ms]) => (
        <Menu.Item
          key={age}
          disabled={olderThan(ms).length === 0}
          onClick={() => {
            evaluate(olderThan(ms))
          }}
        >
          Older than {age} ({countText(olderThan(ms).length)})
        </Menu.Item>
      ))}
    </>
  )
}

const forms = [
  {
    name: 'Markdown',
    use: 'for a ticket',
    ending: 'md',
    type: 'text/markdown',
    write: boardMarkdown,
  },
  {
    name: 'CSV',
    use: 'for spreadsheets',
    ending: 'csv',
    type: 'text/csv',
    // Spreadsheets take it for the encoding of their region, unless it begins with this mark.
    write: (report: BoardReport) => `\uFEFF${boardCsv(report)}`,
  },
  { name: 'JSON', use: 'for programs', ending: 'json', type: 'application/json', write: boardJson },
] as const

/** The cells of the board; what they came to, the server knows better. */
function bundleRequest({ title, rows }: BoardReport): BundleRequest {
  const cells = rows.flatMap(({ of, cells }) =>
    cells.flatMap((cell) =>
      cell === undefined
        ? []
        : [
            {
              packagePath: packagePath(of.address),
              sha256: of.sha256,
              repositoryUrl: of.repositoryUrl,
              scan: cell.place.scan,
            },
          ],
    ),
  )
  const { pathname, search } = location
  return { title: title.slice(0, 200), page: `${pathname}${search}`, cells }
}

function fileName({ title }: BoardReport): string {
  return `board-${title}`.replace(/[^\w.-]+/g, '-').slice(0, 120)
}
