import type { Assignment, NewAssignment } from '../../protocol/assignment.ts'
import { type ActionOrigin, addAction } from './actions.ts'
import type { Database } from './database.ts'
import { storableText } from './schema.ts'

/** Who assigns, from where, when (epoch ms), and the sentence for the audit log. */
export interface AssignmentAct extends ActionOrigin {
  readonly at: number
  readonly detail: string
}

/** Says who looks after cells of a board, or that nobody does, and notes who said so; all or nothing. */
export async function assign(
  { kysely }: Database,
  { board, cells, assignee, note, dueAt }: NewAssignment,
  act: AssignmentAct,
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
  await kysely.transaction().execute(async (transaction) => {
    for (const cell of keys) {
      const which = { board: storableText(board), cell }
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
    await addAction(transaction, { ...act, action: 'assigned', subject: board })
  })
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
