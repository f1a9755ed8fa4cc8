import { parseExactJson } from '../../../protocol/exact-json.ts'

/** No result is nested so deeply. */
const deepestLook = 50

/** A JSON text as its value, integers that no number holds as texts; undefined where it is no JSON. */
export function readJsonValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRounded(value, 0) ? parseExactJson(text) : value
  } catch {
    return undefined
  }
}

/**
 * Whether an integer may have lost digits: few answers have one, and to look at each number is much
 * faster than to read all as texts. What is nested too deeply to look through is taken for one.
 */
function isRounded(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value)
  if (typeof value !== 'object' || value === null) return false
  if (depth === deepestLook) return true
  for (const part of Object.values(value)) if (isRounded(part, depth + 1)) return true
  return false
}
