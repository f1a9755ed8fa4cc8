import { quoteLongIntegers } from './quote-long-integers.ts'

/**
 * JSON.parse for documents that carry 64-bit integers: an integer of 16 digits or more becomes its
 * own text (a string), every other value is as JSON.parse has it. Event ids exceed 2^53, and read
 * as numbers different tasks of one build would become the same
 * (docs/design.md#event-ids-are-text). Throws a SyntaxError like JSON.parse.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text))
}
