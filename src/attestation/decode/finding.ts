/** Something wrong or noteworthy in what was given to decode: a person's mistake, said plainly. */
export interface Finding {
  /** A mistake keeps something from being read; a warning and a note do not. */
  readonly level: 'mistake' | 'warning' | 'note'
  readonly code: FindingCode
  /** What is wrong, where and what it means, in one or two sentences; never quotes a secret. */
  readonly message: string
  readonly at: Place | undefined
}

export type FindingCode =
  // The input as a whole
  | 'empty'
  | 'byte-order-mark'
  | 'leading-blanks'
  | 'not-utf8'
  | 'not-json'
  | 'cut'
  | 'trailing-text'
  | 'wrong-paste'
  | 'private-key'
  | 'no-envelope'
  | 'wrapped-in-base64'
  | 'wrapped-in-text'
  | 'repaired'
  | 'unpacked'
  | 'found-inside'
  | 'no-signature-possible'
  | 'bad-line'
  | 'bad-item'
  | 'problem-answer'
  | 'too-many-items'
  // The envelope
  | 'duplicate-field'
  | 'payload-type-missing'
  | 'payload-type-unusual'
  | 'envelope-snake-case'
  | 'payload-missing'
  | 'payload-not-text'
  | 'payload-is-object'
  | 'payload-not-base64'
  | 'payload-base64-unusual'
  | 'signatures-missing'
  | 'signatures-not-list'
  | 'unsigned'
  | 'many-signatures'
  | 'signature-without-value'
  | 'signature-not-object'
  | 'signature-not-base64'
  | 'signature-base64-unusual'
  | 'signature-looks-hexadecimal'
  | 'signature-twice-base64'
  | 'keyid-unusual'
  | 'extra-fields'
  | 'bundle-two-contents'
  | 'bundle-several-signers'
  | 'bundle-signature-count'
  | 'bundle-without-certificate'
  | 'bundle-version-unknown'
  // The payload and its statement
  | 'payload-empty'
  | 'payload-not-utf8'
  | 'payload-not-json'
  | 'payload-byte-order-mark'
  | 'payload-duplicate-key'
  | 'payload-special-key'
  | 'payload-very-deep'
  | 'not-a-statement'
  | 'statement-type-unknown'
  | 'statement-snake-case'
  | 'predicate-type-missing'
  | 'predicate-type-unknown'
  | 'predicate-missing'
  | 'subject-missing'
  | 'subject-malformed'
  | 'subject-repeated'
  | 'digest-missing'
  | 'digest-unusual'

/** Something that keeps what was given from being read. */
export function mistake(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'mistake', code, message, at }
}

/** Something a reader must know before believing what is shown. */
export function warning(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'warning', code, message, at }
}

/** The mistake with what it is in; what must not be kept is still known by its code. */
export function within(where: string, code: FindingCode, found: Finding): Finding {
  const isKept = found.code === 'private-key' || found.code === 'problem-answer'
  const message = `Can't read ${where}: ${found.message}`
  return mistake(isKept ? found.code : code, message, found.at)
}

/** Something unusual and harmless. */
export function note(code: FindingCode, message: string, at?: Place): Finding {
  return { level: 'note', code, message, at }
}

/** A place in what was pasted, or in the decoded payload. */
export interface Place {
  readonly in: 'input' | 'payload'
  /** Counted from 0, in characters (UTF-16 units) or, where the text is not valid UTF-8, in bytes. */
  readonly offset: number
  readonly unit: 'character' | 'byte'
  /** Both counted from 1. */
  readonly line: number
  readonly column: number
}

/** Says the place of each offset of one text; the lines are counted once, at the first question. */
export type PlaceOf = (offset: number) => Place

/** The places of a text, in characters. Lines end with LF, CRLF or CR. */
export function placesOfText(source: Place['in'], text: string): PlaceOf {
  let starts: number[] | undefined
  return (offset) => {
    starts ??= lineStarts(text)
    const line = lineOf(starts, offset)
    const column = offset - (starts[line - 1] ?? 0) + 1
    return { in: source, offset, unit: 'character', line, column }
  }
}

/** The place of a byte: lines end with LF, and a column is a byte. */
export function placeOfByte(source: Place['in'], bytes: Uint8Array, offset: number): Place {
  let line = 1
  let lineStart = 0
  for (let at = bytes.indexOf(10); at !== -1 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line += 1
    lineStart = at + 1
  }
  return { in: source, offset, unit: 'byte', line, column: offset - lineStart + 1 }
}

/** "line 3, column 14" or "byte 12", as it stands in a sentence. */
export function placeInWords(place: Place): string {
  return place.unit === 'byte'
    ? `byte ${place.offset}`
    : `line ${place.line}, column ${place.column}`
}

function lineStarts(text: string): number[] {
  const starts = [0]
  let feed = text.indexOf('\n')
  let carriage = text.indexOf('\r')
  while (feed !== -1 || carriage !== -1) {
    const isFeed = carriage === -1 || (feed !== -1 && feed <= carriage + 1)
    const next = (isFeed ? feed : carriage) + 1
    starts.push(next)
    if (feed !== -1 && feed < next) feed = text.indexOf('\n', next)
    if (carriage !== -1 && carriage < next) carriage = text.indexOf('\r', next)
  }
  return starts
}

/** The number of the last line that starts at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}
