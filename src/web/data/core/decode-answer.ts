import type { z } from 'zod'
import { problem, ProblemError } from '../../../protocol/problem.ts'

/**
 * Reads an answer as JSON of one shape. Throws a ProblemError of status 502 that names the wrong
 * keys, but never their values; `path` is where the answer came from.
 */
export async function decodeAnswer<S extends z.ZodType>(
  response: Response,
  schema: S,
  path: string,
): Promise<z.output<S>> {
  const text = await response.text()
  const decoded = schema.safeParse(parseOrUndefined(text))
  if (decoded.success) return decoded.data
  const wrong = decoded.error.issues
    .slice(0, 3)
    .map(({ path: keys, message }) => `${keys.join('.') || 'the whole'}: ${message}`)
    .join('; ')
  throw new ProblemError(
    problem(
      502,
      'unreadable-answer',
      'Unreadable answer',
      `The answer to ${path.split('?')[0] ?? path} cannot be read: ${wrong}.`,
    ),
    { cause: decoded.error },
  )
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
