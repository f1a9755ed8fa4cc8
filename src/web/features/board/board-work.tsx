import { Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { type BoardFailure, canBeWaived, packagesOf } from '../../../policy/board-failures.ts'
import type { BoardPlace } from '../../../policy/board.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { type Assignment, isOverdue, mostAssignedCells } from '../../../protocol/assignment.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { WaiverList } from '../../../protocol/waiver.ts'
import { packageSubject, usePermitted } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import type { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { assignmentText } from '../../../policy/hand-over.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { useAssign } from '../../data/board/assignments.ts'
import { changeRefusal } from '../../data/core/problem-words.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import { momentFieldText, readMomentField } from '../../ui/moment-field.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { dayText } from '../../ui/format.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './board.module.css'
import { failuresWaiting, waiverChoices, whyNothingToWaive } from './waiver-choices.ts'

/** What can be done about failures: waive, assign, hand over. */
export function FailureActions({
  failures,
  name,
  waivers,
  size = 'sm',
  onWish,
  onAssign,
  onHandOver,
}: {
  failures: readonly BoardFailure[]
  /** Of a group, for those who cannot see it; empty for what is shown or selected. */
  name: string
  /** Undefined until it is known what is waived. */
  waivers: WaiverList | undefined
  size?: 'sm' | 'compact-sm'
  onWish: (wish: WaiverWish) => void
  /** The keys of their cells. */
  onAssign: (cells: string[]) => void
  onHandOver: (failures: readonly BoardFailure[]) => void
}): ReactElement {
  const { proxyNow } = useServices().session
  const waiting = useMemo(
    () => failuresWaiting(failures, waivers?.waivers ?? [], proxyNow()),
    [failures, waivers, proxyNow],
  )
  const waivable = useMemo(
    () => failures.filter((one) => canBeWaived(one) && !waiting.has(one)),
    [failures, waiting],
  )
  const { allowed, button } = usePermitted('waive', waivable, subjectOf)
  const about = (verb: string): string => (name === '' ? `${verb}…` : `${verb} ${name}…`)
  return (
    <Group gap={8}>
      <PermittedButton
        {...button}
        variant="default"
        size={size}
        aria-label={about('Waive failures')}
        disabled={waivers === undefined || failures.length === 0}
        blocked={
          failures.length > 0 && waivable.length === 0
            ? whyNothingToWaive(failures, waiting.size)
            : undefined
        }
        onClick={() => {
          if (waivers === undefined) return
          const { longestMs, approval } = waivers
          const choices = waiverChoices(allowed, failures, waiting)
          onWish({ is: 'give', choices, longestMs, approval })
        }}
      >
        Waive…
      </PermittedButton>
      <PermittedButton
        permission="assign"
        variant="default"
        size={size}
        aria-label={about('Assign failures')}
        disabled={failures.length === 0}
        onClick={() => {
          onAssign([...new Set(failures.map(({ cell }) => cell.place.key))])
        }}
      >
        Assign…
      </PermittedButton>
      <Button
        variant="default"
        size={size}
        aria-label={about('Hand over failures')}
        disabled={failures.length === 0}
        onClick={() => {
          onHandOver(failures)
        }}
      >
        Hand over…
      </Button>
    </Group>
  )
}

/** The actions for what is selected, or for all that is shown where nothing is. */
export function BoardWork({
  selected,
  failures,
  onClear,
  ...actions
}: Omit<Parameters<typeof FailureActions>[0], 'name'> & {
  /** How many packages. */
  selected: number
  onClear: () => void
}): ReactElement | null {
  if (failures.length === 0 && selected === 0) return null
  const packages = packagesOf(failures)
  return (
    <Group
      gap="4px 12px"
      role="toolbar"
      aria-label="Failing packages"
      className={css.work}
      data-idle={selected === 0 || undefined}
      data-screen-only
    >
      <Text c="dimmed">
        {selected > 0
          ? `${countOf(selected, 'package')} selected, ${packages} of them failing:`
          : packages > 0
            ? `${countOf(packages, 'failing package')} shown:`
            : 'All failures shown are waived:'}
      </Text>
      <FailureActions failures={failures} name="" {...actions} />
      {selected > 0 && (
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear selection
        </Button>
      )}
    </Group>
  )
}

function subjectOf({ row, cell }: BoardFailure): ReturnType<typeof packageSubject> {
  return packageSubject(row.of.address, cell.place.scan)
}

/** Which rows somebody looks after: `mine` is what is assigned to `user`, `overdue` what is due. */
export function assignedRows(
  rows: readonly BoardRow[],
  assignments: ReadonlyMap<string, Assignment>,
  {
    assigned,
    user,
    now,
  }: {
    readonly assigned: '' | 'mine' | 'overdue' | 'nobody'
    readonly user: string
    /** Epoch ms. */
    readonly now: number
  },
): readonly BoardRow[] {
  if (assigned === '') return rows
  return rows.filter(({ cells }) => {
    const of = cells.flatMap((cell) => {
      const one = cell === undefined ? undefined : assignments.get(cell.place.key)
      return one === undefined ? [] : [one]
    })
    switch (assigned) {
      case 'mine':
        return of.some(({ assignee }) => assignee.toLowerCase() === user.toLowerCase())
      case 'overdue':
        return of.some((one) => isOverdue(one, now))
      case 'nobody':
        return of.every(({ assignee }) => assignee === '')
    }
  })
}

/** Who looks after the cells of a row; what is the same for several is said once. */
export function AssignmentNotes({
  cells,
  assignments,
}: {
  cells: BoardRow['cells']
  assignments: ReadonlyMap<string, Assignment>
}): ReactElement {
  const notes = new Map<string, Assignment>()
  for (const cell of cells) {
    const one = cell && assignments.get(cell.place.key)
    if (one !== undefined) notes.set(JSON.stringify([one.assignee, one.note, one.dueAt]), one)
  }
  return (
    <>
      {[...notes].map(([key, one]) => (
        <AssignmentNote key={key} of={one} />
      ))}
    </>
  )
}

/** Who looks after a cell, until when; marked where that is over. */
function AssignmentNote({ of }: { of: Assignment }): ReactElement {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const text = useDerivedFromNow(() =>
    assignmentText(of, proxyNow(), (at) => dayText(at, zone, 'date')),
  )
  const isLate = useDerivedFromNow(() => isOverdue(of, proxyNow()))
  return (
    <Text data-assignee={of.assignee} c={isLate ? 'var(--bad-ink)' : 'dimmed'} fz="xs">
      {text}
    </Text>
  )
}

/** Says who looks after failures, what they should know, and until when; it closes once that is kept. */
export function AssignDialog({
  board,
  places,
  assignments,
  onClose,
}: {
  board: string
  /** None where what it was opened for has left the board meanwhile. */
  places: readonly BoardPlace[]
  assignments: ReadonlyMap<string, Assignment>
  onClose: () => void
}): ReactElement {
  const user = useSessionUser()
  const assign = useAssign()
  const { zone } = usePreferences()
  const cells = places.map(({ key }) => key)
  const isGone = places.length === 0
  const tooMany = tooManyToAssign(places.length)
  const before = cells.map((cell) => assignments.get(cell))
  const [first] = before
  // What is the same of all of them.
  const [assignee, setAssignee] = useDraftState(
    'assign.assignee',
    z.string(),
    before.every((one) => one?.assignee === first?.assignee) ? (first?.assignee ?? '') : '',
  )
  const [note, setNote] = useDraftState(
    'assign.note',
    z.string(),
    before.every((one) => one?.note === first?.note) ? (first?.note ?? '') : '',
  )
  const [due, setDue] = useDraftState(
    'assign.due',
    z.string(),
    typeof first?.dueAt === 'number' && before.every((one) => one?.dueAt === first.dueAt)
      ? momentFieldText(first.dueAt, zone).slice(0, 10)
      : '',
  )
  const replaced = new Set(
    before.flatMap((one) => (one === undefined || one.note === '' ? [] : one.note)),
  )
  replaced.delete(note.trim())
  // Until the end of that day.
  const dueAt = due === '' ? null : readMomentField(`${due}T23:59`, zone, Infinity)
  const isEmpty = assignee.trim() === '' && note.trim() === '' && due === ''
  const [isTried, setIsTried] = useState(false)
  const assigneeField = useRef<HTMLInputElement>(null)
  const newest = Math.max(0, ...cells.map((cell) => assignments.get(cell)?.changedAt ?? 0))
  // What was seen when it was opened, and what a refusal says that has changed since.
  const [seenAt, setSeenAt] = useDraftState('assign.seen', z.number(), newest)
  const wasAssigned = cells.some((cell) => assignments.has(cell))

  const isRefused = assign.error instanceof ProblemError && assign.error.problem.status === 409
  const sent = assign.variables
  // What arrived although its response was lost is no change by somebody else.
  const hasArrived =
    sent !== undefined &&
    before.every(
      (one) =>
        one?.by === user?.name &&
        one?.assignee === sent.assignee &&
        one.note === sent.note &&
        one.dueAt === sent.dueAt,
    )
  function send(changed: { assignee: string; note: string; dueAt: number | null }): void {
    if (assign.isPending) return
    const asked = { board, cells, ...changed, seenAt: isRefused || hasArrived ? newest : seenAt }
    setSeenAt(asked.seenAt)
    assign.mutate(asked, { onSuccess: onClose })
  }

  return (
    <FormDialog
      size={520}
      title={
        isGone
          ? 'Assign'
          : `Assign ${countOf(new Set(places.map(({ row }) => row)).size, 'package')}`
      }
      refusal={
        isGone
          ? 'These packages are no longer on the board. Cancel, and select others.'
          : assign.error === null
            ? tooMany
            : changeRefusal(assign.error, 'board')
      }
      isSending={assign.isPending}
      isDisabled={isGone || tooMany !== undefined || dueAt === undefined}
      confirm="Assign"
      more={
        wasAssigned && (
          <Button
            variant="default"
            mr="auto"
            aria-disabled={assign.isPending || tooMany !== undefined}
            onClick={() => {
              if (tooMany === undefined) send({ assignee: '', note: '', dueAt: null })
            }}
          >
            Unassign
          </Button>
        )
      }
      onConfirm={() => {
        setIsTried(true)
        if (isEmpty) assigneeField.current?.focus()
        else if (dueAt !== undefined) send({ assignee: assignee.trim(), note: note.trim(), dueAt })
      }}
      onClose={onClose}
    >
      <Text c="dimmed">Everyone who opens this board sees it.</Text>
      <Group gap={8} align="flex-end">
        <TextInput
          ref={assigneeField}
          label="Assignee"
          inputWrapperOrder={['label', 'error', 'input']}
          errorProps={{ mb: 4 }}
          error={isTried && isEmpty ? 'Enter an assignee, a due date, or a note.' : undefined}
          flex={1}
          maxLength={200}
          autoComplete="off"
          data-autofocus
          value={assignee}
          onChange={(event) => {
            setAssignee(event.currentTarget.value)
          }}
        />
        {user !== undefined && (
          <Button
            variant="default"
            onClick={() => {
              setAssignee(user.name)
            }}
          >
            Assign to me
          </Button>
        )}
      </Group>
      <TextInput
        type="date"
        label="Due (optional)"
        value={due}
        error={dueAt === undefined ? 'Enter a date.' : undefined}
        onChange={(event) => {
          setDue(event.currentTarget.value)
        }}
      />
      <Textarea
        label="Note (optional)"
        description={
          replaced.size > 0 && cells.length > 1
            ? `Replaces ${countOf(replaced.size, 'note')}: ${[...replaced]
                .slice(0, 3)
                .map((one) => `“${one}”`)
                .join(', ')}${replaced.size > 3 ? '…' : ''}`
            : undefined
        }
        rows={3}
        maxLength={2000}
        value={note}
        onChange={(event) => {
          setNote(event.currentTarget.value)
        }}
      />
    </FormDialog>
  )
}

/** Why so many results of scans can't be assigned; undefined where they can. */
export function tooManyToAssign(results: number): string | undefined {
  if (results <= mostAssignedCells) return undefined
  return `${countText(results)} results are selected, and ${countText(mostAssignedCells)} can be assigned at once. Cancel, and select fewer packages.`
}
