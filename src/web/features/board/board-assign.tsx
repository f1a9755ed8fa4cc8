import { Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { BoardRow } from '../../../policy/board-row.ts'
import type { BoardFailure } from '../../../policy/board-failures.ts'
import { assignmentText } from '../../../policy/hand-over.ts'
import { type Assignment, isOverdue } from '../../../protocol/assignment.ts'
import { countOf } from '../../../protocol/count.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { useAssign } from '../../data/board/assignments.ts'
import { useSessionUser } from '../../data/core/services.ts'
import { momentFieldText, readMomentField } from '../../ui/moment-field.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'

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
  const text = useDerivedFromNow((now) => assignmentText(of, now))
  const isLate = useDerivedFromNow((now) => isOverdue(of, now))
  return (
    <Text data-assignee={of.assignee} c={isLate ? 'var(--bad-ink)' : 'dimmed'} fz="xs">
      {text}
    </Text>
  )
}

/** Says who looks after failures, what they should know, and until when; it closes once that is kept. */
export function AssignDialog({
  board,
  failures,
  assignments,
  onClose,
}: {
  board: string
  failures: readonly BoardFailure[]
  assignments: ReadonlyMap<string, Assignment>
  onClose: () => void
}): ReactElement {
  const user = useSessionUser()
  const assign = useAssign()
  const { zone } = usePreferences()
  const cells = [...new Set(failures.map(({ cell }) => cell.place.key))]
  const before = cells.length === 1 ? assignments.get(cells[0] ?? '') : undefined
  const [assignee, setAssignee] = useState(before?.assignee ?? '')
  const [note, setNote] = useState(before?.note ?? '')
  const [due, setDue] = useState(
    typeof before?.dueAt === 'number' ? momentFieldText(before.dueAt, zone).slice(0, 10) : '',
  )
  // Until the end of that day.
  const dueAt = due === '' ? null : readMomentField(`${due}T23:59`, zone)
  const isEmpty = assignee.trim() === '' && note.trim() === '' && due === ''
  const wasAssigned = cells.some((cell) => assignments.has(cell))

  function send(changed: { assignee: string; note: string; dueAt: number | null }): void {
    assign.mutate({ board, cells, ...changed }, { onSuccess: onClose })
  }

  const packages = new Set(failures.map(({ row }) => row.row)).size
  return (
    <FormDialog
      size={520}
      title={`Assign ${countOf(packages, 'package')}`}
      refusal={
        assign.error === null
          ? undefined
          : assign.error instanceof ProblemError
            ? assign.error.message
            : 'Request failed.'
      }
      isSending={assign.isPending}
      isDisabled={isEmpty || dueAt === undefined}
      confirm="Assign"
      more={
        wasAssigned && (
          <Button
            variant="default"
            mr="auto"
            onClick={() => {
              send({ assignee: '', note: '', dueAt: null })
            }}
          >
            Unassign
          </Button>
        )
      }
      onConfirm={() => {
        if (dueAt !== undefined) send({ assignee, note, dueAt })
      }}
      onClose={onClose}
    >
      <Text c="dimmed">Everyone who opens this board sees it.</Text>
      <Group gap={8} align="flex-end">
        <TextInput
          label="Assignee"
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
