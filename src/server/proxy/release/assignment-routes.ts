import type { Context } from 'hono'
import { z } from 'zod'
import { mostAssignedCells, type NewAssignment } from '../../../protocol/assignment.ts'
import { countOf } from '../../../protocol/count.ts'
import { problemError } from '../../../protocol/problem.ts'
import { assign, listAssignments } from '../../store/assignments.ts'
import { originOf } from '../history/audit.ts'
import type { HistoryOptions } from '../history/history.ts'
import { readJsonBody, readListQuery } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'

type Answer = (c: Context<ProxyEnv>) => Promise<Response>

/** `GET /history/assignments?board=…`: who looks after what of a board. */
export function assignmentList({ database }: HistoryOptions): Answer {
  return async (c) => {
    const { board = '' } = readListQuery(c, ['board'])
    return c.json({ assignments: await listAssignments(database, board) })
  }
}

/** `POST /history/assignments`: answers all of the board as they are now. */
export function giveAssignment({ database, clock, changes }: HistoryOptions): Answer {
  return async (c) => {
    const asked = readNewAssignment(await readJsonBody(c))
    const detail = detailOf(asked)
    await assign(database, asked, { ...originOf(c), at: clock.now(), detail })
    changes.publish('assignments', asked.board)
    return c.json({ assignments: await listAssignments(database, asked.board) })
  }
}

function detailOf({ board, cells, assignee, note, dueAt }: NewAssignment): string {
  const what = `${countOf(cells.length, 'cell')} of the board ${board}`
  if (assignee === '' && note === '' && dueAt === null) return `Unassigned ${what}.`
  const due = dueAt === null ? '' : `, due ${new Date(dueAt).toISOString().slice(0, 10)}`
  const to = assignee === '' ? '' : ` to ${assignee}`
  return `Assigned ${what}${to}${due}${note === '' ? '.' : `: ${note}`}`
}

/** Throws a ProblemError 400 with a sentence for each mistake. */
function readNewAssignment(body: Uint8Array): NewAssignment {
  const read = Body.safeParse(parsed(body))
  if (read.success) return read.data
  const mistakes = read.error.issues.slice(0, 20).map(({ path, message }) => ({
    field: String(path[0] ?? 'body'),
    mistake: path.length === 0 ? message : `${path.join('.')} ${message}`,
  }))
  const detail = mistakes.map(({ mistake }) => mistake).join(' ')
  throw problemError(400, 'bad-assignment', 'Bad assignment', detail, { mistakes })
}

const text = z.string('must be text.')
const error = `must be a list of 1 to ${mostAssignedCells} keys.`

// Messages follow the name of their field.
const Body = z.object(
  {
    board: text.trim().min(1, 'is empty.').max(200, 'has more than 200 characters.'),
    cells: z
      .array(text.min(1, 'is empty.').max(100, 'is too long.'), error)
      .min(1, error)
      .max(mostAssignedCells, error),
    assignee: text.trim().max(200, 'has more than 200 characters.'),
    note: text.trim().max(2000, 'has more than 2000 characters.'),
    dueAt: z
      .int('must be a time in milliseconds since 1970, or null.')
      .nonnegative('must be after 1970.')
      .max(8_640_000_000_000_000, 'is too far ahead.')
      .nullable(),
  },
  'The body must be a JSON object with the fields of an assignment.',
)

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
