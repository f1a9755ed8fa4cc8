import type { Assignment, NewAssignment } from '../../protocol/assignment.ts'
import { problemError, type ProblemError } from '../../protocol/problem.ts'
import { addAction, inTurn, type ToldAct } from './actions.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/**
 * Says who looks after cells of a board, or that nobody does, and notes who said so; all or nothing. Throws a ProblemError 409
 * that says what somebody has changed after `seenAt`.
 */
export async function assign(
  database: Database,
  { board, cells, assignee, note, dueAt, seenAt }: NewAssignment,
  act: ToldAct,
): Promise<void> {
  const keys = [...new Set(cells.map(storableText))]
  const set = {
    assignee: storableText(assignee),
    note: storableText(note),
    due_at: dueAt,
    by_user: storableText(act.actor.name),
    changed_at: act.at,
  }
  const isNobodys = assignee === '' && note === '' && dueAt === null
  const content = ['assign', board, keys, ...contentColumns.map((of) => set[of])]
  await inTurn(database, content, async (transaction) => {
    let isChanged = false
    for (const cell of keys) {
      const which = { board: storableText(board), cell }
      // Whoever else writes it at this moment is waited for.
      const before = await transaction
        .updateTable('assignments')
        .set((row) => ({ board: row.ref('board') }))
        .where('board', '=', which.board)
        .where('cell', '=', cell)
        .returningAll()
        .executeTakeFirst()
      if (isNobodys ? before === undefined : contentColumns.every((of) => before?.[of] === set[of]))
        continue
      if (before !== undefined && before.changed_at > (seenAt ?? Infinity)) {
        throw changedSince(before)
      }
      isChanged = true
      await (
        isNobodys
          ? transaction
              .deleteFrom('assignments')
              .where('board', '=', which.board)
              .where('cell', '=', cell)
          : transaction
              .insertInto('assignments')
              .values({ ...which, ...set })
              .onConflict((conflict) => conflict.columns(['board', 'cell']).doUpdateSet(set))
      ).execute()
    }
    if (isChanged) await addAction(transaction, { ...act, action: 'assigned', subject: board })
  })
}

const contentColumns = ['assignee', 'note', 'due_at', 'by_user'] as const

function changedSince({ by_user, assignee, note }: Schema['assignments']): ProblemError {
  const to = assignee === '' ? 'nobody' : assignee
  return problemError(
    409,
    'assignment-changed',
    'Changed since',
    `${by_user} has changed this assignment since: assigned to ${to}${note === '' ? '' : `, with the note “${note}”`}. Assign again to replace it.`,
  )
}

/** Who looks after what of a board. */
export async function listAssignments({ kysely }: Database, board: string): Promise<Assignment[]> {
  const rows = await kysely
    .selectFrom('assignments')
    .selectAll()
    .where('board', '=', storableText(board))
    .orderBy('cell')
    .execute()
  return rows.map(({ cell, assignee, note, due_at, by_user, changed_at }) => ({
    board,
    cell,
    assignee,
    note,
    dueAt: due_at,
    by: by_user,
    changedAt: changed_at,
  }))
}
