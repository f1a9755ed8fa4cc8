/**
 * JSON.parse for documents that carry 64-bit integers: an integer of 16 digits or more becomes its
 * own text (a string), every other value is as JSON.parse has it. Event ids exceed 2^53, and read
 * as numbers different tasks of one build would become the same
 * (docs/design.md#event-ids-are-text). Throws a SyntaxError like JSON.parse.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text))
}

/**
 * A JSON text in which every integer of 16 digits or more stands in quotes, so that JSON.parse keeps
 * it as text; everything else is as it was, also digits within strings. Strings are skipped by a
 * native search, and only the few characters between them are looked at: some three times as fast as
 * a regular expression over the whole, which half a million events need.
 */
export function quoteLongIntegers(json: string): string {
  let quoted = ''
  let copied = 0
  for (let at = 0; ;) {
    const opening = json.indexOf('"', at)
    const end = opening === -1 ? json.length : opening
    let digits = 0
    for (let place = at; place <= end; place++) {
      const code = place < end ? json.charCodeAt(place) : 0
      if (code >= zero && code <= nine) {
        digits += 1
        continue
      }
      if (digits >= longest) {
        const start = startOfInteger(json, place - digits, place)
        if (start !== -1) {
          quoted += `${json.slice(copied, start)}"${json.slice(start, place)}"`
          copied = place
        }
      }
      digits = 0
    }
    if (opening === -1) break
    at = endOfString(json, opening)
  }
  return copied === 0 ? json : quoted + json.slice(copied)
}

/**
 * How many members all objects of a JSON text have, as they are written: of two with one name JSON.parse keeps the
 * later. As fast as `quoteLongIntegers`, for the same reason.
 */
export function writtenMembers(json: string): number {
  let members = 0
  for (let at = 0; ;) {
    const opening = json.indexOf('"', at)
    const end = opening === -1 ? json.length : opening
    for (let place = at; place < end; place++) if (json.charCodeAt(place) === colon) members += 1
    if (opening === -1) return members
    at = endOfString(json, opening)
  }
}

const longest = 16
const zero = 48
const nine = 57
const backslash = 92
const minus = 45
const colon = 58
const blanks = new Set([32, 9, 10, 13])
/** Before or after digits these make a fraction or an exponent of them: `.`, `e`, `E`, `+`. */
const ofDecimals = new Set([46, 101, 69, 43])

/**
 * Where the integer begins whose digits begin at `first`, or -1 where they are not an integer of JSON:
 * one that begins with 0 or stands for a name would become JSON by being quoted.
 */
function startOfInteger(json: string, first: number, end: number): number {
  const before = json.charCodeAt(first - 1)
  const start = before === minus ? first - 1 : first
  if (json.charCodeAt(first) === zero || isName(json, end)) return -1
  const following = json.charCodeAt(end)
  const isPart = ofDecimals.has(following) || ofDecimals.has(json.charCodeAt(start - 1))
  return isPart ? -1 : start
}

/** Whether a colon follows, after the blanks of JSON. */
function isName(json: string, end: number): boolean {
  let at = end
  while (blanks.has(json.charCodeAt(at))) at += 1
  return json.charCodeAt(at) === colon
}

/** The place after the closing quote of the string that opens at `opening`. */
function endOfString(json: string, opening: number): number {
  for (let from = opening + 1; ;) {
    const closing = json.indexOf('"', from)
    if (closing === -1) return json.length
    let before = closing - 1
    while (json.charCodeAt(before) === backslash) before -= 1
    if ((closing - before) % 2 === 1) return closing + 1
    from = closing + 1
  }
}
