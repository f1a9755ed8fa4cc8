import { utcText } from '../../../policy/scan-report.ts'
import { z } from 'zod'
import { mostAssignedCells, type NewAssignment } from '../../../protocol/assignment.ts'
import { countOf } from '../../../protocol/count.ts'
import { assign, listAssignments } from '../../store/assignments.ts'
import { originOf } from '../history/audit.ts'
import type { HistoryOptions } from '../history/history.ts'
import { anyText, checkedBody, readJsonBody, readListQuery, textUpTo } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'

/** `GET /history/assignments?board=…`: who looks after what of a board. */
export function assignmentList({ database }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { board = '' } = readListQuery(c, ['board'])
    return c.json({ assignments: await listAssignments(database, board) })
  }
}

/** `POST /history/assignments`: answers all of the board as they are now, and 409 where somebody has changed a cell since `seenAt`. */
export function giveAssignment({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const asked = checkedBody(await readJsonBody(c), Body, badAssignment)
    const detail = detailOf(asked)
    await assign(database, asked, { ...originOf(c), at: clock.now(), detail })
    changes.publish('assignments', asked.board)
    return c.json({ assignments: await listAssignments(database, asked.board) })
  }
}

function detailOf({ board, cells, assignee, note, dueAt }: NewAssignment): string {
  const what = `${countOf(cells.length, 'cell')} of the board ${board}`
  if (assignee === '' && note === '' && dueAt === null) return `Unassigned ${what}.`
  const due = dueAt === null ? '' : `, due ${utcText(dueAt)}`
  const to = assignee === '' ? '' : ` to ${assignee}`
  return `Assigned ${what}${to}${due}${note === '' ? '.' : `. Note: ${note}`}`
}

const badAssignment = { code: 'bad-assignment', title: 'Bad assignment' }

const error = `must be a list of 1 to ${mostAssignedCells} keys.`

// Messages follow the name of their field.
const Body = z.object(
  {
    board: textUpTo(200, anyText.trim().min(1, 'is empty.')),
    cells: z
      .array(anyText.min(1, 'is empty.').max(100, 'is too long.'), error)
      .min(1, error)
      .max(mostAssignedCells, error),
    assignee: textUpTo(200, anyText.trim()),
    note: textUpTo(2000, anyText.trim()),
    dueAt: z
      .int('must be a time in milliseconds since 1970, or null.')
      .nonnegative('must be after 1970.')
      .max(8_640_000_000_000_000, 'is too far ahead.')
      .nullable(),
    seenAt: z.int('must be a time in milliseconds since 1970.').nonnegative().optional(),
  },
  'The body must be a JSON object with the fields of an assignment.',
)
