import { foldCase } from '../../protocol/parsed-text.ts'
import type { TextPattern } from '../values/condition.ts'

/**
 * Whether a text matches a pattern, case folded on both sides. A wildcard stands for any run, also
 * an empty one; a pattern without wildcards is the whole text. Time is linear in the text, whatever
 * the pattern (never a regular expression). Nothing is allocated where the first letters differ.
 */
export function textMatcher(pattern: TextPattern): (text: string) => boolean {
  const [first = '', ...rest] = pattern.map(foldCase)
  const last = rest.pop()
  if (last === undefined) return exactly(pattern[0])
  const between = rest.filter((part) => part !== '')
  if (last === '' && between.length === 0) return beginningWith(first)
  return between.length === 0 ? withEnds(first, last) : withParts(first, between, last)
}

function exactly(written: string): (text: string) => boolean {
  const wanted = foldCase(written)
  // Of all letters only a dotted capital I is longer when folded: it becomes i and this dot.
  const mayGrow = wanted.includes('\u0307')
  return (text) => {
    if (text === written) return true
    if (text.length !== wanted.length && !mayGrow) return false
    const beginning = begins(text, wanted)
    if (beginning === unclear) return foldCase(text) === wanted
    return beginning === yes && text.length === wanted.length
  }
}

function beginningWith(first: string): (text: string) => boolean {
  return (text) => {
    const beginning = begins(text, first)
    return beginning === unclear ? foldCase(text).startsWith(first) : beginning === yes
  }
}

function withEnds(first: string, last: string): (text: string) => boolean {
  const shortest = first.length + last.length
  return (text) => {
    if (begins(text, first) === no) return false
    const folded = foldCase(text)
    return folded.length >= shortest && folded.startsWith(first) && folded.endsWith(last)
  }
}

function withParts(
  first: string,
  between: readonly string[],
  last: string,
): (text: string) => boolean {
  const finders = between.map(finder)
  return (text) => {
    if (begins(text, first) === no) return false
    const folded = foldCase(text)
    if (!folded.startsWith(first) || !folded.endsWith(last)) return false
    // The leftmost place of each part leaves the most room for those that follow.
    let at = first.length
    for (const find of finders) {
      at = find(folded, at)
      if (at === -1) return false
    }
    return at <= folded.length - last.length
  }
}

const no = 0
const yes = 1
/** There is a letter whose folding takes more than adding 32. */
const unclear = 2

/** Whether `text` begins with `wanted`, which is folded, judged by ASCII alone. */
function begins(text: string, wanted: string): typeof no | typeof yes | typeof unclear {
  for (let at = 0; at < wanted.length; at += 1) {
    let code = text.charCodeAt(at)
    if (code > 127) return unclear
    if (code >= 65 && code <= 90) code += 32
    if (code !== wanted.charCodeAt(at)) return no
  }
  return yes
}

/** Where the first occurrence of a part at or behind `from` ends, or -1. */
type Find = (text: string, from: number) => number

/** Up to this length the search of the engine is linear; longer parts can make it quadratic. */
const longestForEngine = 200

function finder(part: string): Find {
  if (part.length > longestForEngine) return longPartFinder(part)
  return (text, from) => {
    const found = text.indexOf(part, from)
    return found === -1 ? -1 : found + part.length
  }
}

/** Knuth, Morris and Pratt: no letter of the text is looked at again. */
function longPartFinder(part: string): Find {
  const borders = bordersOf(part)
  return (text, from) => {
    let matched = 0
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
      if (part.charCodeAt(matched) === code) matched += 1
      if (matched === part.length) return at + 1
    }
    return -1
  }
}

/** For each beginning of the part, the longest shorter beginning that also ends it. */
function bordersOf(part: string): Uint32Array {
  const borders = new Uint32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at += 1) {
    while (length > 0 && part[at] !== part[length]) length = borders[length - 1] ?? 0
    if (part[at] === part[length]) length += 1
    borders[at] = length
  }
  return borders
}
