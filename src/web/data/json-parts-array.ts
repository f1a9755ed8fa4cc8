/** Reads the text of a JSON document piece by piece; where that is an array, as its elements. */
export interface ArraySplitter {
  /** The texts of the elements that end in this piece, which may be cut anywhere. */
  readonly push: (piece: string) => readonly string[]
  /** Says that nothing follows, and what the document was. */
  readonly end: () => EndOfArray
}

/** What a document was. */
export type EndOfArray =
  | { readonly is: 'array'; readonly elements: number }
  /** It began as an array, and ends too soon or goes on after its end: no JSON as a whole. */
  | { readonly is: 'broken' }
  /** Anything else: its whole text, which nothing was told of before. */
  | { readonly is: 'other'; readonly text: string }

/**
 * Nothing was read yet. Only quotes and brackets are looked at: a document is JSON if each of the texts
 * is, and it was not broken. Each character is looked at once, however the document is cut.
 */
export function createArraySplitter(): ArraySplitter {
  let place: 'before' | 'inside' | 'after' | 'other' = 'before'
  let held: string[] = []
  let elements = 0
  let depth = 0
  let isText = false
  let isEscaped = false
  let isBroken = false

  function taken(rest: string): string {
    const whole = held.length === 0 ? rest : [...held, rest].join('')
    held = []
    return whole
  }

  /** Reads on from the first character of an element or amid one; returns where the array ends. */
  function readElements(piece: string, from: number, found: string[]): number {
    let start = from
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (isText) {
        if (isEscaped) isEscaped = false
        else if (code === backslash) isEscaped = true
        else if (code === quote) isText = false
      } else if (code === quote) {
        isText = true
      } else if (code === openBracket || code === openBrace) {
        depth += 1
      } else if (code === closeBracket || code === closeBrace) {
        depth -= 1
        if (depth > 0) continue
        const last = taken(piece.slice(start, at))
        if (elements + found.length > 0 || !blank.test(last)) found.push(last)
        isBroken = code === closeBrace
        place = 'after'
        return at + 1
      } else if (code === comma && depth === 1) {
        found.push(taken(piece.slice(start, at)))
        start = at + 1
      }
    }
    if (start < piece.length) held.push(piece.slice(start))
    return piece.length
  }

  return {
    push: (piece) => {
      const found: string[] = []
      let at = 0
      if (place === 'before') {
        at = piece.search(/[^ \t\n\r]/)
        if (at === -1) return found
        place = piece.charCodeAt(at) === openBracket ? 'inside' : 'other'
        if (place === 'inside') {
          at += 1
          depth = 1
        }
      }
      if (place === 'other') held.push(piece)
      if (place === 'inside') {
        at = readElements(piece, at, found)
        elements += found.length
      }
      if (place === 'after' && !blank.test(piece.slice(at))) isBroken = true
      return found
    },
    end: () => {
      if (place === 'before' || place === 'other') return { is: 'other', text: taken('') }
      return isBroken || place === 'inside' ? { is: 'broken' } : { is: 'array', elements }
    },
  }
}

/** Nothing but what JSON takes for white space. */
const blank = /^[ \t\n\r]*$/

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125
