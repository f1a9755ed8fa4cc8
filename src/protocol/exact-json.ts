/**
 * JSON.parse for documents that carry 64-bit integers: an integer of 16 digits or more becomes its
 * own text (a string), every other value is as JSON.parse has it. Event ids exceed 2^53, and read
 * as numbers different tasks of one build would become the same (design.md, "Decisions").
 * Throws a SyntaxError like JSON.parse.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(/\d{16}/.test(text) ? text.replace(stringOrLongInteger, quoteInteger) : text)
}

// A string is consumed whole so that digits inside it are left alone.
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g

function quoteInteger(token: string): string {
  return /^-?\d+$/.test(token) ? `"${token}"` : token
}
