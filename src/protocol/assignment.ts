import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where it is kept who looks after what fails on a board. */
export const assignmentsPath = '/history/assignments'

/** As many cells one request may assign. */
export const mostAssignedCells = 2000

/** Who looks after a cell of a board, what they should know, and until when it is due. */
export const Assignment = z.looseObject({
  board: z.string().check(z.minLength(1), z.maxLength(200)),
  /** The key of its place on the board (policy/board.ts). */
  cell: z.string().check(z.minLength(1), z.maxLength(100)),
  /** A name; empty where only a note or a date is kept. */
  assignee: z.string(),
  note: z.string(),
  /** Epoch ms; null where it is not due at any time. */
  dueAt: z.nullable(EpochMs),
  /** The user of the session that set it, and when. */
  by: z.string(),
  changedAt: EpochMs,
})
export type Assignment = z.infer<typeof Assignment>

/** Assigns all cells or none. What is left empty is taken away; with nothing left they are nobody's again. */
export const NewAssignment = z.object({
  board: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  cells: z
    .array(z.string().check(z.minLength(1), z.maxLength(100)))
    .check(z.minLength(1), z.maxLength(mostAssignedCells)),
  assignee: z.string().check(z.trim(), z.maxLength(200)),
  note: z.string().check(z.trim(), z.maxLength(2000)),
  dueAt: z.nullable(EpochMs),
  /** The last change of these cells that was seen, 0 for none: where there is a newer one, nothing is changed. */
  seenAt: z.optional(EpochMs),
})
export type NewAssignment = z.infer<typeof NewAssignment>

/** The answer of `GET /history/assignments?board=…`, and of `POST`: all of the board. */
export const AssignmentList = z.looseObject({ assignments: z.array(Assignment) })
export type AssignmentList = z.infer<typeof AssignmentList>

/** Whether it should have been done by now, epoch ms. */
export function isOverdue({ dueAt }: Pick<Assignment, 'dueAt'>, now: number): boolean {
  return dueAt !== null && dueAt <= now
}
