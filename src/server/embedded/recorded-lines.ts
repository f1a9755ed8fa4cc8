import { z } from 'zod'
import { BuildEvent } from '../../protocol/build-event.ts'
import { type BuildMessage, decodeBuildMessage } from '../../protocol/build-message.ts'
import { readLines } from '../../protocol/ndjson.ts'
import { invalidRequest } from './api-problem.ts'

/** A line of a recording: a Build message, or an event with its type and its text as it stands. */
export type RecordedLine =
  | { readonly kind: 'build'; readonly message: BuildMessage }
  | { readonly kind: 'event'; readonly type: string; readonly text: string }

const Announcing = z.looseObject({ buildId: z.unknown().refine((id) => id !== undefined) })

/**
 * The lines of a recording, decoded one by one. `missing` fills in what a Build message may leave
 * out. Throws a ProblemError (400) that names the first wrong line and what is wrong in it.
 */
export async function* recordedLines(
  bytes: AsyncIterable<Uint8Array>,
  missing: () => Partial<BuildMessage>,
): AsyncGenerator<RecordedLine, void, undefined> {
  let number = 0
  try {
    for await (const text of readLines(bytes)) {
      number += 1
      const value: unknown = JSON.parse(text)
      if (number === 1) {
        const object = z.looseObject({}).parse(value)
        yield { kind: 'build', message: decodeBuildMessage({ ...missing(), ...object }) }
      } else if (Announcing.safeParse(value).success) {
        yield { kind: 'build', message: decodeBuildMessage(value) }
      } else {
        yield { kind: 'event', type: BuildEvent.parse(value).type.eventType, text }
      }
    }
  } catch (error) {
    throw wrongLine(number, error)
  }
}

function wrongLine(number: number, error: unknown): unknown {
  const line = `Line ${number} (empty lines are not counted)`
  if (error instanceof z.ZodError) {
    const expected = number === 1 ? 'a Build message' : 'an event'
    return invalidRequest(`${line} is not ${expected}: ${mistakes(error)}.`)
  }
  if (error instanceof SyntaxError) return invalidRequest(`${line} is not JSON.`)
  if (error instanceof RangeError) {
    return invalidRequest(`Line ${number + 1} is too long: ${error.message}.`)
  }
  return error
}

/** What a schema found wrong and where, such as `type.eventType: expected string`. */
export function mistakes(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => {
      const path = z.core.toDotPath(issue.path)
      return path === '' ? issue.message : `${path}: ${issue.message}`
    })
    .join('; ')
}
