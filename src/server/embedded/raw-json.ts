/**
 * The texts of the elements of an array that a JSON object holds under `key`, as they stand there,
 * so that 64-bit integers stay exact, each on one line. Empty where there is no such array. `json`
 * must be valid JSON: parse it before.
 */
export function elementTexts(json: string, key: string): string[] {
  const text = json.trim()
  if (!text.startsWith('{')) return []
  // As with JSON.parse, the last of several members with one name counts.
  const member = parts(text, 0).findLast(
    (part) => JSON.parse(part.slice(0, endOfString(part, 0))) === key,
  )
  if (member === undefined) return []
  const value = member.slice(endOfString(member, 0)).replace(/^\s*:\s*/, '')
  return value.startsWith('[') ? parts(value, 0).map(onOneLine) : []
}

/** The members or elements of the object or array that opens at `open`, trimmed. */
function parts(json: string, open: number): string[] {
  const found: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < json.length; at += 1) {
    const char = json[at]
    if (char === '"') {
      at = endOfString(json, at) - 1
    } else if (char === '{' || char === '[') {
      depth += 1
    } else if (char === '}' || char === ']') {
      depth -= 1
    }
    if (depth === 0 || (depth === 1 && char === ',')) {
      found.push(json.slice(start, at).trim())
      start = at + 1
    }
    if (depth === 0) break
  }
  return found.filter((text) => text !== '')
}

/** The position after the string that opens at `open`. */
function endOfString(json: string, open: number): number {
  let at = open + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

/** Line breaks in JSON are always between tokens, where they mean nothing. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}
