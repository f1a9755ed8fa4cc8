import { parsedUrl } from '../../protocol/parsed-text.ts'
import { cutText } from '../../protocol/untrusted-text.ts'

/** A piece of text: as it is, or a character that would mislead and the mark to show instead. */
export interface VisiblePart {
  readonly text: string
  /** What the character is, for a tooltip; undefined for plain text. */
  readonly hidden: string | undefined
}

/**
 * Splits a text so that nothing in it is invisible, turns the reading direction or poses as another
 * letter: such characters become parts of their own, written as marks such as `‹U+202E›`. Line breaks
 * and tabs stay text, and so does a word wholly in one script. Linear.
 */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = []
  let copied = 0
  for (const { index, 0: found } of text.matchAll(suspects)) {
    const isWord = !unseen.test(found)
    if (isWord && !mixesScripts(found)) continue
    if (index > copied) parts.push({ text: text.slice(copied, index), hidden: undefined })
    parts.push(...(isWord ? lettersOf(found) : [marked(found, nameOf(found))]))
    copied = index + found.length
  }
  if (copied < text.length) parts.push({ text: text.slice(copied), hidden: undefined })
  return parts
}

/** The text in one piece, cut after `most` characters, with marks for what would mislead. */
export function visibleText(text: string, most = Infinity): string {
  return visibleParts(cutText(text, most))
    .map((part) => part.text)
    .join('')
}

/** The text within quotes for a sentence: with marks, cut after `most` characters. */
export function inQuotes(text: string, most = 120): string {
  const shown = visibleText(text, most).replace(/[\t\r\n]+/g, ' ')
  return text.length > most ? `"${shown}…" (${text.length} characters)` : `"${shown}"`
}

/** Whether a text has a character that would not be seen. */
export function hasUnseen(text: string): boolean {
  return unseen.test(text)
}

/**
 * Control, format (bidirectional, zero-width, tags) and other ignorable characters, all blanks but the
 * plain one, the empty Braille pattern and halves of surrogate pairs. Not tab and line breaks, nor the
 * selector that makes a symbol an emoji.
 */
const unseenClass = String.raw`(?!\uFE0F|[\t\n\r ])(?:[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{DI}]|\u2800)`
const unseen = new RegExp(unseenClass, 'u')
const suspects = new RegExp(`${unseenClass}|(?:(?!\\p{DI})\\p{L})+`, 'gu')
const latin = /\p{Script=Latin}/u
/** Scripts with letters that look like Latin ones. */
const lookalike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

function mixesScripts(word: string): boolean {
  return lookalike.test(word) && latin.test(word)
}

function lettersOf(word: string): VisiblePart[] {
  return Array.from(word, (letter) =>
    lookalike.test(letter)
      ? marked(letter, `a letter of another script among Latin letters (${codeOf(letter)})`)
      : { text: letter, hidden: undefined },
  )
}

function marked(character: string, hidden: string): VisiblePart {
  return { text: `‹${codeOf(character)}›`, hidden }
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

const names: ReadonlyMap<number, string> = new Map([
  [0x00, 'null'],
  [0x08, 'backspace'],
  [0x1b, 'escape'],
  [0xa0, 'no-break space'],
  [0xad, 'soft hyphen'],
  [0x61c, 'Arabic letter mark'],
  [0x200b, 'zero-width space'],
  [0x200c, 'zero-width non-joiner'],
  [0x200d, 'zero-width joiner'],
  [0x200e, 'left-to-right mark'],
  [0x200f, 'right-to-left mark'],
  [0x202a, 'left-to-right embedding'],
  [0x202b, 'right-to-left embedding'],
  [0x202c, 'end of directional formatting'],
  [0x202d, 'left-to-right override'],
  [0x202e, 'right-to-left override'],
  [0x2060, 'word joiner'],
  [0x2066, 'left-to-right isolate'],
  [0x2067, 'right-to-left isolate'],
  [0x2068, 'first strong isolate'],
  [0x2069, 'end of isolate'],
  [0xfeff, 'byte order mark'],
])

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const name = names.get(code) ?? (code < 0xa0 ? 'control character' : 'invisible character')
  return `${name} (${codeOf(character)})`
}

/** An address that may become a link, and the host it must be shown with. */
export interface SafeLink {
  readonly href: string
  /** With its port, as the browser will read it: an international name in its ASCII form. */
  readonly host: string
}

/**
 * The link a text may become: only a whole http(s) address without credentials, blanks or hidden
 * characters. Everything else (`javascript:`, `data:`, `file:`, relative ones) is undefined and stays
 * text. Never throws.
 */
export function safeLink(text: string): SafeLink | undefined {
  if (text.length > longest || !/^https?:\/\/[^\s\\]+$/i.test(text)) return undefined
  const parsed = hasUnseen(text) ? undefined : parsedUrl(text)
  if (parsed === undefined) return undefined
  const { href, host, protocol, username, password } = parsed
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && host !== '' && username === '' && password === '' ? { href, host } : undefined
}

const longest = 8_192
